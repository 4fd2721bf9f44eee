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
    /// A window that was closed, or cannot be used so.
    ERR_WIN,
    /// A displacement into a window that is none.
    ERR_DISP,
    /// An access to what is no part of the target's window.
    ERR_RMA_RANGE,
    /// A call outside of the epoch that it needs, or within one that forbids it.
    ERR_RMA_SYNC,
    /// Memory of ranks that cannot share any.
    ERR_RMA_SHARED,
    /// A window that was made in another way than the call needs.
    ERR_RMA_FLAVOR,
    /// Memory that cannot be attached to a window, or was not.
    ERR_RMA_ATTACH,
    /// A file that was closed.
    ERR_FILE,
    /// Modes that do not go together.
    ERR_AMODE,
    /// Ranks passed different things where all pass the same.
    ERR_NOT_SAME,
    /// A call that a file in this mode, or with this view, does not have.
    ERR_UNSUPPORTED_OPERATION,
    /// There is no such file.
    ERR_NO_SUCH_FILE,
    /// The file is there, and must not be.
    ERR_FILE_EXISTS,
    /// No name of a file: a directory, or what the system does not accept.
    ERR_BAD_FILE,
    /// The system, or the mode, does not permit it.
    ERR_ACCESS,
    /// The file, or where it lies, can only be read.
    ERR_READ_ONLY,
    /// The file system is full.
    ERR_NO_SPACE,
    /// The quota is used up.
    ERR_QUOTA,
    /// Another error of the system in an access to a file.
    ERR_IO,
    /// Processes could not be started, or one ended before it had joined.
    ERR_SPAWN,
    /// A port that is none, or is closed.
    ERR_PORT,
    /// A service that nobody has published.
    ERR_NAME,
    /// A service that is published already, or by somebody else.
    ERR_SERVICE,
    /// A session that was closed, or cannot be opened.
    ERR_SESSION,
    ERR_PENDING,
    /// Ranks passed different things to one collective call.
    ERR_MISMATCH,
    /// A rank of the job failed.
    ERR_PROC_FAILED,
    ERR_OTHER,
    ERR_INTERN
}
