package org.tutti.mpi;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.object.CodecException;
import org.tutti.mpi.object.TypeCheck;

/// A type with type arguments, used to receive objects. Create it as an anonymous class, because only a class
/// declaration contains the type arguments at run time.
///
///     static final ObjectType<List<Task>> TASKS = new ObjectType<>() {};
///     …
///     List<Task> tasks = world.recvObject(TASKS, 0);
///
/// The received object is checked completely: the elements of collections, arrays and optionals, the keys and
/// values of maps, and the components of records declared with a type parameter. A wrong type is reported
/// immediately as `ERR_TYPE`, with the position in the object; without this check, a cast in the program would
/// fail much later. Null is accepted for every type. For a type without parameters, a `Class` can be passed
/// instead. An `ObjectType` is immutable, and can be used by all threads.
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

    /// Reads `T` from the declaration of the subclass. Local.
    ///
    /// @throws MpiException `ERR_TYPE` if the subclass does not declare `T`, or if `T` is a type variable or
    ///     has type arguments that values do not contain, for example `Supplier<String>`
    protected ObjectType() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType p) || p.getRawType() != ObjectType.class) {
            throw unknown(getClass().getName()
                    + " does not declare its type argument; write new ObjectType<List<Task>>() {}");
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

    /// The type of a class. It is cheap to create.
    static final class OfClass<T> extends ObjectType<T> {
        private OfClass(Class<?> type) {
            super(type);
        }
    }

    @SuppressWarnings("unchecked") // PLAIN contains the ObjectType<T> of this Class<T>
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

    /// Returns a received value as a value of this type.
    ///
    /// @throws CodecException if the value has a different type
    @SuppressWarnings("unchecked") // checked before the cast
    @Nullable
    T checked(@Nullable Object value) {
        check.check(value);
        return (T) value;
    }

    /// Returns the type without package names, as used in error messages.
    String shown() {
        return type instanceof Class<?> c
                ? c.getSimpleName()
                : type.getTypeName().replaceAll("(\\w+[.$])+", "");
    }

    /// Returns the type, as Java writes it.
    @Override
    public String toString() {
        return type.getTypeName();
    }
}
