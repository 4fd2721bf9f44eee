package org.tutti.serve.values;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;

/// Generates values of the generated types, with the expected outcome of each.
final class ValueSource {
    /// Maximum nesting of the codec.
    private static final int MOST_LEVELS = 500;

    /// The outcomes are ordered: the outcome of a value is the maximum over the parts.
    enum Outcome {
        TRAVELS,
        /// The component might not be able to hold the arriving class.
        EITHER,
        REFUSED
    }

    record Sample(Object value, Outcome outcome, String name) {}

    private static final int[] LENGTHS = {0, 1, 2, 3, 7, 63, 64, 65, 127, 128, 300};
    private static final List<Class<?>> CONTAINERS = List.of(Collection.class, List.class, Set.class, Map.class);

    private final TypeSource types;
    private final boolean json;
    final SplittableRandom random;

    /// Holds references to all elements and keys of the containers. Otherwise garbage collection would remove
    /// keys of weak maps, and thereby the values that are to be refused.
    private final List<Object> held = new ArrayList<>();

    private Outcome outcome;
    private int left;

    ValueSource(TypeSource types, long seed, boolean json) {
        this.types = types;
        this.json = json;
        random = new SplittableRandom(seed);
    }

    Sample next() {
        outcome = Outcome.TRAVELS;
        left = 200;
        if (!json && random.nextInt(6) == 0) return special();
        Class<?> type = one(types.records);
        Object value = random.nextInt(6) == 0 && !json ? any(0) : record(type, 0);
        return new Sample(
                value, outcome, value == null ? "null" : value.getClass().getName());
    }

    <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    /// Records the outcome of a part.
    void is(Outcome what) {
        if (what.compareTo(outcome) > 0) outcome = what;
    }

    // ---- at the limits

    private Sample special() {
        int kind = random.nextInt(5);
        return switch (kind) {
            case 0, 1 -> {
                int levels = MOST_LEVELS - 1 + random.nextInt(3);
                Object value = nested(levels);
                yield new Sample(value, levels > MOST_LEVELS ? Outcome.REFUSED : Outcome.TRAVELS, levels + " levels");
            }
            case 2 -> new Sample(cycle(), Outcome.REFUSED, "a cycle");
            case 3 -> {
                int bytes = one(List.of(1024, 8192, 32 << 10, 64 << 10)) - 1 + random.nextInt(3);
                yield new Sample(large(bytes), Outcome.TRAVELS, "about " + bytes + " bytes");
            }
            default -> {
                String text =
                        (random.nextBoolean() ? "ä" : "€").repeat(one(List.of(62, 63, 64, 4095, 4096, 8191, 8192)));
                yield new Sample(text, Outcome.TRAVELS, "a text of " + text.length());
            }
        };
    }

    private Object large(int bytes) {
        Object all = Array.newInstance(one(TypeSource.PRIMITIVES), 0);
        Class<?> type = all.getClass().getComponentType();
        int each = type == long.class || type == double.class
                ? 8
                : type == int.class || type == float.class ? 4 : type == short.class || type == char.class ? 2 : 1;
        Object array = Array.newInstance(type, bytes / each + random.nextInt(2));
        return random.nextBoolean() ? array : List.of(array, "after", array);
    }

    private Object nested(int levels) {
        Object value;
        switch (random.nextInt(3)) {
            case 0 -> value = new ArrayList<>();
            case 1 -> value = EnumSet.noneOf(TypeSource.Plain.class);
            default -> value = new Object[0];
        }
        for (int i = 1; i < levels; i++) value = around(value);
        return value;
    }

    private Object around(Object value) {
        return switch (random.nextInt(6)) {
            case 0 -> new Object[] {value};
            case 1 -> new ArrayList<>(List.of(value));
            case 2 -> Optional.of(value);
            case 3 -> new HashMap<>(Map.of("k", value));
            case 4 -> List.of(value);
            default -> {
                EnumMap<TypeSource.Plain, Object> map = new EnumMap<>(TypeSource.Plain.class);
                map.put(TypeSource.Plain.B, value);
                yield map;
            }
        };
    }

    private Object cycle() {
        List<Object> around = new ArrayList<>();
        Object inner = around;
        for (int i = random.nextInt(1, 40); i > 0; i--) inner = around(inner);
        around.add(inner);
        Object outer = around;
        for (int i = random.nextInt(40); i > 0; i--) outer = around(outer);
        return outer;
    }

    // ---- by type

    Object record(Class<?> type, int depth) {
        RecordComponent[] components = type.getRecordComponents();
        Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++) values[i] = value(components[i].getGenericType(), depth + 1);
        return made(type, values);
    }

    private static Object made(Class<?> type, Object[] values) {
        try {
            Constructor<?> canonical = type.getDeclaredConstructors()[0];
            return canonical.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private Object value(Type type, int depth) {
        left--;
        return switch (type) {
            case Class<?> c -> ofClass(c, List.of(), depth);
            case ParameterizedType p -> ofClass((Class<?>) p.getRawType(), List.of(p.getActualTypeArguments()), depth);
            case GenericArrayType _ -> null;
            default -> any(depth);
        };
    }

    private Object ofClass(Class<?> type, List<Type> arguments, int depth) {
        if (type.isPrimitive()) return scalar(boxed(type));
        boolean isRequired = json; // in JSON, only an Optional may be null
        if (!isRequired && random.nextInt(12) == 0) return null;
        if (TypeSource.SCALARS.contains(type)) return scalar(type);
        if (type.isArray()) return array(type.getComponentType(), depth);
        if (type.isEnum()) return constant(type);
        if (type == Optional.class) return optional(arguments.getFirst(), depth);
        if (type == EnumSet.class || type == EnumMap.class) return ofEnum(type, arguments, depth);
        if (type.isRecord()) {
            if (!isRequired && (depth > 6 || left < 0)) return null;
            return record(type, depth);
        }
        if (type.isSealed()) return record(types.records.get(random.nextInt(2)), depth);
        if (Map.class.isAssignableFrom(type) || Collection.class.isAssignableFrom(type)) {
            return container(type, arguments, depth);
        }
        return general(type, depth);
    }

    private Object general(Class<?> type, int depth) {
        Outcome before = outcome;
        if (type == Object.class || type == java.io.Serializable.class) {
            Object any = any(depth);
            if (type.isInstance(any)) return any;
            outcome = before;
            return "serializable";
        }
        if (type == CharSequence.class) return scalar(String.class);
        if (type == Comparable.class) return scalar(one(List.of(String.class, Integer.class, Instant.class)));
        if (type == Number.class) return scalar(one(List.of(Byte.class, Double.class, BigInteger.class)));
        if (type == Record.class) return depth > 6 || left < 0 ? null : record(one(types.records), depth);
        if (type == Enum.class) return constant(TypeSource.WithBodies.class);
        if (type == Iterable.class) return container(one(List.of(List.class, Set.class)), List.of(), depth);
        // Cloneable or RandomAccess
        Object some =
                random.nextBoolean() ? new int[2] : container(one(List.of(List.class, Map.class)), List.of(), depth);
        if (!type.isInstance(some)) {
            outcome = before;
            return null;
        }
        if (!some.getClass().isArray() && !DeepEquality.isKept(some)) is(Outcome.EITHER);
        return some;
    }

    /// Returns a value of any type.
    Object any(int depth) {
        if (depth > 6 || left < 0) return scalar(one(TypeSource.SCALARS));
        return switch (random.nextInt(8)) {
            case 0 -> random.nextInt(4) == 0 ? null : scalar(one(TypeSource.SCALARS));
            case 1 -> constant(one(TypeSource.ENUMS));
            case 2 -> array(one(TypeSource.PRIMITIVES), depth);
            case 3 -> array(one(List.of(Object.class, String.class, Object[].class, int[].class, List.class)), depth);
            case 4 -> Optional.of(scalar(one(TypeSource.SCALARS)));
            case 5 -> record(one(types.records), depth);
            default -> container(one(CONTAINERS), List.of(), depth);
        };
    }

    private static Class<?> boxed(Class<?> primitive) {
        return TypeSource.SCALARS.get(TypeSource.PRIMITIVES.indexOf(primitive));
    }

    private Object constant(Class<?> type) {
        Object[] all = type.getEnumConstants();
        return all.length == 0 ? null : all[random.nextInt(all.length)];
    }

    private int length(int depth) {
        if (left < 0 || json && depth > 3) return 0;
        int length =
                depth > 2 ? random.nextInt(4) : LENGTHS[random.nextInt(random.nextInt(5) == 0 ? LENGTHS.length : 5)];
        left -= length;
        return length;
    }

    private Object array(Class<?> element, int depth) {
        Object array = Array.newInstance(element, length(depth));
        for (int i = 0; i < Array.getLength(array); i++) {
            Object value = ofClass(element, List.of(), depth + 1);
            if (value != null) {
                Array.set(array, i, value);
                if (Containers.isNarrow(element) && !DeepEquality.isKept(value)) is(Outcome.EITHER);
            }
        }
        return array;
    }

    private Object optional(Type of, int depth) {
        Object value = random.nextInt(3) == 0 ? null : value(of, depth + 1);
        // in JSON, null would stand for an empty Optional and for an Optional that contains an empty one
        if (json && value instanceof Optional<?> o && o.isEmpty()) return Optional.empty();
        return Optional.ofNullable(value);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // the type is known only at run time
    private Object ofEnum(Class<?> type, List<Type> arguments, int depth) {
        Class constants = arguments.isEmpty() ? TypeSource.Plain.class : (Class) arguments.getFirst();
        Object value;
        if (type == EnumSet.class) {
            EnumSet set = EnumSet.noneOf(constants);
            for (Object each : constants.getEnumConstants()) if (random.nextBoolean()) set.add(each);
            value = set;
        } else {
            EnumMap map = new EnumMap(constants);
            for (Object each : constants.getEnumConstants()) {
                if (random.nextInt(3) == 0) map.put(each, value(arguments.getLast(), depth + 1));
            }
            value = map;
        }
        // an empty map is accepted only where the component type names the enum
        if (!DeepEquality.isKept(value) && (type == EnumSet.class || depth > 1)) is(Outcome.EITHER);
        return value;
    }

    private Object container(Class<?> type, List<Type> arguments, int depth) {
        int n = length(depth);
        Outcome before = outcome;
        boolean isMap = Map.class.isAssignableFrom(type);
        Collection<Object> elements =
                isMap || Set.class.isAssignableFrom(type) ? new LinkedHashSet<>() : new ArrayList<>();
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            add(elements, arguments.isEmpty() ? scalar(String.class) : value(arguments.getFirst(), depth + 1));
            values.add(!isMap || arguments.size() < 2 ? scalar(Integer.class) : value(arguments.get(1), depth + 1));
        }
        if (json) {
            if (!isMap) return elements;
            Map<Object, Object> map = new LinkedHashMap<>();
            Iterator<Object> each = values.iterator();
            for (Object key : elements) map.put(key, each.next());
            return map;
        }
        held.addAll(elements);
        Outcome after = outcome;
        outcome = before;
        Object value = isMap
                ? Containers.map(this, type, new ArrayList<>(elements), values)
                : Containers.collection(this, type, new ArrayList<>(elements));
        // the container may have dropped the element that was to be refused
        if (size(value) == n) is(after);
        else if (after != before) is(Outcome.EITHER);
        if (value != null && Containers.isNarrow(type) && !DeepEquality.isKept(value)) is(Outcome.EITHER);
        return value;
    }

    /// Skips an element that is a set if the JDK cannot compare it with an earlier element of the same hash
    /// code. This happens if a concurrent set calls `contains` of a sorted set with an element that is not
    /// comparable.
    private static void add(Collection<Object> elements, Object element) {
        try {
            elements.add(element);
        } catch (ClassCastException e) {
            // the container stays unchanged
        }
    }

    private static int size(Object value) {
        return value instanceof Map<?, ?> m ? m.size() : value instanceof Collection<?> c ? c.size() : 0;
    }

    // ---- scalars

    private static final Map<Class<?>, List<Object>> CORNERS = Map.of(
            Integer.class, List.of(-17, -16, 47, 48, Integer.MIN_VALUE, Integer.MAX_VALUE),
            Long.class, List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE),
            Float.class, List.of(Float.NaN, -0.0f, Float.MIN_VALUE, Float.MAX_VALUE, Float.NEGATIVE_INFINITY),
            Double.class, List.of(Double.NaN, -0.0, Double.MIN_VALUE, Double.MAX_VALUE, Double.POSITIVE_INFINITY),
            Duration.class,
                    List.of(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)),
            Instant.class, List.of(Instant.MIN, Instant.MAX, Instant.EPOCH),
            LocalDate.class, List.of(LocalDate.MIN, LocalDate.MAX),
            LocalTime.class, List.of(LocalTime.MIN, LocalTime.MAX),
            LocalDateTime.class, List.of(LocalDateTime.MIN, LocalDateTime.MAX),
            BigInteger.class, List.of(BigInteger.ZERO, BigInteger.ONE.shiftLeft(127), BigInteger.ONE.shiftLeft(3000)));

    Object scalar(Class<?> type) {
        List<Object> corners = CORNERS.get(type);
        if (corners != null && random.nextInt(3) == 0) return one(corners);
        if (type == Boolean.class) return random.nextBoolean();
        if (type == Byte.class) return (byte) random.nextInt();
        if (type == Short.class) return (short) random.nextInt();
        if (type == Character.class) return (char) random.nextInt(json ? 0xD800 : 0x10000);
        if (type == Integer.class) return random.nextInt() >> random.nextInt(32);
        if (type == Long.class) return random.nextLong() >> random.nextInt(64);
        if (type == Float.class) return Float.intBitsToFloat(random.nextInt() & 0xFF7FFFFF);
        if (type == Double.class) return Double.longBitsToDouble(random.nextLong() & 0xFFEFFFFFFFFFFFFFL);
        if (type == String.class) return text();
        if (type == BigInteger.class) return new BigInteger(64, new java.util.Random(random.nextLong()));
        if (type == BigDecimal.class) return BigDecimal.valueOf(random.nextLong(), random.nextInt(-20, 20));
        if (type == UUID.class) return new UUID(random.nextLong(), random.nextLong());
        if (type == Duration.class) return Duration.ofSeconds(random.nextInt(), random.nextInt(1_000_000_000));
        if (type == Instant.class) return Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
        LocalDate date = LocalDate.ofEpochDay(random.nextInt(-1_000_000, 1_000_000));
        if (type == LocalDate.class) return date;
        LocalTime time = LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L));
        if (type == LocalTime.class) return time;
        return LocalDateTime.of(date, time);
    }

    private String text() {
        int length = LENGTHS[random.nextInt(random.nextInt(8) == 0 ? LENGTHS.length : 5)];
        int most = one(List.of(0x7F, 0xFF, json ? 0xD7FF : 0xFFFF));
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) text.append((char) random.nextInt(most + 1));
        return text.toString();
    }
}
