package org.tutti.job;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/// The words of memory that processes share.
///
/// The compiler makes some 600 bytes of code of one access to a segment, and 240 where the segment is a constant
/// (JDK 25); a short collective call has some fifty accesses, which a new program waits to have compiled. So where
/// the [OsDoor] has it, that constant is all memory of the process, and the bounds are looked after here.
public class Words {
    private static final @Nullable MemorySegment ALL = OsDoor.open().allMemory();
    private static final Class<? extends MemorySegment> NATIVE = MemorySegment.NULL.getClass();
    private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INTS = ValueLayout.JAVA_INT.varHandle();

    /// For accesses without ordering, which need no look at the alignment.
    private static final VarHandle PLAIN_LONGS = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();

    private static final VarHandle PLAIN_INTS = ValueLayout.JAVA_INT_UNALIGNED.varHandle();

    private final MemorySegment segment;

    /// What is to be added to an offset.
    private final long base;

    private final long bytes;

    /// @param segment native, aligned to 8 bytes
    public Words(MemorySegment segment) {
        this.segment = segment;
        base = ALL == null ? 0 : segment.address();
        bytes = segment.byteSize();
    }

    public MemorySegment segment() {
        return segment;
    }

    private MemorySegment all() {
        return ALL == null ? NATIVE.cast(segment) : ALL;
    }

    private long place(long at, int width) {
        if (at < 0 || at > bytes - width) throw outside(at, width);
        return base + at;
    }

    private IndexOutOfBoundsException outside(long at, int width) {
        return new IndexOutOfBoundsException(width + " bytes at " + at + " of " + bytes);
    }

    /// The segment may be unmapped as soon as nobody has it.
    private void keep() {
        Reference.reachabilityFence(segment);
    }

    public long getLong(long at) {
        long value = (long) PLAIN_LONGS.get(all(), place(at, Long.BYTES));
        keep();
        return value;
    }

    public void setLong(long at, long value) {
        PLAIN_LONGS.set(all(), place(at, Long.BYTES), value);
        keep();
    }

    /// Seven words behind each other, with one look at the bounds.
    public void setLongs(long at, long a, long b, long c, long d, long e, long f, long g) {
        MemorySegment all = all();
        long place = place(at, 7 * Long.BYTES);
        PLAIN_LONGS.set(all, place, a);
        PLAIN_LONGS.set(all, place + Long.BYTES, b);
        PLAIN_LONGS.set(all, place + 2 * Long.BYTES, c);
        PLAIN_LONGS.set(all, place + 3 * Long.BYTES, d);
        PLAIN_LONGS.set(all, place + 4 * Long.BYTES, e);
        PLAIN_LONGS.set(all, place + 5 * Long.BYTES, f);
        PLAIN_LONGS.set(all, place + 6 * Long.BYTES, g);
        keep();
    }

    public int getInt(long at) {
        int value = (int) PLAIN_INTS.get(all(), place(at, Integer.BYTES));
        keep();
        return value;
    }

    public void setInt(long at, int value) {
        PLAIN_INTS.set(all(), place(at, Integer.BYTES), value);
        keep();
    }

    public long getLongAcquire(long at) {
        long value = (long) LONGS.getAcquire(all(), place(at, Long.BYTES));
        keep();
        return value;
    }

    public void setLongRelease(long at, long value) {
        LONGS.setRelease(all(), place(at, Long.BYTES), value);
        keep();
    }

    public long addLong(long at, long value) {
        long before = (long) LONGS.getAndAdd(all(), place(at, Long.BYTES), value);
        keep();
        return before;
    }

    public boolean compareAndSetLong(long at, long expected, long value) {
        boolean isSet = LONGS.compareAndSet(all(), place(at, Long.BYTES), expected, value);
        keep();
        return isSet;
    }

    public int getIntAcquire(long at) {
        int value = (int) INTS.getAcquire(all(), place(at, Integer.BYTES));
        keep();
        return value;
    }

    public int getIntVolatile(long at) {
        int value = (int) INTS.getVolatile(all(), place(at, Integer.BYTES));
        keep();
        return value;
    }

    public void setIntRelease(long at, int value) {
        INTS.setRelease(all(), place(at, Integer.BYTES), value);
        keep();
    }

    public void addInt(long at, int value) {
        INTS.getAndAdd(all(), place(at, Integer.BYTES), value);
        keep();
    }

    /// Copies bytes into the memory.
    public void put(MemorySegment from, long fromAt, long at, long bytes) {
        MemorySegment.copy(from, fromAt, segment, at, bytes);
    }

    /// Copies bytes out of it.
    public void take(long at, MemorySegment to, long toAt, long bytes) {
        MemorySegment.copy(segment, at, to, toAt, bytes);
    }
}
