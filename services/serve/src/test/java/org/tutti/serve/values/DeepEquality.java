package org.tutti.serve.values;

import java.lang.reflect.Array;
import java.lang.reflect.RecordComponent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Compares a received value with the sent value: arrays by elements, lists in order, sets and maps by
/// matching, and additionally by `equals` if it is defined.
final class DeepEquality {
    /// Classes of collections that a received value preserves.
    private static final Set<Class<?>> KEPT = Set.of(
            ArrayList.class,
            LinkedList.class,
            ArrayDeque.class,
            HashSet.class,
            LinkedHashSet.class,
            TreeSet.class,
            HashMap.class,
            LinkedHashMap.class,
            TreeMap.class);

    private final boolean sameClasses;

    /// @param sameClasses whether the classes of these collections are preserved
    DeepEquality(boolean sameClasses) {
        this.sameClasses = sameClasses;
    }

    static boolean isKept(Object value) {
        if (value instanceof EnumSet<?> set)
            return !set.isEmpty() || !EnumSet.complementOf(set).isEmpty();
        if (value instanceof EnumMap<?, ?> map) return !map.isEmpty();
        return KEPT.contains(value.getClass());
    }

    /// Returns a description of the first difference, or null.
    String difference(Object sent, Object received) {
        String where = differ(sent, received, "");
        if (where != null) return where;
        return hasEquals(sent) && !areEqual(sent, received) ? "the values are not equal" : null;
    }

    private static boolean areEqual(Object sent, Object received) {
        try {
            return Objects.equals(sent, received) && Objects.equals(received, sent);
        } catch (ClassCastException e) {
            return true; // from a sorted set that cannot compare the other elements
        }
    }

    /// Returns whether `equals` is defined for each part of the value.
    private static boolean hasEquals(Object value) {
        return switch (value) {
            case null -> true;
            case List<?> l -> l.stream().allMatch(DeepEquality::hasEquals);
            case Queue<?> _ -> false;
            case Collection<?> c -> c.stream().allMatch(DeepEquality::hasEquals);
            case Map<?, ?> m -> hasEquals(m.keySet()) && m.values().stream().allMatch(DeepEquality::hasEquals);
            case Optional<?> o -> hasEquals(o.orElse(null));
            case Record r ->
                r.getClass().getRecordComponents().length <= RecordClasses.MOST_IN_EQUALS
                        && parts(r).stream().allMatch(DeepEquality::hasEquals);
            default -> !value.getClass().isArray();
        };
    }

    private static List<Object> parts(Record record) {
        List<Object> all = new ArrayList<>();
        try {
            for (RecordComponent c : record.getClass().getRecordComponents()) {
                c.getAccessor().setAccessible(true);
                all.add(c.getAccessor().invoke(record));
            }
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
        return all;
    }

    private String differ(Object sent, Object received, String path) {
        if (sent == null || received == null) {
            return sent == received ? null : path + ": " + shown(sent) + " arrived as " + shown(received);
        }
        if (sent instanceof Collection<?> || sent instanceof Map<?, ?>) return differAll(sent, received, path);
        if (sent.getClass() != received.getClass()) {
            return path + ": " + shown(sent) + " arrived as " + shown(received);
        }
        if (sent.getClass().isArray()) {
            int length = Array.getLength(sent);
            if (Array.getLength(received) != length) return path + ": different length";
            for (int i = 0; i < length; i++) {
                String where = differ(Array.get(sent, i), Array.get(received, i), path + "[" + i + "]");
                if (where != null) return where;
            }
            return null;
        }
        if (sent instanceof Optional<?> o) {
            return differ(o.orElse(null), ((Optional<?>) received).orElse(null), path + ".get()");
        }
        if (sent instanceof Record r) {
            return inOrder(
                    parts(r),
                    parts((Record) received),
                    path + "." + r.getClass().getSimpleName());
        }
        return sent.equals(received) ? null : path + ": " + shown(sent) + " arrived as " + shown(received);
    }

    private String differAll(Object sent, Object received, String path) {
        String to = path + ": " + shown(sent) + " arrived as " + shown(received);
        if (sameClasses && isKept(sent) && sent.getClass() != received.getClass()) return to;
        if (sent instanceof Map<?, ?> map) {
            if (!(received instanceof Map<?, ?> other) || map.size() != other.size()) return to;
            return matching(new ArrayList<>(map.entrySet()), new ArrayList<>(other.entrySet()), path);
        }
        Collection<?> all = (Collection<?>) sent;
        if (!(received instanceof Collection<?> others) || all.size() != others.size()) return to;
        if (sent instanceof Set<?>) {
            return received instanceof Set<?> ? matching(new ArrayList<>(all), new ArrayList<>(others), path) : to;
        }
        if (sent instanceof List<?> != received instanceof List<?>) return to;
        return inOrder(all, others, path);
    }

    private String inOrder(Collection<?> sent, Collection<?> received, String path) {
        Iterator<?> other = received.iterator();
        int i = 0;
        for (Object each : sent) {
            String where = differ(each, other.next(), path + "[" + i++ + "]");
            if (where != null) return where;
        }
        return null;
    }

    /// Assigns a received element to each sent element. An element may equal several received elements, because
    /// the class of some collections is not compared; in this case, an earlier assignment may have to be
    /// changed.
    private String matching(List<?> sent, List<?> received, String path) {
        int[] senders = new int[received.size()];
        Arrays.fill(senders, -1);
        for (int i = 0; i < sent.size(); i++) {
            if (!assign(i, sent, received, senders, new boolean[senders.length]))
                return path + ": " + shown(sent.get(i)) + " has not arrived";
        }
        return null;
    }

    /// Assigns a received element to the sent element `i`: if possible, the received element at the same
    /// position. Updates `visited`, and `senders`, which contains the index of the assigned sent element for
    /// each received element.
    private boolean assign(int i, List<?> sent, List<?> received, int[] senders, boolean[] visited) {
        for (int k = 0; k < senders.length; k++) {
            int at = (i + k) % senders.length;
            if (visited[at] || !isSame(sent.get(i), received.get(at))) continue;
            visited[at] = true;
            if (senders[at] < 0 || assign(senders[at], sent, received, senders, visited)) {
                senders[at] = i;
                return true;
            }
        }
        return false;
    }

    private boolean isSame(Object sent, Object received) {
        if (sent instanceof Map.Entry<?, ?> entry) {
            Map.Entry<?, ?> other = (Map.Entry<?, ?>) received;
            return differ(entry.getKey(), other.getKey(), "") == null
                    && differ(entry.getValue(), other.getValue(), "") == null;
        }
        return differ(sent, received, "") == null;
    }

    private static String shown(Object value) {
        if (value == null) return "null";
        String text = value instanceof Collection<?> c
                ? "of " + c.size()
                : value instanceof Map<?, ?> m ? "of " + m.size() : String.valueOf(value);
        return value.getClass().getTypeName() + " (" + (text.length() > 60 ? text.substring(0, 60) + "…" : text) + ")";
    }
}
