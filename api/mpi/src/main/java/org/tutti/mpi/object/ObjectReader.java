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

/// Builds a value from a message that may be damaged or hostile; all input is checked before use.
///
/// Counts are the main risk: each count promises a number of values, of at least one byte each. Therefore,
/// before memory is allocated, the reader checks that the values promised by all objects under construction fit
/// into the remaining bytes.
final class ObjectReader {
    static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

    private final ByteSource source = new ByteSource();
    private final ClassTable classes = new ClassTable(source);
    private long promised;
    private int depth;

    /// The arrays outside the stream, in the order in which the stream refers to them.
    private List<Object> outside = List.of();

    private int outsideTaken;

    @Nullable
    Object message(MemorySegment data, long offset, long bytes, List<Object> arrays, Class<?> expected) {
        outside = arrays;
        outsideTaken = 0;
        source.open(data, offset, bytes);
        classes.open(expected);
        promised = 1;
        depth = 0;
        try {
            int format = source.get();
            if (format != Tag.FORMAT) {
                throw new CodecException("is not an object of this version of Tutti: the first byte is " + format);
            }
            Object value = read();
            if (source.remaining() > 0) {
                throw source.broken("data follows the end of the value");
            }
            if (outsideTaken < outside.size()) {
                throw source.broken("refers to " + outsideTaken + " of the " + outside.size() + " arrays after it");
            }
            return value;
        } catch (CodecException e) {
            throw e;
        } catch (StackOverflowError e) {
            throw CodecException.tooDeep(depth, e);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (RuntimeException | Error e) {
            // thrown by hashCode or compareTo, by a JDK class that validates values, or by a failed class
            // initialisation
            throw new CodecException("cannot be built at " + source.position() + ": " + e, e);
        } finally {
            outside = List.of();
            source.close();
            classes.close();
        }
    }

    /// Reads a value. The methods on the recursive path are small: the JIT gives a large method one stack frame
    /// with the space of all its branches, and every level of nesting would need such a frame.
    private @Nullable Object read() {
        promised--;
        int tag = source.get();
        if (tag >= Tag.SHORT_STRING || !nests(tag)) {
            return readPlain(tag);
        }
        if (++depth > ObjectCodec.MAX_DEPTH) {
            throw source.broken("nested more than " + ObjectCodec.MAX_DEPTH + " levels deep");
        }
        Object value = readNested(tag);
        depth--;
        return value;
    }

    private static boolean nests(int tag) {
        return tag == Tag.OPTIONAL || tag >= Tag.ARRAY && tag <= Tag.ENUM_MAP && tag != Tag.ENUM;
    }

    private @Nullable Object readPlain(int tag) {
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
            case Tag.BOOLEANS -> readBooleans();
            case Tag.BYTES, Tag.SHORTS, Tag.CHARS, Tag.INTS, Tag.LONGS, Tag.FLOATS, Tag.DOUBLES -> primitives(tag);
            case Tag.OUTSIDE -> readOutside();
            case Tag.ENUM -> readEnum();
            case Tag.OPTIONAL_EMPTY -> Optional.empty();
            default -> readScalar(tag);
        };
    }

    private Object readNested(int tag) {
        return switch (tag) {
            case Tag.RECORD -> readRecord();
            case Tag.ARRAY -> readArray();
            case Tag.OPTIONAL -> readOptional();
            case Tag.LIST, Tag.SET_OF -> readUnmodifiable(tag);
            case Tag.MAP_OF -> readMapOf();
            case Tag.MAP, Tag.HASH_MAP, Tag.LINKED_HASH_MAP, Tag.TREE_MAP, Tag.ENUM_MAP -> readEntries(tag);
            default -> readElements(tag);
        };
    }

    private Object readOptional() {
        promised++;
        return Optional.of(present(read()));
    }

    private Object readUnmodifiable(int tag) {
        @Nullable Object[] values = values(promise(1));
        return tag == Tag.LIST ? unmodifiableList(values) : Set.of(values);
    }

    private Object readElements(int tag) {
        OwnShape.OfEnum constants = tag == Tag.ENUM_SET ? enumType() : null;
        int n = promise(1);
        Collection<@Nullable Object> collection = constants == null ? collection(tag, n) : enumSet(constants);
        for (int i = 0; i < n; i++) {
            collection.add(read());
        }
        if (collection.size() != n) {
            throw source.broken("contains equal elements in a set of " + n);
        }
        return tag == Tag.SET ? Collections.unmodifiableSet((Set<?>) collection) : collection;
    }

    private Collection<@Nullable Object> collection(int tag, int n) {
        return switch (tag) {
            case Tag.ARRAY_LIST -> new ArrayList<>(n);
            case Tag.LINKED_LIST -> new LinkedList<>();
            case Tag.ARRAY_DEQUE -> new ArrayDeque<>(n);
            case Tag.HASH_SET -> HashSet.newHashSet(n);
            case Tag.SET, Tag.LINKED_HASH_SET -> LinkedHashSet.newLinkedHashSet(n);
            case Tag.TREE_SET -> new TreeSet<>();
            default -> throw source.broken("unknown tag " + tag);
        };
    }

    private Object readEntries(int tag) {
        OwnShape.OfEnum constants = tag == Tag.ENUM_MAP ? enumType() : null;
        int n = promise(2);
        Map<@Nullable Object, @Nullable Object> map = constants == null ? map(tag, n) : enumMap(constants);
        for (int i = 0; i < n; i++) {
            map.put(read(), read());
        }
        if (map.size() != n) {
            throw source.broken("contains equal keys in a map of " + n);
        }
        return tag == Tag.MAP ? Collections.unmodifiableMap(map) : map;
    }

    private Map<@Nullable Object, @Nullable Object> map(int tag, int n) {
        return switch (tag) {
            case Tag.HASH_MAP -> HashMap.newHashMap(n);
            case Tag.MAP, Tag.LINKED_HASH_MAP -> LinkedHashMap.newLinkedHashMap(n);
            case Tag.TREE_MAP -> new TreeMap<>();
            default -> throw source.broken("unknown tag " + tag);
        };
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // the message contains the type; the set checks each element
    private static Collection<@Nullable Object> enumSet(OwnShape.OfEnum shape) {
        return (Collection) EnumSet.noneOf((Class) shape.type);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // as in enumSet
    private static Map<@Nullable Object, @Nullable Object> enumMap(OwnShape.OfEnum shape) {
        return new EnumMap((Class) shape.type);
    }

    /// Reads a count of items, each of at least `bytesEach` bytes.
    private int count(int bytesEach) {
        long n = source.getVarint();
        long left = source.remaining() - promised;
        if (n < 0 || n > left / bytesEach) {
            throw source.broken("announces " + Long.toUnsignedString(n) + " elements, but only " + source.remaining()
                    + " bytes follow");
        }
        if (n > MAX_ARRAY) {
            throw source.broken("holds " + n + " elements, more than a Java array or collection can");
        }
        return (int) n;
    }

    /// Reads the number of elements, each consisting of `valuesEach` values, and adds these values to
    /// [#promised].
    private int promise(int valuesEach) {
        int n = count(valuesEach);
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
            throw source.broken("null is not allowed here");
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

    /// Reads a reference to an array outside the stream.
    private Object readOutside() {
        int tag = source.get();
        long count = source.getVarint();
        if (outsideTaken == outside.size()) {
            throw source.broken("refers to more arrays than the " + outside.size() + " after it");
        }
        Object array = outside.get(outsideTaken++);
        if (BuiltIns.tag(array) != tag || java.lang.reflect.Array.getLength(array) != count) {
            throw source.broken("refers to a different array than the next one, " + Shape.describe(array));
        }
        return array;
    }

    /// Reads an array of `boolean`. Converts each byte to 0 or 1, because a `boolean` on the heap with a
    /// different value would corrupt the JVM's state.
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
            throw source.broken("not a record");
        }
        int n = shape.types.length;
        if (n > source.remaining() - promised) {
            throw source.broken(shape.type.getTypeName() + " has " + n + " components, but only " + source.remaining()
                    + " bytes follow");
        }
        promised += n;
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
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable t) {
            throw new CodecException(
                    "cannot be built at " + source.position() + ": the constructor of " + shape.type.getTypeName()
                            + " threw " + t,
                    t);
        }
    }

    private OwnShape.OfEnum enumType() {
        if (classes.read() instanceof OwnShape.OfEnum shape) {
            return shape;
        }
        throw source.broken("not an enum");
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
}
