package org.tutti.spi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Allocates the kind of off-heap memory from which the engine transfers data fastest. Thread-safe.
public interface Allocator {
    /// Allocates memory, 64-byte aligned and zeroed, which remains valid until it is freed or the rank ends.
    ///
    /// @throws Fault `ERR_NO_MEM` if the memory is not sufficient
    MemorySegment allocate(long bytes);

    /// Allocates memory as [#allocate(long)] does. All ranks of the job can access the memory, and it is freed
    /// when it has become unreachable in this process. Returns null if the engine has no such memory.
    ///
    /// @throws Fault `ERR_NO_MEM` if the memory is not sufficient
    default @Nullable MemorySegment allocateCollected(long bytes) {
        return null;
    }

    /// Allocates memory as [#allocate(long)] does, for the lifetime of an arena. If the engine can create
    /// segments with an arena, the returned segment has the lifetime of `arena`.
    ///
    /// @param operation the name of the operation in errors
    /// @param arena a shared arena
    /// @throws Fault `ERR_NO_MEM` if the memory is not sufficient
    Lease allocate(String operation, long bytes, Arena arena);

    /// Memory for the lifetime of an arena.
    ///
    /// @param release frees the memory; must be run once, after the arena is closed
    record Lease(MemorySegment memory, Runnable release) {}

    /// Frees memory that [#allocate(long)] returned. If the engine can create segments with an arena, `memory`
    /// and all its slices refuse later accesses.
    ///
    /// @throws Fault `ERR_BASE` if [#allocate(long)] has not returned this memory, if it has already been
    ///     freed, or if a call uses it
    void free(MemorySegment memory);
}
