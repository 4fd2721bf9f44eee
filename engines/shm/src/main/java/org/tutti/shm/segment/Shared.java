package org.tutti.shm.segment;

import java.lang.foreign.MemorySegment;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.os.SharedMemoryAccess;
import org.tutti.spi.type.Moves;

/// The job's memory.
///
/// Every access to the job's memory by more than one rank goes through here, so a test may put a scheduler
/// behind it. While no subclass is loaded the compiler takes the methods for final.
public class Shared extends SharedMemoryAccess {
    /// From here on [OsPlatform#copy] pays; with less, `memcpy` itself reads the lines that it writes.
    private static final int LONG_BYTES = 4096;

    private final OsPlatform door = OsPlatform.open();

    public Shared(MemorySegment segment) {
        super(segment);
    }

    /// Where `bytes` bytes of `part` from `offset` on lie in it; -1 where they do not.
    public long place(MemorySegment part, long offset, long bytes) {
        if (!part.isNative()) return -1;
        long at = part.address() + offset - segment().address();
        return at >= 0 && at + bytes <= segment().byteSize() ? at : -1;
    }

    @Override
    public void put(MemorySegment from, long fromAt, long at, long bytes) {
        if (bytes >= LONG_BYTES && door.copy(from, fromAt, segment(), at, bytes)) return;
        Moves.copy(from, fromAt, segment(), at, bytes);
    }

    @Override
    public void take(long at, MemorySegment to, long toAt, long bytes) {
        Moves.copy(segment(), at, to, toAt, bytes);
    }
}
