package org.tutti.train;

/// How a nonblocking operation of a [ProcessGroup] makes progress until its end.
public enum ProgressMode {
    /// During calls of this rank. No core is used for it.
    CALLS,

    /// On a separate thread, which uses one core until the operation has ended.
    THREAD
}
