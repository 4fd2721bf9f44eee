package org.tutti.shm.segment;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.tutti.spi.type.Moves;

/// The words of the job's memory. Casts its segment as [org.tutti.spi.type.Elements] does, and for the same
/// reason.
///
/// Every access to the job's memory by more than one rank goes through here, so a test may put a scheduler
/// behind it. While no subclass is loaded the compiler takes the methods for final.
public class Shared {
    private static final Class<? extends MemorySegment> NATIVE = MemorySegment.NULL.getClass();
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final VarHandle LONGS = LONG.varHandle();
    private static final VarHandle INTS = INT.varHandle();

    private final MemorySegment segment;

    public Shared(MemorySegment segment) {
        this.segment = segment;
    }

    public MemorySegment segment() {
        return segment;
    }

    private MemorySegment fast() {
        return NATIVE.isInstance(segment) ? NATIVE.cast(segment) : segment;
    }

    public long getLong(long at) {
        return fast().get(LONG, at);
    }

    public void setLong(long at, long value) {
        fast().set(LONG, at, value);
    }

    public int getInt(long at) {
        return fast().get(INT, at);
    }

    public void setInt(long at, int value) {
        fast().set(INT, at, value);
    }

    public long getLongAcquire(long at) {
        return (long) LONGS.getAcquire(fast(), at);
    }

    public void setLongRelease(long at, long value) {
        LONGS.setRelease(fast(), at, value);
    }

    public long addLong(long at, long value) {
        return (long) LONGS.getAndAdd(fast(), at, value);
    }

    public boolean compareAndSetLong(long at, long expected, long value) {
        return LONGS.compareAndSet(fast(), at, expected, value);
    }

    public int getIntAcquire(long at) {
        return (int) INTS.getAcquire(fast(), at);
    }

    public int getIntVolatile(long at) {
        return (int) INTS.getVolatile(fast(), at);
    }

    public void setIntRelease(long at, int value) {
        INTS.setRelease(fast(), at, value);
    }

    public void addInt(long at, int value) {
        INTS.getAndAdd(fast(), at, value);
    }

    /// Where `bytes` bytes of `part` from `offset` on lie in it; -1 where they do not.
    public long place(MemorySegment part, long offset, long bytes) {
        if (!part.isNative()) return -1;
        long at = part.address() + offset - segment.address();
        return at >= 0 && at + bytes <= segment.byteSize() ? at : -1;
    }

    /// Copies bytes into it.
    public void put(MemorySegment from, long fromAt, long at, long bytes) {
        Moves.copy(from, fromAt, segment, at, bytes);
    }

    /// Copies bytes out of it.
    public void take(long at, MemorySegment to, long toAt, long bytes) {
        Moves.copy(segment, at, to, toAt, bytes);
    }
}
