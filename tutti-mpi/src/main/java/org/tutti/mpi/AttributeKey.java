package org.tutti.mpi;

/// Under which a library keeps something of its own at a communicator; two keys are never the same, even
/// of one name.
///
///     static final AttributeKey<Plan> PLAN = AttributeKey.of("plan");
///     Plan plan = comm.attribute(PLAN);
///     if (plan == null) comm.attribute(PLAN, plan = Plan.of(comm));
///
/// One key serves all communicators and, with ranks as threads, all ranks. MPI 4.1, section 7.7. Not here
/// yet: callbacks that copy or delete values; `dup` copies none, as without a callback in the standard.
public final class AttributeKey<T> {
    private final String name;

    private AttributeKey(String name) {
        this.name = name;
    }

    /// A new key; the name is for people. `MPI_Comm_create_keyval`.
    public static <T> AttributeKey<T> of(String name) {
        return new AttributeKey<>(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
