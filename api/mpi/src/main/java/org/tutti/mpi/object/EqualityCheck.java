package org.tutti.mpi.object;

import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Detects sets and maps that do not compare by `equals`, for example views of an `IdentityHashMap`, because
/// the receiver would lose elements of such collections. A wrapper hides the class of the collection that it
/// wraps, so the check tests whether the collection contains a copy of an element.
final class EqualityCheck {
    /// The maximum number of copies before the collection is accepted. A second copy is needed only if the
    /// first does not equal the copied element.
    private static final int MAX_COPIES = 16;

    /// The codec for copies, which is created lazily. It does not execute this check, because otherwise the
    /// cost would double with each level of nested sets.
    private @Nullable ObjectCodec copier;

    /// Throws a [CodecException] if `set` does not contain an equal copy of an element.
    void check(Set<?> set) {
        if (!comparesByEquals(set, set::contains)) throw Refusal.ofOtherEquality(set);
    }

    /// Throws a [CodecException] if `map` does not contain an equal copy of a key.
    void check(Map<?, ?> map) {
        if (!comparesByEquals(map.keySet(), map::containsKey)) throw Refusal.ofOtherEquality(map);
    }

    void release() {
        if (copier != null) copier.release();
    }

    private boolean comparesByEquals(Set<?> elements, Predicate<@Nullable Object> contains) {
        int copies = 0;
        for (Object element : elements) {
            // identity and equals agree for these objects
            if (element == null || element instanceof Enum || element instanceof Boolean) continue;
            Object copy = copyOf(element);
            // inconclusive for cached objects (the copy is the element) and for arrays (the copy is not equal)
            if (copy != null && copy != element && areEqual(copy, element)) {
                return isIn(copy, contains) || !isIn(element, contains); // element missing: removed concurrently
            }
            if (++copies == MAX_COPIES) break;
        }
        return true;
    }

    @SuppressWarnings("StringCopy") // a distinct object is needed
    private @Nullable Object copyOf(Object element) {
        if (element instanceof String s) return new String(s);
        ObjectCodec codec = copier;
        if (codec == null) copier = codec = new ObjectCodec(null);
        try {
            long bytes = codec.encodeWhole(element);
            return codec.decode(codec.head(), 0, bytes, element.getClass());
        } catch (CodecException e) {
            return null; // rejected later, with the path, or received as a different class
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
            return true; // thrown by a comparator or a class check: not a comparison by identity
        }
    }
}
