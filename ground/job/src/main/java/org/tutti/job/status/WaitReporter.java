package org.tutti.job.status;

import java.util.List;

/// Reports the waits of a rank to the launcher: through the job status, or through lines to a different
/// machine. A reporter is used by one thread at a time.
public interface WaitReporter {
    /// Reports the approximate number of messages that the rank has moved, or of calls that it has executed.
    /// Used even if the rank does not wait.
    void pulse(long moves);

    /// Reports the current waits.
    ///
    /// @param moves the number of messages moved, or of calls executed
    /// @param others the number of threads that could call MPI and are not in `waits`
    void write(long moves, long others, List<BlockedCall> waits);
}
