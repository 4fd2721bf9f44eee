package org.tutti.shm.segment;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tutti.job.OsDoor;
import org.tutti.spi.Allocations;
import org.tutti.spi.Allocations.Allocation;
import org.tutti.spi.Allocator;

/// A rank's memory in the job's segment. What it gives back is its own to take again; the pages are the system's
/// meanwhile.
public final class SharedAllocator implements Allocator {
    private final Segment segment;
    private final OsDoor door = OsDoor.open();
    private final Allocations allocations = new Allocations();
    private final FreeExtents free = new FreeExtents();

    public SharedAllocator(Segment segment) {
        this.segment = segment;
    }

    @Override
    public MemorySegment allocate(long bytes) {
        long align = Segment.alignment(bytes);
        // what fits nowhere is refused as it was asked for
        long whole = bytes > segment.memory().segment().byteSize() ? bytes : Segment.aligned(Math.max(bytes, 1), align);
        long at = extent(whole, align);
        Arena arena = Arena.ofShared();
        MemorySegment memory = door.view(segment.memory().segment().asSlice(at, bytes), arena);
        return allocations.add(new Allocation(memory, arena, at, whole));
    }

    /// Nothing is locked while pages are filled.
    private long extent(long bytes, long align) {
        long at = take(bytes, align);
        if (at < 0) return segment.extent(bytes, "alloc");
        try {
            segment.renew(at, bytes, "alloc");
            return at;
        } catch (Throwable e) {
            give(at, bytes);
            throw e;
        }
    }

    private synchronized long take(long bytes, long align) {
        return free.take(bytes, align);
    }

    private synchronized void give(long at, long bytes) {
        free.give(at, bytes);
    }

    @Override
    public void free(MemorySegment memory) {
        Allocation gone = allocations.remove(memory);
        door.release(segment.memory().segment().asSlice(gone.base(), gone.bytes()));
        give(gone.base(), gone.bytes());
    }
}
