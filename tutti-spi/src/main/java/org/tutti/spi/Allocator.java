package org.tutti.spi;

import java.lang.foreign.MemorySegment;

/// Off-heap memory that an engine moves best. Any thread may call.
public interface Allocator {
    /// Memory of so many bytes, 64-byte aligned and zeroed, until it is freed or the rank ends.
    ///
    /// @throws Fault `ERR_NO_MEM` when there is no room for it
    MemorySegment allocate(long bytes);

    /// Gives back what [#allocate] returned. Where the engine may make segments of its own, `memory` and its slices
    /// refuse every later access.
    ///
    /// @throws Fault `ERR_BASE` when it is something else, or was freed before, or a call uses it
    void free(MemorySegment memory);
}
