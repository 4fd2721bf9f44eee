package org.tutti.mpi;

/// The order of an array with several dimensions in memory, for [Datatype#subarray] and [Datatype#darray]. MPI
/// 4.1, section 5.1.3.
public enum ArrayOrder {
    /// The last index varies fastest.
    C,
    /// The first index varies fastest.
    FORTRAN
}
