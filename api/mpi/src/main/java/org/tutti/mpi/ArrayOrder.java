package org.tutti.mpi;

/// The order of an array with several dimensions in memory, for [Datatype#subarray] and [Datatype#darray]. MPI
/// 4.1, section 5.1.3.
public enum ArrayOrder {
    /// The last index runs fastest.
    C,
    /// The first index runs fastest.
    FORTRAN
}
