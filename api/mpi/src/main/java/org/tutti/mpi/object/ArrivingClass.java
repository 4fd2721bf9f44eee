package org.tutti.mpi.object;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The class of a value on arrival can differ from the sender's class. Checks that the declared type of a
/// component or array permits the class on arrival. For example, a `Vector` arrives as an unmodifiable `List`,
/// which a component of type `Vector` cannot hold.
final class ArrivingClass {
    /// Declared types that permit the class on arrival of each of their values.
    private static final Set<Class<?>> WIDE =
            Set.of(Collection.class, Iterable.class, List.class, Set.class, Map.class);

    private static final Object SET = Collections.unmodifiableSet(new LinkedHashSet<>());
    private static final Object MAP = Collections.unmodifiableMap(new LinkedHashMap<>());

    private ArrivingClass() {}

    /// Returns whether a value of the declared type may arrive with a class that is not assignable to that
    /// type.
    static boolean isNarrow(Class<?> declared) {
        if (WIDE.contains(declared)) return false;
        return Collection.class.isAssignableFrom(declared)
                || Map.class.isAssignableFrom(declared)
                || declared == Cloneable.class
                || declared == RandomAccess.class;
    }

    /// Throws a [CodecException] if the class that `value` has on arrival is not assignable to `declared`.
    static void check(@Nullable Object value, Class<?> declared) {
        if (value == null) return;
        Object like = like(value);
        if (like == null || declared.isInstance(like)) return;
        Class<?> general = like instanceof List ? List.class : like instanceof Set ? Set.class : Map.class;
        throw new CodecException(
                value.getClass().getTypeName() + " arrives as an unmodifiable " + general.getSimpleName()
                        + ", which is not assignable to " + declared.getTypeName() + "; declare a"
                        + " " + general.getTypeName()
                        + " or copy it into a preserved class, such as ArrayList, LinkedHashSet or TreeMap");
    }

    /// Returns an object of the class that `value` has on arrival; null if the class is preserved.
    private static @Nullable Object like(Object value) {
        return switch (Shape.of(value.getClass()).tag) {
            case Tag.LIST -> List.of();
            case Tag.SET -> SET;
            case Tag.SET_OF -> Set.of();
            case Tag.MAP -> MAP;
            case Tag.MAP_OF -> Map.of();
            case Tag.ENUM_SET -> hasNoConstants((EnumSet<?>) value) ? SET : null;
            case Tag.ENUM_MAP -> ((Map<?, ?>) value).isEmpty() ? MAP : null;
            default -> null;
        };
    }

    private static boolean hasNoConstants(EnumSet<?> set) {
        return set.isEmpty() && EnumSet.complementOf(set).isEmpty();
    }
}
