package org.tutti.device.gpu;

/// Numbers that differ between the headers of CUDA and HIP. They are stored in `numbers.tsv`.
enum VendorNumber {
    // device attributes
    THREADS_PER_BLOCK,
    MULTIPROCESSORS,
    SHARED_BYTES,
    /// The major version of the architecture; [#MINOR] is the minor version.
    MAJOR,
    MINOR,
    /// Whether the host may access managed memory while the device is busy.
    MANAGED,

    /// Flags of [DriverFunction#IPC_OPEN].
    IPC_OPEN_FLAGS,
    /// The matrix operation of [MatrixFunction#MULTIPLY_FLOATS] for an unchanged matrix.
    NOT_TRANSPOSED
}
