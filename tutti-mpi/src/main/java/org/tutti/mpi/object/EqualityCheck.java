package org.tutti.mpi.object;

import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Finds sets and maps that do not compare by `equals`, as those over an `IdentityHashMap`: they would lose elements
/// on the other rank. Wrappers hide what is in them, so the check asks the collection for a copy of one of its
/// elements.
final class EqualityCheck {
    /// Copies that are tried before the collection is accepted. One is enough unless it is not equal to the element.
    private static final int MAX_COPIES = 16;

    /// Made when it is needed. It does not check in its turn: the copies of nested sets would be made again and again.
    private @Nullable ObjectCodec copier;

    /// @throws CodecException if `set` does not contain what is equal to one of its elements
    void check(Set<?> set) {
        if (!comparesByEquals(set, set::contains)) throw Refusal.ofOtherEquality(set);
    }

    /// @throws CodecException if `map` does not contain what is equal to one of its keys
    void check(Map<?, ?> map) {
        if (!comparesByEquals(map.keySet(), map::containsKey)) throw Refusal.ofOtherEquality(map);
    }

    void release() {
        if (copier != null) copier.release();
    }

    private boolean comparesByEquals(Set<?> elements, Predicate<@Nullable Object> contains) {
        int copies = 0;
        for (Object element : elements) {
            // constants are equal to themselves only
            if (element == null || element instanceof Enum || element instanceof Boolean) continue;
            Object copy = copyOf(element);
            // no copy can decide: one from a cache is the element itself, one of an array is equal to nothing
            if (copy != null && copy != element && areEqual(copy, element)) {
                return isIn(copy, contains) || !isIn(element, contains); // the latter after a change by another thread
            }
            if (++copies == MAX_COPIES) break;
        }
        return true;
    }

    @SuppressWarnings("StringCopy") // another object is what is needed
    private @Nullable Object copyOf(Object element) {
        if (element instanceof String s) return new String(s);
        ObjectCodec codec = copier;
        if (codec == null) copier = codec = new ObjectCodec(null);
        try {
            long bytes = codec.encodeWhole(element);
            return codec.decode(codec.head(), 0, bytes, element.getClass());
        } catch (CodecException e) {
            return null; // reported with its path when it is written; or of a class that arrives as another one
        }
    }

    private static boolean areEqual(Object copy, Object element) {
        try {
            return copy.equals(element) && copy.hashCode() == element.hashCode();
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static boolean isIn(Object element, Predicate<@Nullable Object> contains) {
        try {
            return contains.test(element);
        } catch (RuntimeException e) {
            return true; // of a comparator or a set of a single class, which do compare
        }
    }
}
