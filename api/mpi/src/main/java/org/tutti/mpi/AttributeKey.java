package org.tutti.mpi;

import org.jspecify.annotations.Nullable;

/// A key under which a library attaches a value to a communicator. Two keys are always different, even with
/// equal names.
///
///     static final AttributeKey<Plan> PLAN = AttributeKey.of("plan");
///     Plan plan = comm.attribute(PLAN);
///     if (plan == null) comm.setAttribute(PLAN, plan = Plan.of(comm));
///
/// One key can be used for all communicators and, with ranks as threads, by all ranks. If a key was created
/// with only a name, `dup` does not copy the values, and the values are discarded when the communicator is
/// closed. Local. MPI 4.1, section 7.7.
///
/// @param <T> the type of the values
public final class AttributeKey<T> {
    /// Copies a value when the communicator is copied.
    ///
    /// @param <T> the type of the values
    @FunctionalInterface
    public interface Copier<T> {
        /// Returns the value for the copy of `comm`, or null if the copy gets no value; `value` is the value of
        /// `comm`.
        @Nullable
        T copy(Communicator comm, T value);
    }

    /// Receives each value before a communicator drops it.
    ///
    /// @param <T> the type of the values
    @FunctionalInterface
    public interface Deleter<T> {
        /// Receives a value that `comm` still stores, and removes when this method returns.
        void delete(Communicator comm, T value);
    }

    private final String name;
    private final Copier<T> copier;
    private final Deleter<T> deleter;

    private AttributeKey(String name, Copier<T> copier, Deleter<T> deleter) {
        this.name = name;
        this.copier = copier;
        this.deleter = deleter;
    }

    /// Creates a key. The name is used only in error messages. `MPI_Comm_create_keyval` with
    /// `MPI_COMM_NULL_COPY_FN` and `MPI_COMM_NULL_DELETE_FN`, MPI 4.1, section 7.7.2.
    public static <T> AttributeKey<T> of(String name) {
        return of(name, (comm, value) -> null, (comm, value) -> {});
    }

    /// Creates a key. `copier` copies the values during `dup` and `idup`. `deleter` receives a value when it is
    /// overwritten or deleted, and when the communicator is closed; [Mpi#self] is closed together with the
    /// `Mpi`. Values are copied in the order of `setAttribute` calls, and deleted in reverse order.
    /// `MPI_Comm_create_keyval`, MPI 4.1, section 7.7.2.
    ///
    ///     AttributeKey.of("plan", (comm, plan) -> plan, (comm, plan) -> plan.release())
    public static <T> AttributeKey<T> of(String name, Copier<T> copier, Deleter<T> deleter) {
        Arguments.given("AttributeKey.of", "name", name);
        Arguments.given("AttributeKey.of", "copier", copier);
        Arguments.given("AttributeKey.of", "deleter", deleter);
        return new AttributeKey<>(name, copier, deleter);
    }

    @Nullable
    T copy(Communicator comm, T value) {
        return copier.copy(comm, value);
    }

    void delete(Communicator comm, T value) {
        deleter.delete(comm, value);
    }

    @Override
    public String toString() {
        return name;
    }
}
