package org.tutti.device.gpu;

/// Numbers in which the headers of CUDA and HIP differ; `numbers.tsv` has them.
enum VendorNumber {
    // attributes of a device
    THREADS_PER_BLOCK,
    MULTIPROCESSORS,
    SHARED_BYTES,
    /// Of the version of the architecture, like [#MINOR].
    MAJOR,
    MINOR,
    /// Whether the host may access managed memory while the device works.
    MANAGED,

    /// Flags of [DriverFunction#IPC_OPEN].
    IPC_OPEN_FLAGS,
    /// The operation on a matrix that [MatrixFunction#MULTIPLY_FLOATS] leaves as it is.
    NOT_TRANSPOSED
}
