package org.tutti.job.status;

import java.util.List;

/// Takes what a rank has to say of its waits to its launcher: by the board, or by lines where that is on
/// another machine. Used by one thread at a time.
public interface WaitReporter {
    /// The rank has moved messages, or called, so many times, roughly; also when it waits for nothing.
    void pulse(long moves);

    /// Says what the rank waits for now.
    ///
    /// @param moves how often it had moved messages, or called
    /// @param others threads that could make calls and are not among the waits
    void write(long moves, long others, List<BlockedCall> waits);
}
