package org.tutti.shm.match;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.spi.Transfer;

/// A message as this engine keeps it: in at most one queue at a time, through `next`.
public final class ShmTransfer extends Transfer {
    @Nullable
    ShmTransfer next;

    /// Whether it lies in a [MatchContext]'s queue of posted receives.
    boolean posted;

    /// The context it travels in: the communicator's for its lane.
    public long context;

    /// Of a long message: where the other side keeps it.
    public int partner;

    /// Of a long message: bytes moved so far, and bytes to be moved.
    public long moved;

    public long wanted;

    /// Of a send that was offered: the receiver finds its bytes in the segment, even after this rank has
    /// left.
    public boolean outlives;

    /// The message that a taking probe found for it, while [#matched].
    public @Nullable Arrival found;

    boolean takes(int fromRank, int messageTag) {
        return (peer == fromRank || peer == ANY_SOURCE) && (tag == messageTag || tag == ANY_TAG);
    }
}
