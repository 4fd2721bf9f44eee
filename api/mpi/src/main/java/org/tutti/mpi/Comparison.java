package org.tutti.mpi;

/// The result of a comparison of two groups or of two communicators. MPI 4.1, sections 7.3.1 and 7.4.1.
public enum Comparison {
    /// Groups: the same ranks in the same order. Communicators: the same communicator.
    IDENT,
    /// Only for communicators: the same ranks in the same order, but a different context.
    CONGRUENT,
    /// The same ranks in a different order.
    SIMILAR,
    /// Different ranks.
    UNEQUAL
}
