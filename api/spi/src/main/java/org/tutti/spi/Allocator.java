package org.tutti.spi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Off-heap memory that an engine moves best. Any thread may call.
public interface Allocator {
    /// Memory of so many bytes, 64-byte aligned and zeroed, until it is freed or the rank ends.
    ///
    /// @throws Fault `ERR_NO_MEM` when there is no room for it
    MemorySegment allocate(long bytes);

    /// As [#allocate(long)], of memory that all ranks of the job reach and that is given back when it has
    /// become unreachable
    /// for this process; null if the engine has no such memory.
    ///
    /// @throws Fault `ERR_NO_MEM` when there is no room for it
    default @Nullable MemorySegment allocateCollected(long bytes) {
        return null;
    }

    /// As [#allocate(long)], for the lifetime of an arena. Where the engine may create segments, the segment
    /// lives as long as `arena`.
    ///
    /// @param operation for errors
    /// @param arena a shared one
    /// @throws Fault `ERR_NO_MEM` when there is no room for it
    Lease allocate(String operation, long bytes, Arena arena);

    /// Memory for the lifetime of an arena.
    ///
    /// @param release gives the memory back; to be run once, after the arena was closed
    record Lease(MemorySegment memory, Runnable release) {}

    /// Gives back what [#allocate(long)] returned. Where the engine may make segments of its own, `memory` and
    /// its slices
    /// refuse every later access.
    ///
    /// @throws Fault `ERR_BASE` when it is something else, or was freed before, or a call uses it
    void free(MemorySegment memory);
}
