package org.tutti.train;

/// How a nonblocking operation of a [ProcessGroup] makes progress.
public enum ProgressMode {
    /// The operation makes progress during calls of this rank, and uses no other core.
    CALLS,

    /// The operation makes progress on a separate thread, which uses one core until the operation has ended.
    THREAD
}
