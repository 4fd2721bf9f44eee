package org.tutti.mpi;

/// How a [Datatype] was made: what `MPI_Type_get_envelope` calls its combiner. MPI 4.1, section 5.1.13.
public enum Combiner {
    /// A predefined type.
    NAMED,
    DUP,
    CONTIGUOUS,
    VECTOR,
    HVECTOR,
    INDEXED,
    HINDEXED,
    INDEXED_BLOCK,
    HINDEXED_BLOCK,
    STRUCT,
    SUBARRAY,
    DARRAY,
    RESIZED
}
