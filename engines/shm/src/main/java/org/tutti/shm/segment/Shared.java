package org.tutti.shm.segment;

import java.lang.foreign.MemorySegment;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.os.SharedMemoryAccess;
import org.tutti.spi.type.Moves;

/// The job's shared memory.
///
/// All accesses to memory shared between ranks use this class, so that a test can replace it by a subclass that
/// schedules the accesses. While no subclass is loaded, the compiler treats the methods as final.
public class Shared extends SharedMemoryAccess {
    /// Minimum size for [OsPlatform#copy]. For shorter copies, it is not faster than Java, because `memcpy`
    /// then reads the cache lines of the destination, too.
    private static final int LONG_BYTES = 4096;

    private final OsPlatform platform = OsPlatform.open();

    public Shared(MemorySegment segment) {
        super(segment);
    }

    /// Returns the offset in the segment of the `bytes` bytes that start at `offset` of `part`; -1 if these
    /// bytes are outside of the segment.
    public long place(MemorySegment part, long offset, long bytes) {
        if (!part.isNative()) return -1;
        long at = part.address() + offset - segment().address();
        return at >= 0 && at + bytes <= segment().byteSize() ? at : -1;
    }

    @Override
    public void put(MemorySegment from, long fromAt, long at, long bytes) {
        if (bytes >= LONG_BYTES && platform.copy(from, fromAt, segment(), at, bytes)) return;
        Moves.copy(from, fromAt, segment(), at, bytes);
    }

    @Override
    public void take(long at, MemorySegment to, long toAt, long bytes) {
        Moves.copy(segment(), at, to, toAt, bytes);
    }
}
