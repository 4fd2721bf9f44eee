package org.tutti.mpi;

/// A value and its place, as `MINLOC` and `MAXLOC` compare them. MPI 4.1, section 6.9.4.
///
/// @param value what is compared
/// @param place where it is: a rank or an index, for instance
public record DoubleInt(double value, int index) {}
