package org.tutti.spi;

import java.lang.foreign.MemorySegment;

/// Creates windows: memory that other ranks access by puts and gets (MPI 4.1, chapter 12). An optional
/// capability of engines.
public interface Windows extends Power {
    /// The location of the ranks' memory.
    enum Placement {
        /// Any location. [WindowPort#memory] may be refused for a different rank.
        ANYWHERE,
        /// Memory to which all ranks can load and store; the ranks must be on one machine.
        SHARED,
        /// Shared memory in which each rank's part begins at the end of the previous rank's part.
        SHARED_IN_ONE_ROW
    }

    /// Creates a window with `bytes` zeroed bytes on this rank, and a displacement unit of `unitBytes` bytes.
    /// Collective over `port`, which only this window uses, and which [WindowPort#free] does not free.
    ///
    /// @param operation the operation's name in the API
    /// @throws Fault on all ranks, `ERR_NO_MEM` if the memory of a rank is not sufficient, `ERR_RMA_SHARED`
    ///     if the ranks cannot share memory
    WindowPort allocate(String operation, CommPort port, long bytes, int unitBytes, Placement placement);

    /// Creates a window as [#allocate] does. On each rank, the window is over the rank's memory `own` if the
    /// engine's ranks can access that memory, and otherwise over new memory of the same length; this can differ
    /// between ranks. If the window is over `own`, [WindowPort#memory] of this rank has the address of `own`,
    /// and the caller must not free `own` until all ranks have closed the window.
    default WindowPort over(String operation, CommPort port, MemorySegment own, int unitBytes) {
        return allocate(operation, port, own.byteSize(), unitBytes, Placement.ANYWHERE);
    }

    /// Creates the attachable memory for a dynamic window. Collective over the window's port.
    ///
    /// @throws Fault `ERR_OTHER` if the engine does not support attachable memory
    AttachedMemory attachable(String operation, WindowPort window);
}
