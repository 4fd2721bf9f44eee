package org.tutti.spi;

import java.lang.foreign.MemorySegment;

/// Creates windows: memory of ranks for puts and gets of other ranks (MPI 4.1, chapter 12). An optional
/// capability.
public interface Windows extends Power {
    /// The location of the ranks' memory.
    enum Placement {
        /// Any location. A request for [WindowPort#memory] of a different rank can be refused.
        ANYWHERE,
        /// Memory to which all ranks can load and store; the ranks must be on one machine.
        SHARED,
        /// Shared memory in which each rank's part begins where the part of the previous rank ends.
        SHARED_IN_ONE_ROW
    }

    /// Creates a window with `bytes` bytes on this rank, zeroed, and displacements in `unitBytes`. Collective
    /// over `port`, which only the window uses, and which [WindowPort#free] does not free.
    ///
    /// @param operation the name in the API
    /// @throws Fault on all ranks, `ERR_NO_MEM` if the memory of a rank is not sufficient, `ERR_RMA_SHARED`
    ///     if the ranks cannot share memory
    WindowPort allocate(String operation, CommPort port, long bytes, int unitBytes, Placement placement);

    /// Creates a window as [#allocate] does, over this rank's memory `own` if the engine's ranks can access it,
    /// otherwise over new memory of the same length. In the first case [WindowPort#memory] of this rank has the
    /// address of `own`. The caller must keep `own` until all ranks have closed the window. Ranks may differ in
    /// this respect.
    default WindowPort over(String operation, CommPort port, MemorySegment own, int unitBytes) {
        return allocate(operation, port, own.byteSize(), unitBytes, Placement.ANYWHERE);
    }

    /// Creates the attachable memory for a dynamic window. Collective over the window's port.
    ///
    /// @throws Fault `ERR_OTHER` if the engine does not support it
    AttachedMemory attachable(String operation, WindowPort window);
}
