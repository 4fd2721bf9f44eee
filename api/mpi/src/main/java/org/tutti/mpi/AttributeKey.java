package org.tutti.mpi;

import org.jspecify.annotations.Nullable;

/// Under which a library keeps something of its own at a communicator; two keys are never the same, even
/// of one name.
///
///     static final AttributeKey<Plan> PLAN = AttributeKey.of("plan");
///     Plan plan = comm.attribute(PLAN);
///     if (plan == null) comm.attribute(PLAN, plan = Plan.of(comm));
///
/// One key serves all communicators and, with ranks as threads, all ranks. What is kept under a key that was
/// made of its name alone stays behind at a `dup`, and is forgotten with its communicator. Local. MPI 4.1,
/// section 7.7.
///
/// @param <T> the type of the values
public final class AttributeKey<T> {
    /// What a copy of a communicator gets.
    ///
    /// @param <T> the type of the values
    @FunctionalInterface
    public interface Copier<T> {
        /// Returns what the copy of `comm` keeps under the key, when `comm` keeps `value`; null for nothing.
        @Nullable
        T copy(Communicator comm, T value);
    }

    /// What happens to a value that is not kept any more.
    ///
    /// @param <T> the type of the values
    @FunctionalInterface
    public interface Deleter<T> {
        /// Takes what `comm` keeps no more.
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

    /// Makes a new key; the name is for people. `MPI_Comm_create_keyval` with `MPI_COMM_NULL_COPY_FN` and
    /// `MPI_COMM_NULL_DELETE_FN`, MPI 4.1, section 7.7.2.
    public static <T> AttributeKey<T> of(String name) {
        return of(name, (comm, value) -> null, (comm, value) -> {});
    }

    /// Makes a new key whose values are copied by `dup` and `idup` as `copier` says, and handed to `deleter`
    /// when they are overwritten or deleted, and when their communicator is closed; those of [Mpi#self] when
    /// the `Mpi` is closed. Values are copied in the order in which they were set, and deleted in the reverse
    /// one. `MPI_Comm_create_keyval`, MPI 4.1, section 7.7.2.
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
