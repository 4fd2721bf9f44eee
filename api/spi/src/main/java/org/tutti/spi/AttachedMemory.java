package org.tutti.spi;

import java.lang.foreign.MemorySegment;

/// Memory that ranks attach to a dynamic window and later detach. A [WindowPort] manages the epochs of this
/// window. Accesses are as in [WindowPort], but the offset of an access is counted from displacement 0, and the
/// access must be within memory that the target has attached.
public interface AttachedMemory {
    /// Attaches memory of this rank. Returns the displacement that all ranks use in accesses to this memory.
    /// Local.
    ///
    /// @throws Fault `ERR_RMA_ATTACH` if the other ranks cannot access the memory
    long attach(MemorySegment memory);

    /// Returns the displacement of memory, whether or not the memory is attached; -1 if the memory cannot have
    /// a displacement.
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
