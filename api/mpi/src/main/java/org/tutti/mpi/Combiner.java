package org.tutti.mpi;

/// The constructor of a [Datatype]: the combiner of `MPI_Type_get_envelope`. MPI 4.1, section 5.1.13.
public enum Combiner {
    /// A predefined type.
    NAMED,
    /// A type created by [Datatype#dup] or [Datatype#named].
    DUP,
    /// A type created by [Datatype#contiguous].
    CONTIGUOUS,
    /// A type created by [Datatype#vector].
    VECTOR,
    /// A type created by [Datatype#hvector].
    HVECTOR,
    /// A type created by [Datatype#indexed].
    INDEXED,
    /// A type created by [Datatype#hindexed].
    HINDEXED,
    /// A type created by [Datatype#indexedBlock].
    INDEXED_BLOCK,
    /// A type created by [Datatype#hindexedBlock].
    HINDEXED_BLOCK,
    /// A type created by [Datatype#struct] or [Datatype#ofRecord].
    STRUCT,
    /// A type created by [Datatype#subarray(int\[\], int\[\], int\[\], ArrayOrder)].
    SUBARRAY,
    /// A type created by [Datatype#darray].
    DARRAY,
    /// A type created by [Datatype#resized].
    RESIZED
}
