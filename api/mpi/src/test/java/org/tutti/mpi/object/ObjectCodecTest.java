package org.tutti.mpi.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.mpi.object.RoundTrip.Circle;
import org.tutti.mpi.object.RoundTrip.Colour;
import org.tutti.mpi.object.RoundTrip.Figure;
import org.tutti.mpi.object.RoundTrip.Item;
import org.tutti.mpi.object.RoundTrip.Job;
import org.tutti.mpi.object.RoundTrip.Node;
import org.tutti.mpi.object.RoundTrip.Square;

/// Supported values arrive equal, and with the same class.
class ObjectCodecTest {
    record Objects(Object... all) {}

    record Numbers(int... all) {}

    record Named(String name, List<String>... lists) {
        @SafeVarargs
        Named {}
    }

    static Stream<Object> scalars() {
        return Stream.of(
                true,
                false,
                (byte) -7,
                Short.MIN_VALUE,
                'ß',
                '\uD800',
                0,
                -16,
                -17,
                47,
                48,
                Integer.MIN_VALUE,
                Integer.MAX_VALUE,
                0L,
                -1L,
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                1.5f,
                Float.NaN,
                -0.0f,
                3.14,
                Double.NaN,
                -0.0,
                Double.MIN_VALUE,
                "",
                "a",
                "Grüße",
                "x".repeat(63),
                "x".repeat(64),
                "ÿ".repeat(8193),
                "y".repeat(100_000),
                "日本",
                "\uD83D\uDE00 and a lone \uDC00",
                "z".repeat(9000) + "€",
                BigInteger.ZERO,
                BigInteger.ONE.shiftLeft(10_000).negate(),
                new BigDecimal("-123.4500"),
                new BigDecimal("1E+20"),
                Duration.ofSeconds(-3, 7),
                Duration.ofSeconds(Long.MIN_VALUE),
                Instant.MIN,
                Instant.MAX,
                LocalDate.MIN,
                LocalDate.of(2026, 2, 28),
                LocalTime.MAX,
                LocalDateTime.MAX,
                new UUID(-1, 42),
                Optional.empty(),
                Optional.of("x"),
                Colour.RED,
                Colour.GREEN,
                TimeUnit.DAYS,
                RoundingMode.HALF_EVEN);
    }

    static Stream<Arguments> arrays() {
        return Stream.<Object>of(
                        new boolean[] {true, false},
                        new byte[] {1, -1},
                        new short[] {-2},
                        new char[] {'a', '\uFFFF'},
                        new int[0],
                        new int[] {1, 2, 3},
                        new long[] {Long.MIN_VALUE},
                        new float[] {Float.NaN},
                        new double[] {0.5},
                        new int[256],
                        new int[257],
                        new double[100_001],
                        new byte[8192],
                        new boolean[20_000],
                        new int[][] {{1}, {}, null, {2, 3}},
                        new String[] {"a", null},
                        new Object[] {1, "b", new Object[] {2.0}},
                        new Number[] {1, 2L},
                        new List<?>[] {List.of(1)},
                        new String[3][0],
                        new Integer[2][3][4],
                        new Comparable<?>[] {1},
                        new Node[] {new Node(1, null)},
                        new Colour[][] {{Colour.GREEN}},
                        new Figure[] {new Circle(1)},
                        new Map<?, ?>[] {null},
                        new Optional<?>[] {Optional.empty()})
                .map(array -> Arguments.of(new Object[] {array})); // not the list of all arguments
    }

    static Stream<Object> sameClass() {
        Map<String, Integer> map = Map.of("one", 1, "two", 2, "three", 3);
        List<String> list = List.of("b", "a", "c");
        EnumMap<Colour, String> enums = new EnumMap<>(Colour.class);
        enums.put(Colour.GREEN, null);
        Map<String, Object> nulls = new HashMap<>();
        nulls.put(null, null);
        return Stream.of(
                new ArrayList<>(list),
                new LinkedList<>(list),
                new HashSet<>(list),
                new LinkedHashSet<>(list),
                new TreeSet<>(list),
                new ArrayList<>(),
                new HashMap<>(),
                new HashMap<>(map),
                new LinkedHashMap<>(map),
                new TreeMap<>(map),
                nulls,
                new ArrayList<>(Arrays.asList(null, 1)),
                enums,
                EnumSet.noneOf(Colour.class),
                EnumSet.of(Colour.GREEN),
                EnumSet.allOf(TimeUnit.class),
                new Circle(2),
                new Square(1.5f, Colour.GREEN),
                new Node(1, new Node(2, null)),
                new Job(
                        7,
                        List.of(new Item("a", 1), new Item("b", new ArrayList<>(List.of(Map.of("k", Colour.RED)))))));
    }

    static Stream<Object> unmodifiable() {
        Map<Integer, Integer> squares = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            squares.put(i, i * i);
        }
        return Stream.of(
                List.of(),
                List.of(1),
                List.of(1, 2, 3),
                Set.of(),
                Set.of(1),
                Set.of(1, 2, 3),
                Map.of(),
                Map.of(1, 2),
                Map.of("a", 7, "b", 3.14),
                Map.of(1, 2, 3, 4, 5, 6),
                Map.copyOf(squares),
                Arrays.asList(1, null),
                Stream.of(1, null).toList(),
                Collections.unmodifiableList(new LinkedList<>(List.of(1))),
                Collections.emptyMap(),
                new ArrayList<>(List.of(1, 2, 3)).subList(1, 2),
                new TreeMap<>(squares).headMap(5),
                squares.keySet(),
                new ConcurrentHashMap<>(squares),
                new EnumMap<>(Colour.class));
    }

    @ParameterizedTest
    @MethodSource("scalars")
    void scalarsArriveEqual(Object value) {
        assertThat(RoundTrip.of(value)).isEqualTo(value).hasSameClassAs(value);
    }

    @ParameterizedTest
    @MethodSource("arrays")
    void arraysKeepTheirElementType(Object value) {
        Object arrived = RoundTrip.of(value);
        assertThat(arrived).hasSameClassAs(value);
        assertThat(Arrays.deepEquals(new Object[] {arrived}, new Object[] {value}))
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("sameClass")
    void wellKnownClassesArePreserved(Object value) {
        assertThat(RoundTrip.of(value)).isEqualTo(value).hasSameClassAs(value);
    }

    @ParameterizedTest
    @MethodSource("unmodifiable")
    void otherCollectionsArriveUnmodifiableAndEqual(Object value) {
        Object arrived = RoundTrip.of(value);
        assertThat(arrived).isEqualTo(value);
        if (arrived instanceof Collection<?> collection) {
            assertThatThrownBy(collection::clear).isInstanceOf(UnsupportedOperationException.class);
        } else {
            assertThatThrownBy(((Map<?, ?>) arrived)::clear).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void aVarargsRecordArrivesWithTheSameArray() {
        for (Object[] all : new Object[][] {{}, {"p"}, {"p", "q"}, {new Object[] {"p"}}, {null, null}, null}) {
            Objects arrived = RoundTrip.of(new Objects(all), Objects.class);
            assertThat(Arrays.deepEquals(arrived.all(), all)).isTrue();
        }
        for (int[] all : new int[][] {{}, {1}, {1, 2, 3}, null}) {
            assertThat(RoundTrip.of(new Numbers(all), Numbers.class).all()).isEqualTo(all);
        }
        Named arrived = RoundTrip.of(new Named("n", List.of("a"), List.of()), Named.class);
        assertThat(arrived.name()).isEqualTo("n");
        assertThat(arrived.lists()).containsExactly(List.of("a"), List.of());
    }

    record ColourCounts(EnumMap<Colour, Integer> byColour) {}

    @Test
    void anEmptyEnumMapOfARecordHasTheTypeOfItsKeysFromThere() {
        EnumMap<Colour, Integer> map = RoundTrip.of(new ColourCounts(new EnumMap<>(Colour.class)), ColourCounts.class)
                .byColour();
        map.put(Colour.GREEN, 2);
        assertThat(RoundTrip.of(new ColourCounts(map), ColourCounts.class).byColour())
                .isEqualTo(map);
        Object deepest = new ColourCounts(new EnumMap<>(Colour.class));
        for (int i = 2; i < ObjectCodec.MAX_DEPTH; i++) deepest = new Item("", deepest);
        assertThat(RoundTrip.of(deepest)).isEqualTo(deepest);
        Object tooDeep = new Item("", deepest);
        assertThatThrownBy(() -> RoundTrip.of(tooDeep)).hasMessageContaining("nested more than 500 levels deep");
    }

    @Test
    void nullTravelsAsAnyType() {
        assertThat(RoundTrip.of(null, String.class)).isNull();
    }

    @Test
    void orderSurvives() {
        Map<String, Integer> map = new LinkedHashMap<>();
        map.put("z", 1);
        map.put("a", 2);
        Map<?, ?> arrived = RoundTrip.of(Collections.unmodifiableMap(map), Map.class);
        assertThat(List.copyOf(arrived.keySet())).isEqualTo(List.of("z", "a"));
        ArrayDeque<?> deque = RoundTrip.of(new ArrayDeque<>(List.of(3, 1, 2)), ArrayDeque.class);
        assertThat(List.copyOf(deque)).isEqualTo(List.of(3, 1, 2));
    }

    @Test
    void sharedReferencesArriveAsCopies() {
        List<Integer> shared = new ArrayList<>(List.of(1));
        List<?> arrived = RoundTrip.of(List.of(shared, shared), List.class);
        assertThat(arrived.get(0)).isEqualTo(shared).isNotSameAs(arrived.get(1));
    }

    @Test
    void primitiveTypesStandForTheirBoxes() {
        assertThat(RoundTrip.of(5, int.class)).isEqualTo(5);
    }

    @Test
    void deepestValueFitsTheDefaultStack() throws Exception {
        Node chain = null;
        for (int i = 0; i < ObjectCodec.MAX_DEPTH; i++) {
            chain = new Node(i, chain);
        }
        Node sent = chain;
        int[] length = new int[1];
        Thread thread = new Thread(
                null,
                () -> {
                    for (Node n = RoundTrip.of(sent, Node.class); n != null; n = n.next()) {
                        length[0]++;
                    }
                },
                "default stack",
                1 << 20);
        thread.start();
        thread.join();
        assertThat(length[0]).isEqualTo(ObjectCodec.MAX_DEPTH);
    }

    @Test
    void manyClassesAndLargeValuesInOneMessage() {
        List<Object> value = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            value.add(new Square(i, Colour.RED));
            value.add(new double[i % 300]);
            value.add("s".repeat(i % 200));
        }
        List<?> arrived = RoundTrip.of(value, List.class);
        assertThat(arrived).hasSameSizeAs(value);
        for (int i = 0; i < value.size(); i++) {
            assertThat(Arrays.deepEquals(new Object[] {arrived.get(i)}, new Object[] {value.get(i)}))
                    .isTrue();
        }
    }

    @Test
    void messageMayHaveAnyOffsetInASegment() {
        byte[] message = RoundTrip.bytes(List.of("x", 1));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(message.length + 10L);
            MemorySegment.copy(MemorySegment.ofArray(message), 0, segment, 3, message.length);
            assertThat(new ObjectCodec().decode(segment, 3, message.length, Object.class))
                    .isEqualTo(List.of("x", 1));
        }
    }

    @Test
    void aCodecIsGoodForManyMessagesAlsoAfterAnError() {
        ObjectCodec codec = new ObjectCodec();
        for (int i = 0; i < 100; i++) {
            Object bad = List.of(new Circle(i), new Object());
            assertThatThrownBy(() -> codec.encode(bad)).isInstanceOf(CodecException.class);
            long bytes = codec.encode(new Circle(i));
            assertThatThrownBy(() -> codec.decode(codec.first(), 0, bytes - 1, Circle.class))
                    .isInstanceOf(CodecException.class);
            assertThat(codec.decode(codec.first(), 0, bytes, Circle.class)).isEqualTo(new Circle(i));
        }
    }

    @Test
    void collectionsOfOtherLibrariesArriveAsThoseOfJavaUtil() {
        List<Integer> list = new AbstractList<>() {
            @Override
            public Integer get(int i) {
                return i * i;
            }

            @Override
            public int size() {
                return 3;
            }
        };
        Set<String> set = new LinkedHashSet<>(List.of("b", "a")) {};
        Map<String, Object> map = new TreeMap<>(Comparator.reverseOrder()) {};
        map.put("a", list);
        map.put("b", set);
        for (Object value : List.of(list, set, map, new ArrayList<>(list) {})) {
            Object arrived = RoundTrip.of(value);
            assertThat(arrived).isEqualTo(value);
            assertThat(arrived.getClass().getModule()).isSameAs(Object.class.getModule());
        }
        assertThat(List.copyOf(((Map<?, ?>) RoundTrip.of(map)).keySet())).isEqualTo(List.of("b", "a"));
    }
}
