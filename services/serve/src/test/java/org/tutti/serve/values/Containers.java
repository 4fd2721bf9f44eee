package org.tutti.serve.values;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.RandomAccess;
import java.util.Set;
import java.util.Stack;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tutti.serve.values.ValueSource.Outcome;

/// Factories of JDK lists, queues, sets and maps, with wrappers, views and every kind of equality.
final class Containers {
    /// Constraint on the elements.
    private enum Need {
        ANYTHING,
        NO_NULL,
        TEXTS
    }

    private record Maker<A>(Need need, Outcome outcome, Function<A, Object> make) {}

    private static <A> Maker<A> any(Function<A, Object> make) {
        return new Maker<>(Need.ANYTHING, Outcome.TRAVELS, make);
    }

    private static <A> Maker<A> noNull(Function<A, Object> make) {
        return new Maker<>(Need.NO_NULL, Outcome.TRAVELS, make);
    }

    private static <A> Maker<A> texts(Function<A, Object> make) {
        return new Maker<>(Need.TEXTS, Outcome.TRAVELS, make);
    }

    private static <A> Maker<A> refused(Need need, Function<A, Object> make) {
        return new Maker<>(need, Outcome.REFUSED, make);
    }

    private static final List<Maker<List<Object>>> COLLECTIONS = List.of(
            any(ArrayList::new),
            any(LinkedList::new),
            any(e -> Arrays.asList(e.toArray())),
            any(Collections::unmodifiableList),
            any(Collections::synchronizedList),
            any(e -> Collections.checkedList(e, Object.class)),
            any(Vector::new),
            any(CopyOnWriteArrayList::new),
            any(e -> new ArrayList<>(e).reversed()),
            any(e -> new LinkedList<>(e).reversed()),
            any(e -> e.stream().toList()),
            any(e -> Collections.nCopies(e.size() + 1, e.isEmpty() ? null : e.getFirst())),
            any(e -> Collections.singletonList(e.isEmpty() ? null : e.getFirst())),
            any(e -> new ArrayList<>(e).subList(0, e.size() / 2)),
            any(e -> {
                Stack<Object> stack = new Stack<>();
                stack.addAll(e);
                return stack;
            }),
            noNull(List::copyOf),
            noNull(ArrayDeque::new),
            refused(Need.NO_NULL, e -> new ArrayDeque<>(e).reversed()),
            refused(Need.NO_NULL, ConcurrentLinkedDeque::new),
            refused(Need.TEXTS, PriorityQueue::new),
            any(e -> new ArrayList<>(e) {}), // arrives as a list of the JDK
            any(HashSet::new),
            any(LinkedHashSet::new),
            any(e -> Collections.unmodifiableSet(new LinkedHashSet<>(e))),
            any(e -> Collections.synchronizedSet(new HashSet<>(e))),
            any(e -> Collections.checkedSet(new HashSet<>(e), Object.class)),
            any(e -> Collections.unmodifiableSequencedSet(new LinkedHashSet<>(e))),
            any(e -> new LinkedHashSet<>(e).reversed()),
            any(CopyOnWriteArraySet::new),
            any(e -> keys(new HashMap<>(), e).keySet()),
            any(e -> keys(new LinkedHashMap<>(), e).sequencedKeySet()),
            any(e -> filled(Collections.newSetFromMap(new WeakHashMap<>()), e)),
            any(e -> Collections.singleton(e.isEmpty() ? null : e.getFirst())),
            any(_ -> Collections.emptySet()),
            any(_ -> Collections.emptyNavigableSet()),
            noNull(Set::copyOf),
            noNull(e -> e.stream().collect(Collectors.toUnmodifiableSet())),
            noNull(e -> filled(ConcurrentHashMap.newKeySet(), e)),
            noNull(e -> filled(Collections.newSetFromMap(new ConcurrentHashMap<>()), e)),
            texts(TreeSet::new),
            refused(Need.TEXTS, e -> new TreeSet<>(e).descendingSet()), // a TreeSet with a different comparator
            texts(e -> Collections.unmodifiableSortedSet(new TreeSet<>(e))),
            texts(e -> new ConcurrentSkipListSet<>(e)),
            texts(e -> keys(new TreeMap<>(), e).navigableKeySet()),
            texts(e -> filled(new ConcurrentSkipListSet<>(Collections.reverseOrder()), e)),
            refused(Need.TEXTS, e -> filled(new TreeSet<>(Collections.reverseOrder()), e)),
            refused(Need.TEXTS, e -> filled(Collections.newSetFromMap(new IdentityHashMap<>()), twice(e))),
            refused(Need.TEXTS, e -> keys(new IdentityHashMap<>(), twice(e)).keySet()),
            refused(
                    Need.TEXTS,
                    e -> Collections.unmodifiableSet(
                            filled(Collections.newSetFromMap(new IdentityHashMap<>()), twice(e)))));

    private static final List<Maker<Map<Object, Object>>> MAPS = List.of(
            any(HashMap::new),
            any(LinkedHashMap::new),
            any(m -> {
                Map<Object, Object> byAccess = new LinkedHashMap<>(16, 0.75f, true);
                byAccess.putAll(m);
                return byAccess;
            }),
            any(Collections::unmodifiableMap),
            any(Collections::synchronizedMap),
            any(m -> Collections.checkedMap(m, Object.class, Object.class)),
            any(m -> new LinkedHashMap<>(m).reversed()),
            any(m -> Collections.unmodifiableSequencedMap(new LinkedHashMap<>(m))),
            any(WeakHashMap::new),
            any(m -> m.isEmpty() ? Collections.singletonMap(null, null) : first(m)),
            any(_ -> Collections.emptyMap()),
            noNull(Map::copyOf),
            noNull(Hashtable::new),
            noNull(ConcurrentHashMap::new),
            texts(TreeMap::new),
            texts(m -> new TreeMap<>(m).descendingMap()),
            texts(m -> new TreeMap<>(m).headMap("m")),
            texts(m -> Collections.unmodifiableNavigableMap(new TreeMap<>(m))),
            texts(ConcurrentSkipListMap::new),
            refused(Need.TEXTS, m -> {
                Map<Object, Object> sorted = new TreeMap<>(Collections.reverseOrder());
                sorted.putAll(m);
                return sorted;
            }),
            refused(Need.ANYTHING, IdentityHashMap::new),
            refused(
                    Need.TEXTS,
                    m -> Collections.unmodifiableMap(
                            (Map<?, ?>) keys(new IdentityHashMap<>(), twice(new ArrayList<>(m.keySet()))))));

    private Containers() {}

    /// Returns whether a collection in a component of this type may arrive as a class that the component cannot
    /// hold.
    static boolean isNarrow(Class<?> type) {
        if (type == Cloneable.class || type == RandomAccess.class) return true;
        return (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type))
                && !List.of(Collection.class, List.class, Set.class, Map.class).contains(type);
    }

    private static <C extends Collection<Object>> C filled(C collection, List<Object> elements) {
        collection.addAll(elements);
        return collection;
    }

    private static <M extends Map<Object, Object>> M keys(M map, List<Object> keys) {
        for (Object key : keys) map.put(key, Boolean.TRUE);
        return map;
    }

    private static Map<Object, Object> first(Map<Object, Object> map) {
        Map.Entry<Object, Object> first = map.entrySet().iterator().next();
        return Collections.singletonMap(first.getKey(), first.getValue());
    }

    /// Returns two distinct but equal strings for each text.
    @SuppressWarnings("StringCopy") // distinct objects are needed
    private static List<Object> twice(List<Object> texts) {
        List<Object> all = new ArrayList<>();
        for (Object text : texts.isEmpty() ? List.of("t") : texts) {
            all.add(new String((String) text));
            all.add(new String((String) text));
        }
        return all;
    }

    /// Returns null if a sorted set throws because it cannot compare an element.
    private static <A> Object made(Maker<A> maker, A from) {
        try {
            return maker.make.apply(from);
        } catch (ClassCastException e) {
            return null;
        }
    }

    static Object collection(ValueSource source, Class<?> type, List<Object> elements) {
        for (int tries = 0; tries < 60; tries++) {
            Maker<List<Object>> maker = source.one(COLLECTIONS);
            if (!isNeeded(maker.need, elements)) continue;
            Object value = made(maker, new ArrayList<>(elements));
            if (!type.isInstance(value)) continue;
            source.is(maker.outcome);
            return value;
        }
        return null;
    }

    static Object map(ValueSource source, Class<?> type, List<Object> keys, List<Object> values) {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) map.put(keys.get(i), values.get(i));
        for (int tries = 0; tries < 60; tries++) {
            Maker<Map<Object, Object>> maker = source.one(MAPS);
            if (!isNeeded(maker.need, keys) || maker.need != Need.ANYTHING && values.contains(null)) continue;
            Object value = made(maker, new LinkedHashMap<>(map));
            if (!type.isInstance(value)) continue;
            source.is(maker.outcome);
            return value;
        }
        return null;
    }

    private static boolean isNeeded(Need need, List<Object> elements) {
        return switch (need) {
            case ANYTHING -> true;
            case NO_NULL -> !elements.contains(null);
            case TEXTS -> elements.stream().allMatch(e -> e instanceof String);
        };
    }
}
