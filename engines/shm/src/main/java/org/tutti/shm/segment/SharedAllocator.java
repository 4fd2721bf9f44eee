package org.tutti.shm.segment;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.OsPlatform;
import org.tutti.spi.Allocations;
import org.tutti.spi.Allocations.Allocation;
import org.tutti.spi.Allocator;

/// Allocates memory of a rank in the job's segment.
public final class SharedAllocator implements Allocator {
    private final Shared memory;
    private final OsPlatform platform;
    private final Extents extents;
    private final Allocations allocations = new Allocations();

    public SharedAllocator(Shared memory, OsPlatform platform, Extents extents) {
        this.memory = memory;
        this.platform = platform;
        this.extents = extents;
    }

    @Override
    public MemorySegment allocate(long bytes) {
        long whole = whole(bytes);
        long at = extents.take(whole, "alloc");
        Arena arena = Arena.ofShared();
        MemorySegment view = platform.view(memory.segment().asSlice(at, bytes), arena);
        return allocations.add(new Allocation(view, arena, at, whole));
    }

    /// Rounds a size up. An impossible size is not rounded, so that the error message contains the requested
    /// size.
    private long whole(long bytes) {
        return bytes > memory.segment().byteSize() ? bytes : Extents.whole(bytes);
    }

    @Override
    public Lease allocate(String operation, long bytes, Arena arena) {
        long whole = whole(bytes);
        long at = extents.take(whole, operation);
        MemorySegment view = platform.view(memory.segment().asSlice(at, bytes), arena);
        return new Lease(view, () -> extents.give(at, whole));
    }

    @Override
    public @Nullable MemorySegment allocateCollected(long bytes) {
        long whole = whole(bytes);
        long at = extents.take(whole, "alloc");
        MemorySegment part = memory.segment().asSlice(at, bytes);
        MemorySegment view = platform.view(part, Arena.ofAuto(), () -> extents.give(at, whole));
        if (!view.scope().equals(part.scope())) return view;
        extents.give(at, whole); // without native access, unreachable memory is not reported
        return null;
    }

    @Override
    public void free(MemorySegment freed) {
        Allocation removed = allocations.remove(freed);
        extents.give(removed.base(), removed.bytes());
    }
}
