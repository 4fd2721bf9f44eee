package org.tutti.mpi.object;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteOrder;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Queue;
import java.util.SequencedCollection;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The JDK classes that the codec supports. A message cannot create instances of any other JDK class, except
/// unmodifiable lists, sets and maps.
final class BuiltIns {
    /// The element types of arrays, except classes of the program. A type is encoded by the index in this list,
    /// so new types must be added at the end.
    static final List<Class<?>> BASES = List.of(
            boolean.class,
            byte.class,
            short.class,
            char.class,
            int.class,
            long.class,
            float.class,
            double.class,
            Object.class,
            String.class,
            CharSequence.class,
            Comparable.class,
            Number.class,
            Boolean.class,
            Byte.class,
            Short.class,
            Character.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class,
            Duration.class,
            Instant.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            Optional.class,
            Record.class,
            Enum.class,
            Iterable.class,
            Collection.class,
            SequencedCollection.class,
            List.class,
            Queue.class,
            Deque.class,
            Set.class,
            SortedSet.class,
            NavigableSet.class,
            Map.class,
            SequencedMap.class,
            SortedMap.class,
            NavigableMap.class,
            ArrayList.class,
            LinkedList.class,
            ArrayDeque.class,
            HashSet.class,
            LinkedHashSet.class,
            TreeSet.class,
            HashMap.class,
            LinkedHashMap.class,
            TreeMap.class,
            EnumSet.class,
            EnumMap.class);

    /// JDK enums that a message may name, like enums of the program.
    static final Set<Class<?>> ENUMS =
            Set.of(TimeUnit.class, ChronoUnit.class, DayOfWeek.class, Month.class, RoundingMode.class);

    /// The element layouts; the index is the tag, counted from [Tag#BYTES]. Booleans are not included, because
    /// they are not copied in bulk, but converted one by one.
    private static final List<ValueLayout> LAYOUTS = List.of(
            ValueLayout.JAVA_BYTE,
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN),
            ValueLayout.JAVA_CHAR_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN),
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN),
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN),
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN),
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));

    private static final Map<Class<?>, Integer> SCALARS = Map.ofEntries(
            Map.entry(Boolean.class, Tag.TRUE),
            Map.entry(Byte.class, Tag.BYTE),
            Map.entry(Short.class, Tag.SHORT),
            Map.entry(Character.class, Tag.CHAR),
            Map.entry(Integer.class, Tag.INT),
            Map.entry(Long.class, Tag.LONG),
            Map.entry(Float.class, Tag.FLOAT),
            Map.entry(Double.class, Tag.DOUBLE),
            Map.entry(BigInteger.class, Tag.BIG_INTEGER),
            Map.entry(BigDecimal.class, Tag.BIG_DECIMAL),
            Map.entry(UUID.class, Tag.UUID),
            Map.entry(Duration.class, Tag.DURATION),
            Map.entry(Instant.class, Tag.INSTANT),
            Map.entry(LocalDate.class, Tag.LOCAL_DATE),
            Map.entry(LocalTime.class, Tag.LOCAL_TIME),
            Map.entry(LocalDateTime.class, Tag.LOCAL_DATE_TIME));

    private static final Map<Class<?>, Integer> PRIMITIVES = Map.of(
            boolean[].class, Tag.BOOLEANS,
            byte[].class, Tag.BYTES,
            short[].class, Tag.SHORTS,
            char[].class, Tag.CHARS,
            int[].class, Tag.INTS,
            long[].class, Tag.LONGS,
            float[].class, Tag.FLOATS,
            double[].class, Tag.DOUBLES);

    private static final Map<Class<?>, Integer> ELEMENTS = Map.of(
            ArrayList.class, Tag.ARRAY_LIST,
            LinkedList.class, Tag.LINKED_LIST,
            ArrayDeque.class, Tag.ARRAY_DEQUE,
            HashSet.class, Tag.HASH_SET,
            LinkedHashSet.class, Tag.LINKED_HASH_SET);

    private static final Map<Class<?>, Integer> ENTRIES =
            Map.of(HashMap.class, Tag.HASH_MAP, LinkedHashMap.class, Tag.LINKED_HASH_MAP);

    private BuiltIns() {}

    static @Nullable Shape shape(Class<?> type) {
        if (type == String.class) {
            return new Shape(type, Shape.Kind.STRING, Tag.LATIN1);
        } else if (SCALARS.containsKey(type)) {
            return new Shape(type, Shape.Kind.SCALAR, SCALARS.get(type));
        } else if (PRIMITIVES.containsKey(type)) {
            return new Shape(type, Shape.Kind.PRIMITIVES, PRIMITIVES.get(type));
        } else if (ELEMENTS.containsKey(type)) {
            return new Shape(type, Shape.Kind.ELEMENTS, ELEMENTS.get(type));
        } else if (ENTRIES.containsKey(type)) {
            return new Shape(type, Shape.Kind.ENTRIES, ENTRIES.get(type));
        } else if (type == Optional.class) {
            return new Shape(type, Shape.Kind.OPTIONAL, Tag.OPTIONAL);
        } else if (type == TreeSet.class) {
            return new Shape(type, Shape.Kind.SORTED_SET, Tag.TREE_SET);
        } else if (type == TreeMap.class) {
            return new Shape(type, Shape.Kind.SORTED_MAP, Tag.TREE_MAP);
        } else if (type == EnumMap.class) {
            return new Shape(type, Shape.Kind.ENUM_MAP, Tag.ENUM_MAP);
        } else if (type.getSuperclass() == EnumSet.class) {
            return new Shape(type, Shape.Kind.ENUM_SET, Tag.ENUM_SET);
        } else if (type == IdentityHashMap.class) {
            return new Shape(type, Shape.Kind.NONE, -1); // keys cannot equal any object on another rank
        }
        return null;
    }

    static ValueLayout layout(int tag) {
        return LAYOUTS.get(tag - Tag.BYTES);
    }

    /// Returns the tag of a primitive array.
    static int tag(Object array) {
        Integer tag = PRIMITIVES.get(array.getClass());
        return tag == null ? -1 : tag;
    }

    /// Returns the bytes of a primitive array.
    static MemorySegment segment(Object array) {
        return switch (array) {
            case byte[] a -> MemorySegment.ofArray(a);
            case short[] a -> MemorySegment.ofArray(a);
            case char[] a -> MemorySegment.ofArray(a);
            case int[] a -> MemorySegment.ofArray(a);
            case long[] a -> MemorySegment.ofArray(a);
            case float[] a -> MemorySegment.ofArray(a);
            case double[] a -> MemorySegment.ofArray(a);
            default -> throw new IllegalArgumentException(array.getClass().getTypeName());
        };
    }

    static Object primitives(int tag, int count) {
        return switch (tag) {
            case Tag.BYTES -> new byte[count];
            case Tag.SHORTS -> new short[count];
            case Tag.CHARS -> new char[count];
            case Tag.INTS -> new int[count];
            case Tag.LONGS -> new long[count];
            case Tag.FLOATS -> new float[count];
            case Tag.DOUBLES -> new double[count];
            default -> throw new IllegalArgumentException("tag=" + tag);
        };
    }
}
