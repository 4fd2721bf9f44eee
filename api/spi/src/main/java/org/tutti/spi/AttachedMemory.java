package org.tutti.spi;

import java.lang.foreign.MemorySegment;

/// Memory that ranks attach to a window, piece by piece: an engine's side of a dynamic window, beside the
/// [WindowPort] that has its epochs. Accesses are as there, but their offsets count from 0, and lie in what their
/// target has attached.
public interface AttachedMemory {
    /// Makes memory of this rank accessible. Returns its place, for the accesses of all ranks. Local.
    ///
    /// @throws Fault `ERR_RMA_ATTACH` when others cannot reach it
    long attach(MemorySegment memory);

    /// The place of memory, attached or not; -1 where it can have none.
    long place(MemorySegment memory);

    /// Ends that. Local.
    void detach(MemorySegment memory);

    /// See [WindowPort#run].
    void run(Access access);

    /// See [WindowPort#flush].
    void flush(int target);

    /// See [WindowPort#flushAll].
    void flushAll();

    /// This rank needs it no more. Local.
    void free();
}
