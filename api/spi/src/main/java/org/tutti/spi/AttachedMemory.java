package org.tutti.spi;

import java.lang.foreign.MemorySegment;

/// Memory that ranks attach to a dynamic window and detach, in addition to the [WindowPort] that manages the
/// epochs. Accesses are as in [WindowPort], but offsets count from 0 and must be within memory that the target
/// has attached.
public interface AttachedMemory {
    /// Attaches memory of this rank, and returns the displacement for the accesses of all ranks. Local.
    ///
    /// @throws Fault `ERR_RMA_ATTACH` if the other ranks cannot access the memory
    long attach(MemorySegment memory);

    /// Returns the displacement of memory, attached or not; -1 if it cannot have one.
    long place(MemorySegment memory);

    /// Detaches memory of this rank. Local.
    void detach(MemorySegment memory);

    /// See [WindowPort#run].
    void run(Access access);

    /// See [WindowPort#flush].
    void flush(int target);

    /// See [WindowPort#flushAll].
    void flushAll();

    /// Frees this rank's part. Local.
    void free();
}
