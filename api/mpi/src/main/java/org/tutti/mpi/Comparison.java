package org.tutti.mpi;

/// The relation of two groups or two communicators. MPI 4.1, sections 7.3.1 and 7.4.1.
public enum Comparison {
    /// The same ranks in the same order; of communicators, the same communicator.
    IDENT,
    /// For communicators only: the same ranks in the same order, but a different context.
    CONGRUENT,
    /// The same ranks in a different order.
    SIMILAR,
    /// Different ranks.
    UNEQUAL
}
