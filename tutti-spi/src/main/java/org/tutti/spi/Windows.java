package org.tutti.spi;

/// Makes windows: memory of ranks that others put to and get from (MPI 4.1, chapter 12). Not every engine has them.
public interface Windows extends Power {
    /// Makes a window of `bytes` bytes on this rank, zeroed, with displacements of `unitBytes`. Collective over
    /// `port`, which is the window's own: nobody else communicates on it, and [WindowPort#free] leaves it alone.
    ///
    /// @param operation the user's word for it
    /// @param contiguous the memory of each rank begins where that of the rank before ends
    /// @throws Fault `ERR_NO_MEM`, on all ranks, when one of them has no room
    WindowPort allocate(String operation, CommPort port, long bytes, int unitBytes, boolean contiguous);
}
