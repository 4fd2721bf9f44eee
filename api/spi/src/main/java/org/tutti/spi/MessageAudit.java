package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// Information about messages that no rank will receive. A correct program leaves no such messages (MPI 4.1,
/// section 11.2.2).
public interface MessageAudit extends Power {
    /// Returns whether `send`, which is not done, can be received after this rank has left because the bytes
    /// are stored where the receiver finds them.
    boolean outlives(Transfer send);

    /// Returns a text on the messages of the program that will never be received, as far as this engine knows:
    /// messages queued at this rank, and messages of this rank to ranks that have left. Null if no such message
    /// is known. Called when the rank is about to leave or has left, without pending requests. Never waits.
    @Nullable
    String unreceived();
}
