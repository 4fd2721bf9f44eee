package org.tutti.mpi;

/// The constructor of a [Datatype]: the combiner of `MPI_Type_get_envelope`. MPI 4.1, section 5.1.13.
public enum Combiner {
    /// A predefined type.
    NAMED,
    /// By [Datatype#dup] or [Datatype#named].
    DUP,
    /// By [Datatype#contiguous].
    CONTIGUOUS,
    /// By [Datatype#vector].
    VECTOR,
    /// By [Datatype#hvector].
    HVECTOR,
    /// By [Datatype#indexed].
    INDEXED,
    /// By [Datatype#hindexed].
    HINDEXED,
    /// By [Datatype#indexedBlock].
    INDEXED_BLOCK,
    /// By [Datatype#hindexedBlock].
    HINDEXED_BLOCK,
    /// By [Datatype#struct] or [Datatype#ofRecord].
    STRUCT,
    /// By [Datatype#subarray(int\[\], int\[\], int\[\], ArrayOrder)].
    SUBARRAY,
    /// By [Datatype#darray].
    DARRAY,
    /// By [Datatype#resized].
    RESIZED
}
