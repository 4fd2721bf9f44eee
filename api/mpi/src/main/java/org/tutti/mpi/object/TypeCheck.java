package org.tutti.mpi.object;

import java.lang.invoke.MethodType;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Checks that a value has a parameterized type. The class of a value does not contain the type arguments, so
/// the check covers the elements of collections, arrays and optionals, the keys and values of maps, and the
/// components of records that are declared with a type parameter. Null is accepted for every type.
public abstract sealed class TypeCheck {
    /// A value with a wrong class, and the path to it.
    record Misfit(String path, Object value, Class<?> wanted) {
        Misfit under(String step) {
            return new Misfit(step + path, value, wanted);
        }
    }

    /// The class that is checked first.
    final Class<?> raw;

    private TypeCheck(Class<?> raw) {
        this.raw = raw;
    }

    /// Returns the class of the values.
    public final Class<?> raw() {
        return raw;
    }

    /// Returns the check for a type.
    ///
    /// @throws IllegalArgumentException if the type of a value cannot be checked against `type`
    public static TypeCheck of(Type type) {
        return of(type, Map.of());
    }

    private static TypeCheck of(Type type, Map<TypeVariable<?>, TypeCheck> bound) {
        return switch (type) {
            case Class<?> c -> new Plain(c);
            case WildcardType w -> of(w.getUpperBounds()[0], bound);
            case GenericArrayType a -> new Elements(of(a.getGenericComponentType(), bound));
            case ParameterizedType p -> of(p, bound);
            case TypeVariable<?> v -> {
                TypeCheck known = bound.get(v);
                if (known == null) throw new IllegalArgumentException(v + " is a type variable; name a type");
                yield known;
            }
            default -> throw new IllegalArgumentException(type + " is a type of an unknown kind");
        };
    }

    private static TypeCheck of(ParameterizedType type, Map<TypeVariable<?>, TypeCheck> bound) {
        Class<?> raw = (Class<?>) type.getRawType();
        Type[] arguments = type.getActualTypeArguments();
        List<TypeCheck> parts = Arrays.stream(arguments).map(a -> of(a, bound)).toList();
        if (raw.isRecord()) {
            TypeVariable<?>[] names = raw.getTypeParameters();
            Map<TypeVariable<?>, TypeCheck> own = new HashMap<>();
            for (int i = 0; i < names.length; i++) own.put(names[i], parts.get(i));
            return new Components(raw, own);
        }
        if (parts.size() == 1 && (Iterable.class.isAssignableFrom(raw) || raw == Optional.class)) {
            return new Elements(raw, parts.getFirst());
        }
        if (parts.size() == 2 && Map.class.isAssignableFrom(raw)) {
            return new Entries(raw, parts.getFirst(), parts.getLast());
        }
        if (parts.stream().allMatch(p -> p.raw == Object.class)) return new Plain(raw);
        throw new IllegalArgumentException(raw.getTypeName()
                + " is not a collection, map, optional or record, so the type arguments cannot be checked");
    }

    /// Checks that `value` has this type.
    ///
    /// @throws CodecException with the path to the wrong value
    public final void check(@Nullable Object value) {
        Misfit misfit = find(value);
        if (misfit == null) return;
        throw new CodecException("holds " + ObjectCodec.article(Shape.describe(misfit.value))
                + (misfit.path.isEmpty() ? "" : " at " + misfit.path) + ", not "
                + ObjectCodec.article(misfit.wanted.getTypeName()));
    }

    final @Nullable Misfit find(@Nullable Object value) {
        if (value == null) return null;
        return raw.isInstance(value) ? findIn(value) : new Misfit("", value, raw);
    }

    /// Checks the content of a value that has the right class. Returns null if the content has the right types.
    abstract @Nullable Misfit findIn(Object value);

    private static final class Plain extends TypeCheck {
        Plain(Class<?> raw) {
            super(raw.isPrimitive() ? MethodType.methodType(raw).wrap().returnType() : raw);
        }

        @Override
        @Nullable
        Misfit findIn(Object value) {
            return null;
        }
    }

    /// A collection, an array of references, or an optional.
    private static final class Elements extends TypeCheck {
        private final TypeCheck element;

        Elements(Class<?> raw, TypeCheck element) {
            super(raw);
            this.element = element;
        }

        /// An array.
        Elements(TypeCheck element) {
            this(element.raw.arrayType(), element);
        }

        @Override
        @Nullable
        Misfit findIn(Object value) {
            return switch (value) {
                case Object[] array -> findAmong(Arrays.asList(array));
                case Optional<?> o -> findAmong(o.isEmpty() ? List.of() : List.of(o.get()));
                case Iterable<?> all -> findAmong(all);
                default -> null;
            };
        }

        private @Nullable Misfit findAmong(Iterable<?> all) {
            int i = 0;
            for (Object one : all) {
                Misfit misfit = element.find(one);
                if (misfit != null) return misfit.under("[" + i + "]");
                i++;
            }
            return null;
        }
    }

    private static final class Entries extends TypeCheck {
        private final TypeCheck key, value;

        Entries(Class<?> raw, TypeCheck key, TypeCheck value) {
            super(raw);
            this.key = key;
            this.value = value;
        }

        @Override
        @Nullable
        Misfit findIn(Object map) {
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) map).entrySet()) {
                Misfit misfit = key.find(entry.getKey());
                if (misfit != null) return misfit.under("key " + Refusal.shown(entry.getKey()));
                misfit = value.find(entry.getValue());
                if (misfit != null) return misfit.under("[" + Refusal.shown(entry.getKey()) + "]");
            }
            return null;
        }
    }

    /// A record with type parameters.
    private static final class Components extends TypeCheck {
        private final Map<TypeVariable<?>, TypeCheck> bound;

        /// The checks of the components. Created at the first check and not in the constructor, because a
        /// record may have components of the record's own type.
        private volatile TypeCheck @Nullable [] parts;

        Components(Class<?> raw, Map<TypeVariable<?>, TypeCheck> bound) {
            super(raw);
            this.bound = bound;
        }

        @Override
        @Nullable
        Misfit findIn(Object value) {
            if (!(Shape.of(raw) instanceof OwnShape.OfRecord shape)) return null;
            TypeCheck[] checks = parts;
            if (checks == null) {
                parts = checks = Arrays.stream(raw.getRecordComponents())
                        .map(this::partOf)
                        .toArray(TypeCheck[]::new);
            }
            for (int i = 0; i < checks.length; i++) {
                Misfit misfit = checks[i].find(ObjectWriter.component(value, shape, i));
                if (misfit != null) return misfit.under("." + shape.components[i]);
            }
            return null;
        }

        private TypeCheck partOf(RecordComponent component) {
            Type type = component.getGenericType();
            try {
                return TypeCheck.of(type, bound);
            } catch (IllegalArgumentException e) { // only the class is known
                return new Plain(component.getType());
            }
        }
    }
}
