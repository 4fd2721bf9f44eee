package org.tutti.mpi.object;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Traverses a value and encodes it; [Tag] defines the format.
final class ObjectWriter {
    private final ByteSink sink = new ByteSink();
    private final @Nullable EqualityCheck equality;

    /// The program's classes in this message, by index in the message.
    private OwnShape[] seen = new OwnShape[8];

    private int seenCount;

    /// The enclosing objects, starting at index 1.
    private final @Nullable Object[] ancestors = new Object[ObjectCodec.MAX_DEPTH + 1];

    private int depth;

    /// The minimum size of arrays outside the stream.
    private long outsideFrom;

    private final List<Outside> outside = new ArrayList<>();
    private long outsideBytes;
    private long headBytes;

    /// The prefix of a message with arrays outside the stream; otherwise unused.
    private final MemorySegment prefix = Arena.ofAuto().allocate(Tag.PREFIX_BYTES, 8);

    private final List<MemorySegment> rest = new ArrayList<>();

    private record Outside(int tag, int count, MemorySegment array) {}

    /// @param equality null to omit the check
    ObjectWriter(@Nullable EqualityCheck equality) {
        this.equality = equality;
    }

    /// The contiguous copy of a head that consists of several parts.
    private @Nullable MemorySegment joined;

    private @Nullable Arena joinedArena;

    /// Encodes a whole message. If `aside` is true, large arrays are referenced outside the stream and not
    /// copied.
    ///
    /// @return the size of the message in bytes: [#first] followed by [#rest]
    long message(@Nullable Object root, boolean aside) {
        begin(aside);
        one(root, true);
        return finish();
    }

    /// Encodes one message per value, contiguously. Stores the sizes in `lengths`.
    long messages(List<?> values, long[] lengths) {
        begin(false);
        for (int i = 0; i < lengths.length; i++) {
            long start = sink.position();
            try {
                one(values.get(i), false);
            } catch (CodecException e) {
                throw e.under("values[" + i + "]");
            }
            lengths[i] = sink.position() - start;
        }
        return finish();
    }

    private void begin(boolean aside) {
        release();
        sink.reset();
        outsideFrom = aside && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Tag.OUTSIDE_BYTES : Long.MAX_VALUE;
    }

    private void one(@Nullable Object root, boolean named) {
        seenCount = 0;
        depth = 0;
        try {
            sink.put(Tag.FORMAT);
            write(root);
        } catch (CodecException e) {
            throw named && root != null && depth > 0 ? e.under(Shape.root(root.getClass())) : e;
        } catch (StackOverflowError e) {
            throw CodecException.tooDeep(depth, e);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (RuntimeException | Error e) { // from a collection with computed elements
            throw new CodecException("cannot be written: " + e, e);
        } finally {
            Arrays.fill(ancestors, 0, Math.min(depth + 2, ancestors.length), null);
            Arrays.fill(seen, 0, seenCount, null);
        }
    }

    private long finish() {
        if (outside.isEmpty()) {
            headBytes = sink.finish();
            sink.rest(rest);
            return headBytes;
        }
        for (Outside array : outside) {
            sink.put(array.tag);
            sink.putLong(array.count);
        }
        headBytes = Tag.PREFIX_BYTES + sink.finish();
        prefix.set(ValueLayout.JAVA_BYTE, 0, (byte) Tag.FORMAT_OUTSIDE);
        prefix.set(ByteSource.INT, Tag.PREFIX_ARRAYS, outside.size());
        prefix.set(ByteSource.LONG, Tag.PREFIX_HEAD, headBytes);
        rest.add(sink.first().asSlice(0, sink.firstBytes()));
        sink.rest(rest);
        for (Outside array : outside) {
            rest.add(array.array);
        }
        return headBytes + outsideBytes;
    }

    /// Returns the start of the message.
    MemorySegment first() {
        return outside.isEmpty() ? sink.first() : prefix;
    }

    long firstBytes() {
        return outside.isEmpty() ? sink.firstBytes() : Tag.PREFIX_BYTES;
    }

    /// Returns the parts after the first bytes, in order; valid until the next message.
    List<MemorySegment> rest() {
        return rest;
    }

    /// Returns the number of bytes before the arrays outside; all bytes if there are no such arrays.
    long headBytes() {
        return headBytes;
    }

    /// Returns the first [#headBytes] of the message, contiguously.
    MemorySegment head() {
        List<MemorySegment> more = headRest();
        if (more.isEmpty()) {
            return first();
        }
        MemorySegment all = joined;
        if (all == null) {
            Arena arena = Arena.ofShared();
            all = arena.allocate(headBytes, 8);
            joined = all;
            joinedArena = arena;
            long at = firstBytes();
            MemorySegment.copy(first(), 0, all, 0, at);
            for (MemorySegment part : more) {
                MemorySegment.copy(part, 0, all, at, part.byteSize());
                at += part.byteSize();
            }
        }
        return all;
    }

    private List<MemorySegment> headRest() {
        return rest.subList(0, rest.size() - outside.size());
    }

    /// Returns the arrays outside the stream.
    List<MemorySegment> arrays() {
        return rest.subList(rest.size() - outside.size(), rest.size());
    }

    /// Releases the arrays of the last message, and the off-heap memory of a large message.
    void release() {
        Arena arena = joinedArena;
        if (arena != null) {
            arena.close();
        }
        joinedArena = null;
        joined = null;
        rest.clear();
        outside.clear();
        outsideBytes = 0;
        sink.release();
        if (equality != null) equality.release();
    }

    private void write(@Nullable Object value) {
        if (value == null) {
            sink.put(Tag.NULL);
        } else if (value instanceof String s) {
            writeString(s);
        } else if (value instanceof Integer i) {
            writeInt(i);
        } else if (value instanceof Double d) {
            sink.put(Tag.DOUBLE);
            sink.putDouble(d);
        } else {
            writeShape(value, Shape.of(value.getClass()));
        }
    }

    private void writeShape(Object value, Shape shape) {
        switch (shape.kind) {
            case STRING -> writeString((String) value);
            case SCALAR -> writeScalar(value, shape.tag);
            case OPTIONAL -> writeOptional((Optional<?>) value);
            case PRIMITIVES -> writePrimitives(value, shape.tag);
            case ARRAY -> writeArray((Object[]) value, (Shape.OfArray) shape);
            case ELEMENTS -> writeElements(shape.tag, (Collection<?>) value);
            case SORTED_SET -> {
                Refusal.unlessNatural(((SortedSet<?>) value).comparator(), value);
                writeElements(shape.tag, (Collection<?>) value);
            }
            case ENUM_SET -> writeEnumSet((EnumSet<?>) value);
            case ENTRIES -> writeEntries(shape.tag, (Map<?, ?>) value);
            case SORTED_MAP -> {
                Refusal.unlessNatural(((SortedMap<?, ?>) value).comparator(), value);
                writeEntries(shape.tag, (Map<?, ?>) value);
            }
            case ENUM_MAP -> writeEnumMap((Map<?, ?>) value);
            case RECORD -> writeRecord(value, (OwnShape.OfRecord) shape);
            case ENUM -> writeEnum((Enum<?>) value, (OwnShape) shape);
            case NONE -> throw Refusal.noValue(value);
        }
    }

    private void writeString(String s) {
        int length = s.length();
        int union = 0;
        for (int i = 0; i < length; i++) {
            union |= s.charAt(i);
        }
        if (union > 0xFF) {
            sink.put(Tag.UTF16);
            sink.putVarint(length);
            sink.putUtf16(s);
            return;
        }
        if (length <= Tag.SHORT_STRING_MAX) {
            sink.put(Tag.SHORT_STRING + length);
        } else {
            sink.put(Tag.LATIN1);
            sink.putVarint(length);
        }
        sink.putLatin1(s);
    }

    private void writeInt(int i) {
        if (i >= Tag.SMALL_INT_MIN && i <= Tag.SMALL_INT_MAX) {
            sink.put(Tag.SMALL_INT + i - Tag.SMALL_INT_MIN);
        } else {
            sink.put(Tag.INT);
            sink.putZigzag(i);
        }
    }

    private void writeScalar(Object value, int tag) {
        if (value instanceof Boolean b) {
            sink.put(b ? Tag.TRUE : Tag.FALSE);
            return;
        }
        sink.put(tag);
        switch (value) {
            case Long l -> sink.putZigzag(l);
            case Float f -> sink.putFloat(f);
            case Byte b -> sink.put(b);
            case Short s -> sink.putShort(s);
            case Character c -> sink.putShort(c);
            case UUID u -> {
                sink.putLong(u.getMostSignificantBits());
                sink.putLong(u.getLeastSignificantBits());
            }
            case BigInteger i -> writeBig(i);
            case BigDecimal d -> {
                sink.putZigzag(d.scale());
                writeBig(d.unscaledValue());
            }
            case Duration d -> {
                sink.putZigzag(d.getSeconds());
                sink.putInt(d.getNano());
            }
            case Instant i -> {
                sink.putZigzag(i.getEpochSecond());
                sink.putInt(i.getNano());
            }
            case LocalDate d -> sink.putZigzag(d.toEpochDay());
            case LocalTime t -> sink.putZigzag(t.toNanoOfDay());
            case LocalDateTime t -> {
                sink.putZigzag(t.toLocalDate().toEpochDay());
                sink.putZigzag(t.toLocalTime().toNanoOfDay());
            }
            default -> throw new AssertionError(value.getClass());
        }
    }

    private void writeBig(BigInteger i) {
        byte[] bytes = i.toByteArray();
        sink.putVarint(bytes.length);
        sink.putBytes(bytes);
    }

    private void writeOptional(Optional<?> optional) {
        if (optional.isEmpty()) {
            sink.put(Tag.OPTIONAL_EMPTY);
            return;
        }
        down(optional);
        sink.put(Tag.OPTIONAL);
        try {
            write(optional.get());
        } catch (CodecException e) {
            throw e.under(".get()");
        }
        up();
    }

    private void writePrimitives(Object array, int tag) {
        if (array instanceof boolean[] booleans) {
            sink.put(tag);
            sink.putVarint(booleans.length);
            for (boolean b : booleans) {
                sink.put(b ? 1 : 0);
            }
        } else {
            int length = java.lang.reflect.Array.getLength(array);
            long bytes = length * BuiltIns.layout(tag).byteSize();
            if (bytes >= outsideFrom) {
                sink.put(Tag.OUTSIDE);
                sink.put(tag);
                sink.putVarint(length);
                outside.add(new Outside(tag, length, BuiltIns.segment(array)));
                outsideBytes += bytes;
                return;
            }
            sink.put(tag);
            sink.putVarint(length);
            sink.putElements(array, BuiltIns.layout(tag), length);
        }
    }

    private void writeArray(@Nullable Object[] array, Shape.OfArray shape) {
        down(array);
        sink.put(Tag.ARRAY);
        sink.put(shape.dims);
        sink.putVarint(shape.base + 1);
        if (shape.own != null) {
            writeClass(shape.own);
        }
        sink.putVarint(array.length);
        int i = 0;
        try {
            for (; i < array.length; i++) {
                if (shape.narrow) ArrivingClass.check(array[i], shape.type.componentType());
                write(array[i]);
            }
        } catch (CodecException e) {
            throw e.under("[" + i + "]");
        }
        up();
    }

    private void writeElements(int tag, Collection<?> elements) {
        if (tag == Tag.SET && equality != null) equality.check((Set<?>) elements);
        sink.put(tag);
        writeElements(elements);
    }

    private void writeElements(Collection<?> elements) {
        down(elements);
        int size = countOf(elements);
        sink.putVarint(size);
        int i = 0;
        try {
            for (Object element : elements) {
                write(element);
                i++;
            }
        } catch (CodecException e) {
            throw e.under("[" + i + "]");
        } catch (ConcurrentModificationException e) {
            throw Refusal.changed(elements, e);
        }
        if (i != size) {
            throw Refusal.changed(elements, null);
        }
        up();
    }

    private void writeEntries(int tag, Map<?, ?> map) {
        if (tag == Tag.MAP && equality != null) equality.check(map);
        sink.put(tag);
        writeEntries(map);
    }

    private void writeEntries(Map<?, ?> map) {
        down(map);
        int size = countOf(map);
        sink.putVarint(size);
        int i = 0;
        try {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                Object key = entry.getKey();
                writeKey(key);
                try {
                    write(entry.getValue());
                } catch (CodecException e) {
                    throw e.under("[" + Refusal.shown(key) + "]");
                }
                i++;
            }
        } catch (ConcurrentModificationException e) {
            throw Refusal.changed(map, e);
        }
        if (i != size) {
            throw Refusal.changed(map, null);
        }
        up();
    }

    private static int countOf(Object collection) {
        int size;
        try {
            size = collection instanceof Map<?, ?> m ? m.size() : ((Collection<?>) collection).size();
        } catch (ConcurrentModificationException e) {
            throw Refusal.changed(collection, e);
        }
        if (size > ObjectReader.MAX_ARRAY) throw Refusal.tooMany(size);
        return size;
    }

    private void writeKey(@Nullable Object key) {
        try {
            write(key);
        } catch (CodecException e) {
            throw e.under("{key}");
        }
    }

    private void writeEnumSet(EnumSet<?> set) {
        Iterator<?> some = set.isEmpty() ? EnumSet.complementOf(set).iterator() : set.iterator();
        if (some.hasNext() && Shape.of(some.next().getClass()) instanceof OwnShape shape) {
            sink.put(Tag.ENUM_SET);
            writeClass(shape);
            writeElements(set);
        } else {
            writeElements(Tag.SET, set);
        }
    }

    private void writeEnumMap(Map<?, ?> map) {
        if (!map.isEmpty() && Shape.of(map.keySet().iterator().next().getClass()) instanceof OwnShape shape) {
            sink.put(Tag.ENUM_MAP);
            writeClass(shape);
            writeEntries(map);
        } else {
            writeEntries(Tag.MAP, map);
        }
    }

    private void writeEnum(Enum<?> constant, OwnShape shape) {
        sink.put(Tag.ENUM);
        writeClass(shape);
        sink.putVarint(constant.ordinal());
    }

    private void writeRecord(Object value, OwnShape.OfRecord shape) {
        down(value);
        sink.put(Tag.RECORD);
        writeClass(shape);
        int i = 0;
        try {
            for (; i < shape.accessors.length; i++) {
                Object part = component(value, shape, i);
                if (!shape.narrow[i] || !writeNarrow(part, shape, i)) write(part);
            }
        } catch (CodecException e) {
            throw e.under("." + shape.components[i]);
        }
        up();
    }

    /// Writes or checks a component whose type may not accept the class that the value has on arrival. Returns
    /// false if the caller must still write the component.
    private boolean writeNarrow(@Nullable Object part, OwnShape.OfRecord shape, int i) {
        Class<?> keys = shape.enumKeys[i];
        if (keys != null
                && part instanceof EnumMap<?, ?> map
                && map.isEmpty()
                && Shape.of(keys) instanceof OwnShape own) {
            down(map);
            sink.put(Tag.ENUM_MAP);
            writeClass(own);
            sink.putVarint(0);
            up();
            return true;
        }
        ArrivingClass.check(part, shape.types[i]);
        return false;
    }

    static @Nullable Object component(Object value, OwnShape.OfRecord shape, int i) {
        try {
            return (Object) shape.accessors[i].invokeExact(value);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable t) {
            throw new CodecException("the accessor threw " + t, t);
        }
    }

    private void writeClass(OwnShape shape) {
        for (int i = 0; i < seenCount; i++) {
            if (seen[i] == shape) {
                sink.putVarint(i);
                return;
            }
        }
        if (seenCount == seen.length) {
            seen = Arrays.copyOf(seen, 2 * seenCount);
        }
        seen[seenCount] = shape;
        sink.putVarint(seenCount++);
        sink.put(shape.kindByte);
        sink.putVarint(shape.name.length);
        sink.putBytes(shape.name);
        sink.putVarint(shape.count);
        sink.putInt(shape.hash);
    }

    /// Enters an object that contains other objects. The object is compared with a single ancestor, the one at
    /// the depth that is the largest power of two up to the current depth. A cycle of c objects that starts at
    /// depth s is thus detected before depth c + 2s (R. Brent, 1980), regardless of the number of elements.
    /// Only if the depth limit is reached first is the object compared with all ancestors.
    private void down(Object value) {
        int d = depth;
        if (d > 0 && ancestors[Integer.highestOneBit(d)] == value) {
            throw Refusal.cycle(value);
        }
        if (d == ObjectCodec.MAX_DEPTH) {
            throw Refusal.tooDeep(value, ancestors);
        }
        ancestors[d + 1] = value;
        depth = d + 1;
    }

    private void up() {
        ancestors[depth--] = null;
    }
}
