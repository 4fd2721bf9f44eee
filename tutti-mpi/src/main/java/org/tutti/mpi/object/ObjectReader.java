package org.tutti.mpi.object;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Builds a value from a message that may be broken or hostile: believes nothing that it has not looked at.
///
/// Counts are the danger: each promises values that are still to come, at least a byte each. So the values promised by all
/// the objects being built must fit into the bytes that are left, before anything is allocated for them.
final class ObjectReader {
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

    private final ByteSource source = new ByteSource();
    private final ClassTable classes = new ClassTable(source);
    private long promised;
    private int depth;

    @Nullable Object message(MemorySegment data, long offset, long bytes, Class<?> expected) {
        source.open(data, offset, bytes);
        classes.open(expected);
        promised = 1;
        depth = 0;
        try {
            int format = source.get();
            if (format != Tag.FORMAT) {
                throw new CodecException("is no object of this version of Tutti: it starts with byte " + format);
            }
            Object value = read();
            if (source.remaining() > 0) {
                throw source.broken("the value ends here, the message does not");
            }
            return value;
        } catch (CodecException e) {
            throw e;
        } catch (RuntimeException e) { // of a constructor, hashCode or compareTo, or of a JDK class that checks its values
            throw new CodecException("cannot be built at " + source.position() + ": " + e, e);
        } catch (StackOverflowError e) {
            throw new CodecException("is nested too deeply for the stack of this thread (" + depth
                    + " levels); start it with a larger one (-Xss for the main thread)", e);
        } finally {
            source.close();
            classes.close();
        }
    }

    private @Nullable Object read() {
        promised--;
        int tag = source.get();
        if (tag >= Tag.SMALL_INT) {
            return tag - Tag.SMALL_INT + Tag.SMALL_INT_MIN;
        } else if (tag >= Tag.SHORT_STRING) {
            return source.getLatin1(tag - Tag.SHORT_STRING);
        }
        return switch (tag) {
            case Tag.NULL -> null;
            case Tag.TRUE -> true;
            case Tag.FALSE -> false;
            case Tag.BYTE -> (byte) source.get();
            case Tag.SHORT -> source.getShort();
            case Tag.CHAR -> (char) source.getShort();
            case Tag.INT -> readInt();
            case Tag.LONG -> source.getZigzag();
            case Tag.FLOAT -> source.getFloat();
            case Tag.DOUBLE -> source.getDouble();
            case Tag.LATIN1 -> source.getLatin1(count(1));
            case Tag.UTF16 -> new String((char[]) primitives(Tag.CHARS));
            case Tag.BIG_INTEGER, Tag.BIG_DECIMAL, Tag.UUID, Tag.DURATION, Tag.INSTANT, Tag.LOCAL_DATE, Tag.LOCAL_TIME,
                    Tag.LOCAL_DATE_TIME -> readScalar(tag);
            case Tag.BOOLEANS -> readBooleans();
            case Tag.BYTES, Tag.SHORTS, Tag.CHARS, Tag.INTS, Tag.LONGS, Tag.FLOATS, Tag.DOUBLES -> primitives(tag);
            case Tag.ENUM -> readEnum();
            case Tag.OPTIONAL_EMPTY -> Optional.empty();
            case Tag.OPTIONAL, Tag.ARRAY, Tag.RECORD, Tag.LIST, Tag.SET_OF, Tag.SET, Tag.ARRAY_LIST, Tag.LINKED_LIST,
                    Tag.ARRAY_DEQUE, Tag.HASH_SET, Tag.LINKED_HASH_SET, Tag.TREE_SET, Tag.MAP_OF, Tag.MAP, Tag.HASH_MAP,
                    Tag.LINKED_HASH_MAP, Tag.TREE_MAP, Tag.ENUM_SET, Tag.ENUM_MAP -> {
                if (++depth > ObjectCodec.MAX_DEPTH) {
                    throw source.broken("nested more than " + ObjectCodec.MAX_DEPTH + " levels deep");
                }
                Object value = readNested(tag);
                depth--;
                yield value;
            }
            default -> throw source.broken("unknown tag " + tag);
        };
    }

    private Object readNested(int tag) {
        return switch (tag) {
            case Tag.OPTIONAL -> {
                promise(1);
                yield Optional.of(present(read()));
            }
            case Tag.ARRAY -> readArray();
            case Tag.RECORD -> readRecord();
            case Tag.LIST -> unmodifiableList(values(promise(1)));
            case Tag.SET_OF -> Set.of(values(promise(1)));
            case Tag.SET -> {
                int n = promise(1);
                yield Collections.unmodifiableSet(fill(LinkedHashSet.newLinkedHashSet(n), n));
            }
            case Tag.ARRAY_LIST -> {
                int n = promise(1);
                yield fill(new ArrayList<>(n), n);
            }
            case Tag.LINKED_LIST -> fill(new LinkedList<>(), promise(1));
            case Tag.ARRAY_DEQUE -> {
                int n = promise(1);
                yield fill(new ArrayDeque<>(n), n);
            }
            case Tag.HASH_SET -> {
                int n = promise(1);
                yield fill(HashSet.newHashSet(n), n);
            }
            case Tag.LINKED_HASH_SET -> {
                int n = promise(1);
                yield fill(LinkedHashSet.newLinkedHashSet(n), n);
            }
            case Tag.TREE_SET -> fill(new TreeSet<>(), promise(1));
            case Tag.MAP_OF -> readMapOf();
            case Tag.MAP -> {
                int n = promise(2);
                yield Collections.unmodifiableMap(fill(LinkedHashMap.newLinkedHashMap(n), n));
            }
            case Tag.HASH_MAP -> {
                int n = promise(2);
                yield fill(HashMap.newHashMap(n), n);
            }
            case Tag.LINKED_HASH_MAP -> {
                int n = promise(2);
                yield fill(LinkedHashMap.newLinkedHashMap(n), n);
            }
            case Tag.TREE_MAP -> fill(new TreeMap<>(), promise(2));
            case Tag.ENUM_SET -> readEnumSet(enumType());
            case Tag.ENUM_MAP -> readEnumMap(enumType());
            default -> throw source.broken("unknown tag " + tag);
        };
    }

    /// Reads a count of things of at least `bytesEach` bytes that follow.
    private int count(int bytesEach) {
        long n = source.getVarint();
        long left = source.remaining() - promised;
        if (n < 0 || n > left / bytesEach) {
            throw source.broken("says that " + Long.toUnsignedString(n) + " elements follow, but only " + source.remaining()
                    + " bytes do");
        }
        if (n > MAX_ARRAY) {
            throw source.broken("holds " + n + " elements, more than a Java array or collection can");
        }
        return (int) n;
    }

    /// Reads how many elements follow, of so many values each.
    private int promise(int valuesEach) {
        return promise(count(valuesEach), valuesEach);
    }

    private int promise(int n, int valuesEach) {
        promised += (long) n * valuesEach;
        return n;
    }

    private @Nullable Object[] values(int n) {
        @Nullable Object[] values = new Object[n];
        for (int i = 0; i < n; i++) {
            values[i] = read();
        }
        return values;
    }

    private <C extends Collection<@Nullable Object>> C fill(C collection, int n) {
        for (int i = 0; i < n; i++) {
            collection.add(read());
        }
        return collection;
    }

    private <M extends Map<@Nullable Object, @Nullable Object>> M fill(M map, int n) {
        for (int i = 0; i < n; i++) {
            map.put(read(), read());
        }
        return map;
    }

    private static List<?> unmodifiableList(@Nullable Object[] values) {
        for (Object value : values) {
            if (value == null) {
                return Collections.unmodifiableList(Arrays.asList(values));
            }
        }
        return List.of(values);
    }

    private Map<?, ?> readMapOf() {
        int n = promise(2);
        if (n == 1) {
            return Map.of(present(read()), present(read()));
        } else if (n == 2) {
            return Map.of(present(read()), present(read()), present(read()), present(read()));
        }
        @SuppressWarnings({"unchecked", "rawtypes"}) // generic arrays do not exist
        Map.Entry<Object, Object>[] entries = new Map.Entry[n];
        for (int i = 0; i < n; i++) {
            entries[i] = Map.entry(present(read()), present(read()));
        }
        return Map.ofEntries(entries);
    }

    private Object present(@Nullable Object value) {
        if (value == null) {
            throw source.broken("null where none can be");
        }
        return value;
    }

    private int readInt() {
        long i = source.getZigzag();
        if (i != (int) i) {
            throw source.broken("an int of more than 32 bits");
        }
        return (int) i;
    }

    private Object readScalar(int tag) {
        return switch (tag) {
            case Tag.BIG_INTEGER -> new BigInteger(source.getBytes(count(1)));
            case Tag.BIG_DECIMAL -> {
                int scale = readInt();
                yield new BigDecimal(new BigInteger(source.getBytes(count(1))), scale);
            }
            case Tag.UUID -> new UUID(source.getLong(), source.getLong());
            case Tag.DURATION -> Duration.ofSeconds(source.getZigzag(), source.getInt());
            case Tag.INSTANT -> Instant.ofEpochSecond(source.getZigzag(), source.getInt());
            case Tag.LOCAL_DATE -> LocalDate.ofEpochDay(source.getZigzag());
            case Tag.LOCAL_TIME -> LocalTime.ofNanoOfDay(source.getZigzag());
            case Tag.LOCAL_DATE_TIME ->
                LocalDateTime.of(LocalDate.ofEpochDay(source.getZigzag()), LocalTime.ofNanoOfDay(source.getZigzag()));
            default -> throw source.broken("unknown tag " + tag);
        };
    }

    private Object primitives(int tag) {
        int n = count((int) BuiltIns.layout(tag).byteSize());
        Object array = BuiltIns.primitives(tag, n);
        source.getElements(array, BuiltIns.layout(tag), n);
        return array;
    }

    /// One by one: a `boolean` in the heap that is neither 0 nor 1 would confuse the JVM.
    private boolean[] readBooleans() {
        boolean[] booleans = new boolean[count(1)];
        for (int i = 0; i < booleans.length; i++) {
            booleans[i] = source.get() != 0;
        }
        return booleans;
    }

    private Object readArray() {
        Class<?> element = classes.elementType();
        int n = promise(1);
        @Nullable Object[] array = (@Nullable Object[]) java.lang.reflect.Array.newInstance(element, n);
        for (int i = 0; i < n; i++) {
            Object value = read();
            if (value != null && !element.isInstance(value)) {
                throw source.broken("a " + value.getClass().getTypeName() + " in a " + element.getTypeName() + "[]");
            }
            array[i] = value;
        }
        return array;
    }

    private Object readRecord() {
        if (!(classes.read() instanceof OwnShape.OfRecord shape)) {
            throw source.broken("a record that is none");
        }
        int n = shape.types.length;
        if (n > source.remaining() - promised) {
            throw source.broken(shape.type.getTypeName() + " has " + n + " components, but only " + source.remaining()
                    + " bytes follow");
        }
        promise(n, 1);
        @Nullable Object[] values = new Object[n];
        for (int i = 0; i < n; i++) {
            Object value = read();
            if (value == null ? shape.primitive[i] : !shape.types[i].isInstance(value)) {
                throw source.broken(shape.type.getTypeName() + "." + shape.components[i] + " is of type "
                        + shape.types[i].getTypeName() + ", not " + (value == null ? "null" : Shape.describe(value)));
            }
            values[i] = value;
        }
        try {
            return (Object) shape.constructor.invokeExact(values);
        } catch (Error e) {
            throw e;
        } catch (Throwable t) {
            throw new CodecException(
                    "cannot be built at " + source.position() + ": the constructor of " + shape.type.getTypeName() + " threw " + t, t);
        }
    }

    private OwnShape.OfEnum enumType() {
        if (classes.read() instanceof OwnShape.OfEnum shape) {
            return shape;
        }
        throw source.broken("an enum that is none");
    }

    private Enum<?> readEnum() {
        OwnShape.OfEnum shape = enumType();
        long ordinal = source.getVarint();
        Enum<?> constant = shape.constant(ordinal);
        if (constant == null) {
            throw source.broken(
                    shape.type.getTypeName() + " has " + shape.count + " constants, none with ordinal " + ordinal);
        }
        return constant;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // the type of the constants is known to the message alone; the set checks it
    private Object readEnumSet(OwnShape.OfEnum shape) {
        return fill((Collection) EnumSet.noneOf((Class) shape.type), promise(1));
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // as above
    private Object readEnumMap(OwnShape.OfEnum shape) {
        return fill((Map) new EnumMap((Class) shape.type), promise(2));
    }
}
