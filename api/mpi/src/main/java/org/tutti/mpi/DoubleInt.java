package org.tutti.mpi;

/// A value and its place, as `MINLOC` and `MAXLOC` compare them. MPI 4.1, section 6.9.4.
///
/// @param value what is compared
/// @param index the rank or the index of the value
public record DoubleInt(double value, int index) {}
