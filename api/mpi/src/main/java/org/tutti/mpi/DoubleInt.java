package org.tutti.mpi;

/// A value and its index, for `MINLOC` and `MAXLOC`. MPI 4.1, section 6.9.4.
///
/// @param value the value to compare
/// @param index the rank or the index of the value
public record DoubleInt(double value, int index) {}
