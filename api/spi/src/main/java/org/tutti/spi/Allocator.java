package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Off-heap memory that an engine moves best. Any thread may call.
public interface Allocator {
    /// Memory of so many bytes, 64-byte aligned and zeroed, until it is freed or the rank ends.
    ///
    /// @throws Fault `ERR_NO_MEM` when there is no room for it
    MemorySegment allocate(long bytes);

    /// As [#allocate], of memory that all ranks of the job reach and that is given back when it has become unreachable
    /// for this process; null if the engine has no such memory.
    ///
    /// @throws Fault `ERR_NO_MEM` when there is no room for it
    default @Nullable MemorySegment allocateCollected(long bytes) {
        return null;
    }

    /// Gives back what [#allocate] returned. Where the engine may make segments of its own, `memory` and its slices
    /// refuse every later access.
    ///
    /// @throws Fault `ERR_BASE` when it is something else, or was freed before, or a call uses it
    void free(MemorySegment memory);
}
