package org.tutti.train;

/// How a nonblocking operation of a [ProcessGroup] makes progress.
public enum ProgressMode {
    /// During calls of this rank. No core is used for it.
    CALLS,

    /// On a separate thread, which uses one core until the operation has ended.
    THREAD
}
