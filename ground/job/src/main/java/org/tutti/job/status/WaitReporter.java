package org.tutti.job.status;

import java.util.List;

/// Reports a rank's waits to its launcher: through the job status, or through lines if the launcher is on
/// another machine. Used by one thread at a time.
public interface WaitReporter {
    /// The approximate number of messages that the rank has moved, or of its calls; also reported when it does
    /// not wait.
    void pulse(long moves);

    /// Reports the current waits.
    ///
    /// @param moves number of messages moved, or of calls
    /// @param others threads that could make calls and are not among the waits
    void write(long moves, long others, List<BlockedCall> waits);
}
