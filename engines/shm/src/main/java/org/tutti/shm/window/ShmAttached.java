package org.tutti.shm.window;

import java.lang.foreign.MemorySegment;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.Access;
import org.tutti.spi.AttachedMemory;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Attached memory in the job's segment. All ranks can access the segment, so attaching only publishes the
/// offset.
final class ShmAttached implements AttachedMemory {
    private final ShmWindow window;
    private final Shared memory;

    ShmAttached(ShmWindow window, Shared memory) {
        this.window = window;
        this.memory = memory;
    }

    @Override
    public long attach(MemorySegment piece) {
        long place = place(piece);
        if (place >= 0) return place;
        throw Fault.argument(
                PredefinedErrorClass.ERR_RMA_ATTACH,
                "attach",
                piece.byteSize() + " bytes " + (piece.isNative() ? "outside of" : "of an array, not in")
                        + " the job's memory; attach memory of mpi.alloc(bytes)",
                window.port());
    }

    @Override
    public long place(MemorySegment piece) {
        return memory.place(piece, 0, piece.byteSize());
    }

    @Override
    public void detach(MemorySegment piece) {
        // nothing to do: the memory stays in the segment
    }

    @Override
    public void run(Access access) {
        window.run(access, access.targetOffset);
    }

    @Override
    public void flush(int target) {
        window.flush(target);
    }

    @Override
    public void flushAll() {
        window.flushAll();
    }

    @Override
    public void free() {
        // nothing to do: no memory was allocated
    }
}
