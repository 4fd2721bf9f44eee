package org.tutti.spi;

import java.lang.foreign.MemorySegment;

/// Makes windows: memory of ranks that others put to and get from (MPI 4.1, chapter 12). Not every engine has
/// them.
public interface Windows extends Power {
    /// Where the memory of ranks lies.
    enum Placement {
        /// Anywhere. [WindowPort#memory] of another rank may be refused.
        ANYWHERE,
        /// Where all ranks may load and store, which are of one machine.
        SHARED,
        /// The same, and that of each rank begins where that of the rank before ends.
        SHARED_IN_ONE_ROW
    }

    /// Makes a window of `bytes` bytes on this rank, zeroed, with displacements of `unitBytes`. Collective
    /// over `port`, which is the window's own: nobody else communicates on it, and [WindowPort#free] leaves
    /// it alone.
    ///
    /// @param operation the user's word for it
    /// @throws Fault on all ranks, `ERR_NO_MEM` when one of them has no room, `ERR_RMA_SHARED` when they
    ///     cannot share memory
    WindowPort allocate(String operation, CommPort port, long bytes, int unitBytes, Placement placement);

    /// As [#allocate], over this rank's memory `own` if the engine's ranks reach it, and otherwise over new
    /// memory of that length. [WindowPort#memory] of this rank has the address of `own` in the first case;
    /// the caller keeps `own` until all ranks have closed the window. Ranks may differ.
    default WindowPort over(String operation, CommPort port, MemorySegment own, int unitBytes) {
        return allocate(operation, port, own.byteSize(), unitBytes, Placement.ANYWHERE);
    }

    /// Makes what memory can be attached to, beside a window of its own. Collective over the window's port.
    ///
    /// @throws Fault `ERR_OTHER` when the engine cannot
    AttachedMemory attachable(String operation, WindowPort window);
}
