package org.tutti.mpi;

/// A value and an index, the result of `MINLOC` and `MAXLOC` on a single pair. MPI 4.1, section 6.9.4.
///
/// An array of these records is not a buffer of pairs: pass [Buf#buf(long\[\], int\[\])].
///
/// @param value the value to compare
/// @param index the rank or the index of the value
public record LongInt(long value, int index) {}
