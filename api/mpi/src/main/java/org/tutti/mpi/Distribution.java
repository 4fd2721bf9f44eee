package org.tutti.mpi;

/// How a dimension of an array is dealt out to processes, for [Datatype#darray]. MPI 4.1, section 5.1.4.
public enum Distribution {
    /// Each process has one block.
    BLOCK,
    /// Blocks go round.
    CYCLIC,
    /// The dimension is not divided.
    NONE;

    /// In the place of a block's length: as the standard has it, 1 for [#CYCLIC], as long as it takes for
    /// [#BLOCK].
    public static final int DEFAULT_ARGUMENT = -49767;
}
