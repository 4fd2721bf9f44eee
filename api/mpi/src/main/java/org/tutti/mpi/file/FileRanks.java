package org.tutti.mpi.file;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;
import org.tutti.spi.WindowPort;

/// Operations that a file's ranks execute together, and that the engine performs.
public interface FileRanks {
    /// Creates a window with `bytes` bytes on this rank, on a separate communicator. Collective over `parent`.
    /// Returns null on all ranks if memory is insufficient on any rank.
    @Nullable
    WindowPort allocate(String operation, CommPort parent, String name, long bytes);

    /// Exchanges values. All ranks pass the same number of values. Returns the values of all ranks, in rank
    /// order. Collective.
    long[] exchange(String operation, CommPort port, long... mine);

    /// Fills `bytes` on all ranks with the content at the root. Collective.
    void broadcast(String operation, CommPort port, byte[] bytes, int root);

    /// Waits for an operation of a window.
    void await(LocalWait wait);

    /// Releases a window and the window's communicator. Local.
    void free(WindowPort window);
}
