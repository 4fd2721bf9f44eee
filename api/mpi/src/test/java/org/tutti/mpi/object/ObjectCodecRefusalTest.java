package org.tutti.mpi.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArraySet;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.tutti.mpi.object.RoundTrip.Circle;
import org.tutti.mpi.object.RoundTrip.Colour;
import org.tutti.mpi.object.RoundTrip.Item;
import org.tutti.mpi.object.RoundTrip.Job;
import org.tutti.mpi.object.RoundTrip.Node;

/// The message for an unsupported value contains the path to it and an alternative.
class ObjectCodecRefusalTest {
    private static final String TRAVELS =
            "; supported: null, strings, boxed primitives, arrays, lists, sets and maps, Optional,"
                    + " BigInteger, BigDecimal,"
                    + " UUID, dates and times without a zone, and records and enums of the program";

    record Nosy(int value) {
        @Override
        public int value() {
            throw new IllegalStateException("not today");
        }
    }

    record Talkative(int value) {
        static final ObjectCodec CODEC = new ObjectCodec();

        @Override
        public int value() {
            CODEC.encode("hello");
            return value;
        }
    }

    private static AbstractThrowableAssert<?, ?> sending(Object value) {
        return assertThatThrownBy(() -> Talkative.CODEC.encode(value)).isInstanceOf(CodecException.class);
    }

    private static AbstractThrowableAssert<?, ?> receiving(Object value, Class<?> expected) {
        return assertThatThrownBy(() -> RoundTrip.of(value, expected)).isInstanceOf(CodecException.class);
    }

    @Test
    void namesTheClassAndThePathToIt() {
        Item good = new Item("x", 1);
        Item bad = new Item("y", Thread.currentThread());
        sending(new Job(1, List.of(good, good, good, bad)))
                .hasMessage("Job.items[3].handler: java.lang.Thread cannot be sent" + TRAVELS);
        sending(new Object()).hasMessage("java.lang.Object cannot be sent" + TRAVELS);
        sending(Map.of("key", List.of(new StringBuilder())))
                .hasMessage("Map[\"key\"][0]: java.lang.StringBuilder cannot be sent" + TRAVELS);
        sending(new Object[] {null, new Object()}).hasMessage("Object[1]: java.lang.Object cannot be sent" + TRAVELS);
        sending(new Thread[0]).hasMessage("java.lang.Thread[] cannot be sent" + TRAVELS);
    }

    @Test
    void rejectsUnknownCollections() {
        String copy = " cannot be sent; copy it into a collection of java.util, for example with List.copyOf";
        sending(new PriorityQueue<>()).hasMessage("java.util.PriorityQueue" + copy);
        sending(new IdentityHashMap<>()).hasMessage("java.util.IdentityHashMap" + copy);
        sending(new ArrayDeque<>() {}).hasMessage(getClass().getName() + "$1" + copy);
    }

    private static Set<Object> identitySet(Object... elements) {
        Set<Object> set = Collections.newSetFromMap(new IdentityHashMap<>());
        Collections.addAll(set, elements);
        return set;
    }

    @Test
    void refusesCollectionsThatCompareByIdentityAlsoInWrappers() {
        Set<Object> texts = identitySet(1, new String("x"), new String("x"));
        IdentityHashMap<Object, Object> map = new IdentityHashMap<>();
        map.put(new Circle(1), "one");
        map.put(new Circle(1), "another");
        Comparator<Object> byIdentity = Comparator.comparing(System::identityHashCode);
        Set<Object> sorted = new ConcurrentSkipListSet<>(byIdentity);
        sorted.add(new String("x"));
        for (Set<?> set : List.of(
                texts,
                identitySet(List.of("a")),
                identitySet(1000),
                Collections.unmodifiableSet(texts),
                Collections.synchronizedSet(Collections.checkedSet(texts, Object.class)),
                map.keySet(),
                sorted)) {
            sending(new Item("s", set))
                    .hasMessage("Item.handler: " + set.getClass().getName() + " does not compare elements by"
                            + " equals and cannot be sent, because identity is not preserved; copy it into a"
                            + " LinkedHashSet"
                            + " or a list");
        }
        sending(Collections.unmodifiableMap(map))
                .hasMessageStartingWith("java.util.Collections$UnmodifiableMap does not compare keys by equals")
                .hasMessageEndingWith("copy it into a LinkedHashMap or a list");
    }

    @Test
    void acceptsCollectionsInWrappersThatCompareByEquals() {
        for (Object value : List.of(
                identitySet(),
                identitySet(Colour.RED, Colour.GREEN, true, 7),
                Collections.unmodifiableSet(new HashSet<>(Arrays.asList(null, "x"))),
                Collections.unmodifiableSet(EnumSet.allOf(Colour.class)),
                new ConcurrentHashMap<>(Map.of("a", true)).keySet(),
                new CopyOnWriteArraySet<>(List.of(List.of("deep"))),
                new ConcurrentSkipListSet<>(List.of("b", "a")).descendingSet(),
                new TreeMap<>(Map.of("k", 1)).descendingMap(),
                Collections.checkedMap(new HashMap<>(Map.of(new Circle(2), 1)), Circle.class, Integer.class),
                System.getenv())) {
            assertThat(RoundTrip.of(value)).isEqualTo(value);
        }
        // an array is equal only to itself, so a copy of it cannot be found
        Set<?> arrays = RoundTrip.of(Collections.unmodifiableSet(new HashSet<>(List.of(new int[1]))), Set.class);
        assertThat(arrays).hasSize(1);
    }

    @Test
    void elementsThatHaveBecomeEqualAreAnErrorAndNotLost() {
        Set<List<Integer>> set = new HashSet<>();
        List<Integer> first = new ArrayList<>();
        set.add(first);
        set.add(List.of(1));
        first.add(1);
        receiving(set, Object.class).hasMessageContaining("contains equal elements in a set of 2");
        Map<List<Integer>, Integer> map = new HashMap<>();
        first.clear();
        map.put(first, 1);
        map.put(List.of(1), 2);
        first.add(1);
        receiving(map, Object.class).hasMessageContaining("contains equal keys in a map of 2");
    }

    @Test
    void codeOfACollectionThatFailsIsTheCause() {
        List<Integer> base = new ArrayList<>(List.of(1, 2, 3));
        List<Integer> part = base.subList(0, 2);
        base.add(4);
        sending(new Item("view", part))
                .hasMessage("Item.handler: java.util.ArrayList$SubList was changed concurrently during the"
                        + " send, or is a view of a changed collection");
        sending(Collections.nCopies(Integer.MAX_VALUE, null))
                .hasMessage("List: holds 2147483647 elements, more than the 2147483639 that can be received");
        sending(Collections.unmodifiableList(new AbstractList<>() {
                    @Override
                    public Object get(int i) {
                        throw new AssertionError("computed too late");
                    }

                    @Override
                    public int size() {
                        return 1;
                    }
                }))
                .hasMessageContaining("java.lang.AssertionError: computed too late");
    }

    record Old(Vector<Integer> numbers) {}

    record Sorted(SortedMap<String, Integer> map) {}

    record Copied(Cloneable value) {}

    record Nothing(EnumSet<Never> none) {}

    enum Never {}

    @Test
    void rejectsAComponentThatCannotHoldTheArrivingClass() {
        sending(new Old(new Vector<>(List.of(1))))
                .hasMessage("Old.numbers: java.util.Vector arrives as an unmodifiable List, which is not assignable"
                        + " to java.util.Vector;"
                        + " declare a java.util.List or copy it into a preserved class, such as"
                        + " ArrayList, LinkedHashSet or TreeMap");
        sending(new Sorted(Collections.unmodifiableSortedMap(new TreeMap<>(Map.of("a", 1)))))
                .hasMessageStartingWith(
                        "Sorted.map: java.util.Collections$UnmodifiableSortedMap arrives as an unmodifiable"
                                + " Map, which is not assignable to java.util.SortedMap");
        sending(new Copied(new Vector<>())).hasMessageContaining("which is not assignable to java.lang.Cloneable");
        sending(new Nothing(EnumSet.noneOf(Never.class)))
                .hasMessageContaining("Set, which is not assignable to java.util.EnumSet");
        sending(new SortedSet<?>[] {new TreeSet<>(), new ConcurrentSkipListSet<>()})
                .hasMessageStartingWith(
                        "SortedSet[1]: java.util.concurrent.ConcurrentSkipListSet arrives as an unmodifiable Set");
        Sorted sorted = new Sorted(new TreeMap<>(Map.of("a", 1)));
        assertThat(RoundTrip.of(sorted)).isEqualTo(sorted);
        Copied copied = new Copied(new HashMap<>(Map.of("a", 1)));
        assertThat(RoundTrip.of(copied)).isEqualTo(copied);
    }

    record Strict(int value) {
        Strict {
            if (Thread.currentThread().getName().equals("strict")) throw new AssertionError("value=" + value);
        }
    }

    @Test
    void anErrorOfAConstructorIsThatOfTheMessage() throws Exception {
        byte[] message = RoundTrip.bytes(new Strict(3));
        Throwable[] why = new Throwable[1];
        Thread strict = new Thread(() -> why[0] = catchThrowable(() -> RoundTrip.receive(message)), "strict");
        strict.start();
        strict.join();
        assertThat(why[0])
                .isInstanceOf(CodecException.class)
                .hasMessageContaining(
                        "the constructor of " + Strict.class.getName() + " threw java.lang.AssertionError: value=3");
    }

    @Test
    void refusesComparatorsBecauseCodeDoesNotTravel() {
        sending(new TreeMap<>(Comparator.reverseOrder()))
                .hasMessage("java.util.TreeMap with a comparator cannot be sent, because code is not transferred;"
                        + " copy it into a"
                        + " LinkedHashMap, which preserves the order");
        assertThat(RoundTrip.of(new TreeSet<>(Comparator.<Integer>naturalOrder())))
                .isEqualTo(new TreeSet<>());
    }

    @Test
    void anObjectThatContainsItselfIsRefusedAtOnce() {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < 1_000_000; i++) {
            list.add(i);
        }
        list.add(list);
        sending(list).hasMessageContaining("contains itself: this java.util.ArrayList is also an enclosing object");
    }

    @Test
    void findsLongCyclesToo() {
        for (int length : new int[] {1, 2, 3, 7, 64, 300}) {
            for (int lead : new int[] {0, 1, 5, 100}) {
                Map<String, Object> last = new HashMap<>();
                Object link = last;
                for (int i = 1; i < length; i++) {
                    link = new Item("link", link);
                }
                last.put("next", link);
                for (int i = 0; i < lead; i++) {
                    link = new Object[] {link};
                }
                sending(link).hasMessageContaining("contains itself");
            }
        }
    }

    @Test
    void refusesChainsThatAreTooLong() {
        Node chain = null;
        for (int i = 0; i <= ObjectCodec.MAX_DEPTH; i++) {
            chain = new Node(i, chain);
        }
        sending(chain)
                .hasMessageStartingWith("Node.next.next.next")
                .hasMessageContaining(" … ")
                .hasMessageEndingWith("is nested more than 500 levels deep; send long chains as a list");
    }

    @Test
    void reportsTheClassThatThrew() {
        sending(List.of(new Nosy(1)))
                .hasMessage("List[0].value: the accessor threw java.lang.IllegalStateException: not today")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void codeOfAValueCannotUseTheCodecThatWritesIt() {
        sending(new Talkative(1))
                .hasMessage("Talkative.value: the accessor threw org.tutti.mpi.object.CodecException: code of a value"
                        + " must not send or receive objects while that value is being sent or received");
        long bytes = Talkative.CODEC.encode("and then it works again");
        assertThat(bytes).isPositive();
    }

    @Test
    void aWrongTypeNamesBoth() {
        receiving(new ArrayList<>(List.of(1, 2, 3)), Map.class)
                .hasMessage("holds a java.util.ArrayList (of 3), not a java.util.Map");
        receiving(List.of(1), ArrayList.class)
                .hasMessage("holds an unmodifiable java.util.List (of 1), not a java.util.ArrayList");
        receiving(new int[5], double[].class).hasMessage("holds an int[] (of 5), not a double[]");
        receiving(1, Long.class).hasMessage("holds a java.lang.Integer, not a java.lang.Long");
        receiving("x", Node.class).hasMessage("holds a java.lang.String, not an org.tutti.mpi.object.RoundTrip$Node");
    }
}
