package org.tutti.shm.segment;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;
import org.tutti.job.OsDoor;
import org.tutti.spi.Allocations;
import org.tutti.spi.Allocations.Allocation;
import org.tutti.spi.Allocator;

/// A rank's memory in the job's segment.
public final class SharedAllocator implements Allocator {
    private static final Cleaner CLEANER = Cleaner.create();

    private final Shared memory;
    private final OsDoor door;
    private final Extents extents;
    private final Allocations allocations = new Allocations();

    public SharedAllocator(Shared memory, OsDoor door, Extents extents) {
        this.memory = memory;
        this.door = door;
        this.extents = extents;
    }

    @Override
    public MemorySegment allocate(long bytes) {
        // what fits nowhere is refused as it was asked for
        long whole = bytes > memory.segment().byteSize() ? bytes : Extents.whole(bytes);
        long at = extents.take(whole, "alloc");
        Arena arena = Arena.ofShared();
        MemorySegment view = door.view(memory.segment().asSlice(at, bytes), arena);
        return allocations.add(new Allocation(view, arena, at, whole));
    }

    @Override
    public @Nullable MemorySegment allocateCollected(long bytes) {
        long whole = bytes > memory.segment().byteSize() ? bytes : Extents.whole(bytes);
        long at = extents.take(whole, "alloc");
        MemorySegment part = memory.segment().asSlice(at, bytes);
        MemorySegment view = door.view(part, Arena.ofAuto());
        if (view.equals(part)) { // without native access, nothing reports that it has become unreachable
            extents.give(at, whole);
            return null;
        }
        // slices and buffers of the view have the same scope
        CLEANER.register(view.scope(), () -> extents.give(at, whole));
        return view;
    }

    @Override
    public void free(MemorySegment freed) {
        Allocation gone = allocations.remove(freed);
        extents.give(gone.base(), gone.bytes());
    }
}
