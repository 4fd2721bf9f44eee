package org.tutti.mpi;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The attributes of a communicator on this rank, in insertion order. Copiers and deleters may access the
/// attributes, because they are called by the thread that holds this object's monitor.
final class Attributes {
    private final Communicator owner;
    private final LinkedHashMap<AttributeKey<?>, Object> values = new LinkedHashMap<>();

    Attributes(Communicator owner) {
        this.owner = owner;
    }

    synchronized <T> @Nullable T get(AttributeKey<T> key) {
        Arguments.given("attribute", "key", key);
        return value(values.get(key));
    }

    /// Stores a value. The previous value is deleted first; if the deleter throws an exception, the previous
    /// value remains.
    synchronized <T> void put(AttributeKey<T> key, T value) {
        Arguments.given("attribute", "key", key);
        remove(key);
        values.put(key, value);
    }

    synchronized <T> @Nullable T remove(AttributeKey<T> key) {
        Arguments.given("attribute", "key", key);
        T old = get(key);
        if (old == null) return null;
        key.delete(owner, old);
        values.remove(key);
        return old;
    }

    /// Returns the attributes for a copy of the communicator.
    synchronized Map<AttributeKey<?>, Object> copies() {
        Map<AttributeKey<?>, Object> copies = new LinkedHashMap<>();
        for (AttributeKey<?> key : values.keySet().toArray(AttributeKey<?>[]::new)) {
            Object copy = copy(key);
            if (copy != null) copies.put(key, copy);
        }
        return copies;
    }

    private <T> @Nullable T copy(AttributeKey<T> key) {
        T value = get(key);
        return value == null ? null : key.copy(owner, value);
    }

    /// Sets the initial attributes of a copy of a communicator.
    synchronized void take(Map<AttributeKey<?>, Object> copies) {
        values.putAll(copies);
    }

    /// Deletes all attributes, even if a deleter throws an exception.
    ///
    /// @throws RuntimeException the first exception that a deleter has thrown
    synchronized void clear() {
        RuntimeException first = null;
        while (!values.isEmpty()) {
            AttributeKey<?> last = values.lastEntry().getKey();
            try {
                remove(last);
            } catch (RuntimeException e) {
                values.remove(last);
                if (first == null) first = e;
                else first.addSuppressed(e);
            }
        }
        if (first != null) throw first;
    }

    /// Casts a stored value. The cast is safe, because only a `T` can be stored under a key of `T`.
    @SuppressWarnings("unchecked")
    private static <T> @Nullable T value(@Nullable Object kept) {
        return (T) kept;
    }
}
