package org.tutti.mpi;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.object.CodecException;
import org.tutti.mpi.object.TypeCheck;

/// A type with type parameters, for a receive of objects that is to return it: made as an anonymous class,
/// in which the compiler writes down what it stands for.
///
///     static final ObjectType<List<Task>> TASKS = new ObjectType<>() {};
///     …
///     List<Task> tasks = world.recvObject(TASKS, 0);
///
/// What is received is looked at as a whole: the elements of collections, arrays and optionals, the keys
/// and values of maps, and components of records that are type parameters. What is something else is
/// `ERR_TYPE` there, with the place, where a cast would fail much later. Null is of every type. Where there
/// are no type parameters, a class says the same. Immutable; one object serves all threads.
///
/// @param <T> the type of the object
public abstract class ObjectType<T> {
    private static final ClassValue<ObjectType<?>> PLAIN = new ClassValue<>() {
        @Override
        protected ObjectType<?> computeValue(Class<?> type) {
            return new OfClass<>(type);
        }
    };

    private final Type type;
    private final TypeCheck check;

    /// Reads what `T` stands for from the class declaration that extends this one. Local.
    ///
    /// @throws MpiException `ERR_TYPE` when `T` is not written there, or is a type variable, or when values
    ///     do not show whether they are a `T`: `Supplier<String>` for instance
    protected ObjectType() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType p) || p.getRawType() != ObjectType.class) {
            throw unknown(getClass().getName()
                    + " does not say which type it stands for; write new ObjectType<List<Task>>() {}");
        }
        type = p.getActualTypeArguments()[0];
        try {
            check = TypeCheck.of(type);
        } catch (IllegalArgumentException e) {
            throw unknown(type.getTypeName() + " cannot be checked: " + e.getMessage());
        }
    }

    private ObjectType(Class<?> type) {
        this.type = type;
        check = TypeCheck.of(type);
    }

    /// That of a class, which costs nothing to ask for again.
    static final class OfClass<T> extends ObjectType<T> {
        private OfClass(Class<?> type) {
            super(type);
        }
    }

    @SuppressWarnings("unchecked") // as it was computed
    static <T> ObjectType<T> of(Class<T> type) {
        Arguments.given("ObjectType.of", "type", type);
        return (ObjectType<T>) PLAIN.get(type);
    }

    private static MpiException unknown(String detail) {
        return MpiException.argument(ErrorClass.ERR_TYPE, "ObjectType", detail, null);
    }

    Class<?> raw() {
        return check.raw();
    }

    /// A value that came, as one of this type.
    ///
    /// @throws CodecException when it is none
    @SuppressWarnings("unchecked") // just checked
    @Nullable
    T checked(@Nullable Object value) {
        check.check(value);
        return (T) value;
    }

    /// Without packages, for texts.
    String shown() {
        return type instanceof Class<?> c
                ? c.getSimpleName()
                : type.getTypeName().replaceAll("(\\w+[.$])+", "");
    }

    /// The type, as Java writes it.
    @Override
    public String toString() {
        return type.getTypeName();
    }
}
