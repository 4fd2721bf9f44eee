package org.tutti.spi;

/// The error classes of the standard (MPI 4.1, section 9.4), and two for what it leaves to the implementation.
public enum PredefinedErrorClass {
    ERR_BUFFER,
    ERR_COUNT,
    ERR_TYPE,
    ERR_TAG,
    ERR_COMM,
    ERR_TOPOLOGY,
    ERR_DIMS,
    ERR_GROUP,
    ERR_RANK,
    ERR_REQUEST,
    ERR_ROOT,
    ERR_OP,
    ERR_ARG,
    ERR_TRUNCATE,
    ERR_NO_MEM,
    /// What is freed was not allocated so.
    ERR_BASE,
    ERR_PENDING,
    /// Ranks passed different things to one collective call.
    ERR_MISMATCH,
    /// A rank of the job failed.
    ERR_PROC_FAILED,
    ERR_OTHER,
    ERR_INTERN
}
