package org.tutti.mpi;

/// The standard's error classes (MPI 4.1, section 9.4), and two for what it leaves to the implementation; for
/// programs that `switch` over them. They are constants of [ErrorClass], too.
public enum PredefinedErrorClass implements ErrorClass {
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
    ERR_PENDING,
    /// Ranks passed different things to one collective call.
    ERR_MISMATCH,
    /// A rank of the job failed.
    ERR_PROC_FAILED,
    ERR_OTHER,
    ERR_INTERN
}
