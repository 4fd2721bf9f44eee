package org.tutti.serve.values;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Queue;
import java.util.RandomAccess;
import java.util.SequencedCollection;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.tutti.serve.values.RecordClasses.Spec;

/// Generates a family of record types that contain each other.
public final class TypeSource {
    public enum Plain {
        A,
        B,
        C
    }

    /// Constants with class bodies.
    public enum WithBodies {
        PLUS {
            @Override
            int apply(int x) {
                return x + 1;
            }
        },
        MINUS {
            @Override
            int apply(int x) {
                return x - 1;
            }
        },
        NONE;

        int apply(int x) {
            return x;
        }
    }

    public enum Empty {}

    static final List<Class<?>> PRIMITIVES = List.of(
            boolean.class, byte.class, short.class, char.class, int.class, long.class, float.class, double.class);

    static final List<Class<?>> SCALARS = List.of(
            Boolean.class,
            Byte.class,
            Short.class,
            Character.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            String.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class,
            Duration.class,
            Instant.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class);

    static final List<Class<?>> ENUMS = List.of(Plain.class, WithBodies.class, TimeUnit.class, Empty.class);

    private static final List<Class<?>> GENERAL = List.of(
            Object.class,
            Object.class,
            CharSequence.class,
            Comparable.class,
            Number.class,
            Record.class,
            Enum.class,
            Iterable.class,
            java.io.Serializable.class,
            Cloneable.class,
            RandomAccess.class);

    private static final List<Class<?>> COLLECTIONS = List.of(
            Collection.class,
            SequencedCollection.class,
            List.class,
            List.class,
            Queue.class,
            Deque.class,
            Set.class,
            Set.class,
            SequencedSet.class,
            SortedSet.class,
            NavigableSet.class,
            ArrayList.class,
            LinkedList.class,
            ArrayDeque.class,
            HashSet.class,
            LinkedHashSet.class,
            TreeSet.class,
            Vector.class);

    private static final List<Class<?>> MAPS = List.of(
            Map.class,
            Map.class,
            SequencedMap.class,
            SortedMap.class,
            NavigableMap.class,
            HashMap.class,
            LinkedHashMap.class,
            TreeMap.class,
            ConcurrentMap.class,
            ConcurrentHashMap.class);

    /// Whether all types can be read from JSON.
    private final boolean json;

    private final SplittableRandom random;
    final List<Class<?>> records = new ArrayList<>();
    private Class<?> figure;

    private TypeSource(SplittableRandom random, boolean json) {
        this.random = random;
        this.json = json;
    }

    /// Returns the family for a seed.
    static TypeSource of(long seed, int records, boolean json) {
        TypeSource made = new TypeSource(new SplittableRandom(seed), json);
        RecordClasses loader = new RecordClasses();
        if (!json) made.figure = loader.sealed("generated.Figure", List.of("generated.R0", "generated.R1"));
        for (int i = 0; i < records; i++) made.define(loader, i);
        return made;
    }

    ClassLoader loader() {
        return records.getFirst().getClassLoader();
    }

    private void define(RecordClasses loader, int number) {
        int count = random.nextInt(13);
        boolean generic = !json && random.nextInt(4) == 0;
        boolean wide = !json && number == 2;
        List<Spec> components = new ArrayList<>();
        if (wide) {
            count = 254;
            boolean two = random.nextBoolean(); // two slots for each component
            for (int i = 0; i < (two ? 127 : count); i++) components.add(Spec.of(two ? long.class : int.class));
        } else {
            for (int i = 0; i < count; i++) {
                components.add(generic && random.nextInt(3) == 0 ? Spec.parameter() : spec(0));
            }
        }
        boolean varargs = !wide && count > 0 && random.nextBoolean();
        if (varargs) components.set(count - 1, Spec.of(array()));
        List<Class<?>> interfaces = number < 2 && !json ? List.of(figure) : List.of();
        records.add(loader.record("generated.R" + number, components, varargs, interfaces));
    }

    private <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private Class<?> array() {
        Class<?> element = switch (random.nextInt(5)) {
            case 0, 1 -> one(PRIMITIVES);
            case 2 -> one(SCALARS);
            case 3 -> records.isEmpty() ? String.class : one(records);
            default -> json ? Plain.class : one(GENERAL.subList(0, 8));
        };
        Class<?> array = element.arrayType();
        while (random.nextInt(4) == 0) array = array.arrayType();
        return array;
    }

    private Spec spec(int depth) {
        int kind = random.nextInt(depth > 2 ? 3 : 10);
        return switch (kind) {
            case 0 -> depth > 0 ? Spec.of(one(SCALARS)) : Spec.of(one(PRIMITIVES));
            case 1 -> Spec.of(one(SCALARS));
            case 2 -> Spec.of(json ? one(ENUMS.subList(0, 3)) : one(ENUMS));
            case 3 -> Spec.of(array());
            case 4 -> json ? Spec.of(List.class, spec(depth + 1)) : Spec.of(one(GENERAL));
            case 5, 6 -> collection(depth);
            case 7 -> json ? Spec.of(Map.class, Spec.of(String.class), spec(depth + 1)) : map(depth);
            case 8 -> Spec.of(Optional.class, spec(depth + 1));
            default -> {
                if (records.isEmpty() || random.nextInt(4) == 0) yield json ? Spec.of(String.class) : Spec.self();
                yield Spec.of(random.nextInt(4) == 0 && figure != null ? figure : one(records));
            }
        };
    }

    private Spec collection(int depth) {
        if (json) return Spec.of(one(List.of(List.class, Set.class, Collection.class)), spec(depth + 1));
        if (random.nextInt(6) == 0) return Spec.of(EnumSet.class, Spec.of(one(ENUMS)));
        return Spec.of(one(COLLECTIONS), spec(depth + 1));
    }

    private Spec map(int depth) {
        if (random.nextInt(4) == 0) return Spec.of(EnumMap.class, Spec.of(one(ENUMS)), spec(depth + 1));
        return Spec.of(one(MAPS), spec(depth + 1), spec(depth + 1));
    }
}
