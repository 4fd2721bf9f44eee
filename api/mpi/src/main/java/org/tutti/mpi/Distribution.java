package org.tutti.mpi;

/// The distribution of a dimension of an array over processes, for [Datatype#darray]. MPI 4.1, section 5.1.4.
public enum Distribution {
    /// Each process has one block.
    BLOCK,
    /// The blocks are assigned to the processes in a cyclic order.
    CYCLIC,
    /// The dimension is not divided.
    NONE;

    /// The value to pass instead of a block length for the standard's default: 1 for [#CYCLIC], the smallest
    /// sufficient length for [#BLOCK].
    public static final int DEFAULT_ARGUMENT = -49767;
}
