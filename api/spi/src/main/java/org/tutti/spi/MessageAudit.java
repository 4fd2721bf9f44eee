package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// Information about messages that no rank will receive. A correct program has no such messages at the end (MPI
/// 4.1, section 11.2.2).
public interface MessageAudit extends Power {
    /// Returns whether `send`, which is not done, can be received after this rank has terminated, because the
    /// message is stored in memory that the receiver can read.
    boolean outlives(Transfer send);

    /// Describes the messages of the program that will never be received, as far as this engine can detect:
    /// messages queued at this rank, and messages of this rank to ranks that have terminated. Returns null if
    /// no such message was detected. Called when the rank, which has no pending requests, is about to terminate
    /// or has terminated. Never waits.
    @Nullable
    String unreceived();
}
