package org.tutti.mpi.object;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.ConcurrentModificationException;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Walks a value and writes it; see [Tag] for the bytes.
final class ObjectWriter {
    private final ByteSink sink = new ByteSink();

    /// The own classes met in this message, by the index they travel as.
    private OwnShape[] seen = new OwnShape[8];

    private int seenCount;

    /// The objects that the walk is inside of, from index 1.
    private final @Nullable Object[] ancestors = new Object[ObjectCodec.MAX_DEPTH + 1];

    private int depth;

    /// Writes a whole message.
    ///
    /// @return its bytes, the first ones of [#segment()]
    long message(@Nullable Object root) {
        sink.reset();
        seenCount = 0;
        depth = 0;
        try {
            sink.put(Tag.FORMAT);
            write(root);
            return sink.finish();
        } catch (CodecException e) {
            throw root != null && depth > 0 ? e.under(Shape.root(root.getClass())) : e;
        } catch (StackOverflowError e) {
            throw new CodecException("is nested too deeply for the stack of this thread (" + depth
                    + " levels); start it with a larger one (-Xss for the main thread)", e);
        } finally {
            Arrays.fill(ancestors, 0, Math.min(depth + 2, ancestors.length), null);
            Arrays.fill(seen, 0, seenCount, null);
        }
    }

    MemorySegment segment() {
        return sink.segment();
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
                natural(((SortedSet<?>) value).comparator(), value);
                writeElements(shape.tag, (Collection<?>) value);
            }
            case ENUM_SET -> writeEnumSet((EnumSet<?>) value);
            case ENTRIES -> writeEntries(shape.tag, (Map<?, ?>) value);
            case SORTED_MAP -> {
                natural(((SortedMap<?, ?>) value).comparator(), value);
                writeEntries(shape.tag, (Map<?, ?>) value);
            }
            case ENUM_MAP -> writeEnumMap((Map<?, ?>) value);
            case RECORD -> writeRecord(value, (OwnShape.OfRecord) shape);
            case ENUM -> writeEnum((Enum<?>) value, (OwnShape) shape);
            case NONE -> throw noValue(value);
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
        sink.put(tag);
        if (array instanceof boolean[] booleans) {
            sink.putVarint(booleans.length);
            for (boolean b : booleans) {
                sink.put(b ? 1 : 0);
            }
        } else {
            int length = java.lang.reflect.Array.getLength(array);
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
                write(array[i]);
            }
        } catch (CodecException e) {
            throw e.under("[" + i + "]");
        }
        up();
    }

    private void writeElements(int tag, Collection<?> elements) {
        sink.put(tag);
        writeElements(elements);
    }

    private void writeElements(Collection<?> elements) {
        down(elements);
        int size = elements.size();
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
            throw changed(elements, e);
        }
        if (i != size) {
            throw changed(elements, null);
        }
        up();
    }

    private void writeEntries(int tag, Map<?, ?> map) {
        sink.put(tag);
        writeEntries(map);
    }

    private void writeEntries(Map<?, ?> map) {
        down(map);
        int size = map.size();
        sink.putVarint(size);
        int i = 0;
        try {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                Object key = entry.getKey();
                writeKey(key);
                try {
                    write(entry.getValue());
                } catch (CodecException e) {
                    throw e.under("[" + shown(key) + "]");
                }
                i++;
            }
        } catch (ConcurrentModificationException e) {
            throw changed(map, e);
        }
        if (i != size) {
            throw changed(map, null);
        }
        up();
    }

    private void writeKey(@Nullable Object key) {
        try {
            write(key);
        } catch (CodecException e) {
            throw e.under("{key}");
        }
    }

    /// A map's key in a path: short keys as they are, others by their class.
    private static String shown(@Nullable Object key) {
        return switch (key) {
            case null -> "null";
            case String s when s.length() <= 20 -> '"' + s + '"';
            case String s -> '"' + s.substring(0, 20) + "…\"";
            case Number n -> n.toString();
            case Enum<?> e -> e.name();
            default -> key.getClass().getSimpleName();
        };
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
                write(component(value, shape, i));
            }
        } catch (CodecException e) {
            throw e.under("." + shape.components[i]);
        }
        up();
    }

    private static @Nullable Object component(Object value, OwnShape.OfRecord shape, int i) {
        try {
            return (Object) shape.accessors[i].invokeExact(value);
        } catch (Error e) {
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
        sink.put(shape.letter);
        sink.putVarint(shape.name.length);
        sink.putBytes(shape.name);
        sink.putVarint(shape.count);
        sink.putInt(shape.hash);
    }

    /// Enters an object that holds others. Comparing it with one ancestor, at the largest power of two, is enough to find a
    /// cycle of length c before three times its depth plus c, however many elements hang on the way (R. Brent, 1980).
    private void down(Object value) {
        int d = depth;
        if (d > 0 && ancestors[Integer.highestOneBit(d)] == value) {
            throw new CodecException("contains itself: this " + value.getClass().getTypeName()
                    + " is also one of the objects around it; send indices instead of references");
        }
        if (d == ObjectCodec.MAX_DEPTH) {
            throw new CodecException("is nested more than " + ObjectCodec.MAX_DEPTH
                    + " levels deep; send long chains as a list");
        }
        ancestors[d + 1] = value;
        depth = d + 1;
    }

    private void up() {
        ancestors[depth--] = null;
    }

    private static void natural(@Nullable Comparator<?> comparator, Object value) {
        if (comparator != null && comparator != Comparator.naturalOrder()) {
            throw new CodecException(value.getClass().getName()
                    + " with a comparator is no value, because code does not travel; copy it into a LinkedHash"
                    + (value instanceof Map ? "Map" : "Set") + ", which keeps its order");
        }
    }

    private static CodecException changed(Object collection, @Nullable Throwable cause) {
        return new CodecException(collection.getClass().getTypeName() + " was changed by another thread while it was sent", cause);
    }

    private static CodecException noValue(Object value) {
        Class<?> type = value.getClass();
        String instead = value instanceof Collection || value instanceof Map
                ? "copy it into a collection of java.util, with List.copyOf for instance"
                : "what travels: null, strings, boxed primitives, arrays, collections of java.util, Optional, BigInteger, "
                        + "BigDecimal, UUID, dates and times without a zone, and the program's own records and enums";
        return new CodecException(type.getTypeName() + " is no value; " + instead);
    }
}
