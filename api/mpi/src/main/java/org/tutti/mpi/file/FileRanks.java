package org.tutti.mpi.file;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;
import org.tutti.spi.WindowPort;

/// What the ranks of a file do together, each by its engine.
public interface FileRanks {
    /// Makes a window of `bytes` bytes on this rank, on a communicator of its own. Collective over `parent`.
    /// Null on all ranks when one of them has no room.
    @Nullable
    WindowPort allocate(String operation, CommPort parent, String name, long bytes);

    /// Tells all ranks some words, as many on each; returns those of all, in the order of ranks. Collective.
    long[] exchange(String operation, CommPort port, long... mine);

    /// Fills `bytes` on all ranks with what the root has there. Collective.
    void broadcast(String operation, CommPort port, byte[] bytes, int root);

    /// Waits for what a window has begun.
    void await(LocalWait wait);

    /// Gives back a window and its communicator. Local.
    void free(WindowPort window);
}
