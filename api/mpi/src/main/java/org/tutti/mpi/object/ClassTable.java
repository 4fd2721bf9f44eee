package org.tutti.mpi.object;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The classes that a message names. Each class is looked up once per message; the bytes of the name are the
/// key of a cache across messages.
final class ClassTable {
    /// The maximum length of a class name, in bytes of UTF-8.
    static final int MAX_NAME_BYTES = 2048;

    private static final int MAX_DIMS = 254; // of an element type: the JVM allows 255 for the array
    private static final int SLOTS = 128;

    private record Known(
            @Nullable ClassLoader first, @Nullable ClassLoader second, OwnShape shape) {}

    private final ByteSource source;
    private final List<OwnShape> met = new ArrayList<>();

    /// A direct-mapped cache: a collision costs only a second lookup, and hostile names cannot cause the table
    /// to grow.
    private final @Nullable Known[] known = new Known[SLOTS];

    private @Nullable ClassLoader expectedLoader;

    ClassTable(ByteSource source) {
        this.source = source;
    }

    /// Starts a message. Classes are loaded by the class loader of `expected`, or, if it does not find them, by
    /// this thread's context class loader.
    void open(Class<?> expected) {
        Class<?> base = expected;
        while (base.isArray()) {
            base = base.componentType();
        }
        expectedLoader = base.getClassLoader();
    }

    void close() {
        expectedLoader = null;
        if (!met.isEmpty()) {
            met.clear();
        }
    }

    /// Reads the element type of an array of references.
    Class<?> elementType() {
        int dims = source.get();
        long base = source.getVarint();
        Class<?> type;
        if (base == 0) {
            type = read().type;
        } else if (base > 0 && base <= BuiltIns.BASES.size()) {
            type = BuiltIns.BASES.get((int) base - 1);
        } else {
            throw source.broken("unknown element type " + base);
        }
        if (dims > MAX_DIMS || dims == 0 && type.isPrimitive()) {
            throw source.broken("an array of " + type.getTypeName() + " cannot have " + dims + " dimensions");
        }
        for (int i = 0; i < dims; i++) {
            type = type.arrayType();
        }
        return type;
    }

    OwnShape read() {
        long index = source.getVarint();
        if (index >= 0 && index < met.size()) {
            return met.get((int) index);
        } else if (index != met.size()) {
            throw source.broken("class number " + index + " of " + met.size());
        }
        int kindByte = source.get();
        long length = source.getVarint();
        if (length < 1 || length > MAX_NAME_BYTES) {
            throw source.broken("a class name of " + length + " bytes");
        }
        OwnShape shape = named((int) length);
        source.skip((int) length);
        long count = source.getVarint();
        int hash = source.getInt();
        if (kindByte != shape.kindByte || count != shape.count || hash != shape.hash) {
            throw new CodecException("contains a different version of " + shape.type.getTypeName()
                    + " than this rank; run the same program on all ranks");
        }
        met.add(shape);
        return shape;
    }

    private OwnShape named(int length) {
        source.need(length);
        byte[] window = source.window();
        int at = source.at();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        int slot = slot(window, at, length);
        Known entry = known[slot];
        if (entry != null
                && entry.first == expectedLoader
                && entry.second == context
                && Arrays.equals(entry.shape.name, 0, entry.shape.name.length, window, at, at + length)) {
            return entry.shape;
        }
        OwnShape shape = resolve(new String(window, at, length, StandardCharsets.UTF_8), context);
        known[slot] = new Known(expectedLoader, context, shape);
        return shape;
    }

    private int slot(byte[] window, int at, int length) {
        int h = expectedLoader == null ? 0 : 1;
        for (int i = 0; i < length; i++) {
            h = 31 * h + window[at + i];
        }
        return (h ^ h >>> 16) & (SLOTS - 1);
    }

    private OwnShape resolve(String name, @Nullable ClassLoader context) {
        Class<?> type = expectedLoader == null ? null : OwnClasses.find(name, expectedLoader);
        if (type == null) {
            type = OwnClasses.find(name, context == null ? ClassLoader.getSystemClassLoader() : context);
        }
        if (type == null) {
            throw new CodecException("names the class " + shortened(name)
                    + ", which this rank does not have; run the same program on all ranks");
        }
        OwnShape shape = Shape.of(type) instanceof OwnShape kept ? kept : OwnClasses.shape(type);
        if (shape == null) {
            throw new CodecException("names " + type.getTypeName() + ", which is not a record or enum of this program");
        }
        return shape;
    }

    /// Returns a short, printable form of a possibly hostile name, as used in error messages.
    static String shortened(String name) {
        String plain = name.replaceAll("\\P{Print}", "?");
        return plain.length() <= 200 ? plain : plain.substring(0, 200) + "…";
    }
}
