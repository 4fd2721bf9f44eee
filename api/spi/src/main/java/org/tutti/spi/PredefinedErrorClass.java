package org.tutti.spi;

/// The error classes of the standard (MPI 4.1, section 9.4), and two classes for errors that have no class in
/// the standard.
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
    /// Memory to be freed that MPI has not allocated.
    ERR_BASE,
    /// A closed or unsuitable window.
    ERR_WIN,
    /// An invalid displacement into a window.
    ERR_DISP,
    /// An access outside of the target's window.
    ERR_RMA_RANGE,
    /// A call outside of the required epoch, or within an epoch that forbids it.
    ERR_RMA_SYNC,
    /// Ranks that cannot share memory.
    ERR_RMA_SHARED,
    /// A window of the wrong flavor for the call.
    ERR_RMA_FLAVOR,
    /// Memory that cannot be attached to a window, or was not attached.
    ERR_RMA_ATTACH,
    /// A closed file.
    ERR_FILE,
    /// Modes that exclude each other.
    ERR_AMODE,
    /// Different arguments on ranks that must pass equal arguments.
    ERR_NOT_SAME,
    /// A call that a file with this mode or view does not support.
    ERR_UNSUPPORTED_OPERATION,
    /// A file that does not exist.
    ERR_NO_SUCH_FILE,
    /// A file that exists although it must not.
    ERR_FILE_EXISTS,
    /// An invalid file name: a directory, or a name that the system rejects.
    ERR_BAD_FILE,
    /// An access that the system or the mode does not permit.
    ERR_ACCESS,
    /// A read-only file or file system.
    ERR_READ_ONLY,
    /// A full file system.
    ERR_NO_SPACE,
    /// An exceeded quota.
    ERR_QUOTA,
    /// Any other error of the system in an access to a file.
    ERR_IO,
    /// Processes that could not be started, or ended before joining.
    ERR_SPAWN,
    /// An invalid or closed port.
    ERR_PORT,
    /// An unpublished service name.
    ERR_NAME,
    /// An already published service name.
    ERR_SERVICE,
    /// A closed session, or a session that cannot be opened.
    ERR_SESSION,
    ERR_PENDING,
    /// Arguments of a collective call that do not match between ranks.
    ERR_MISMATCH,
    /// A rank of the job that failed.
    ERR_PROC_FAILED,
    ERR_OTHER,
    ERR_INTERN
}
