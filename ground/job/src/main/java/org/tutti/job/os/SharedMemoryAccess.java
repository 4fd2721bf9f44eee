package org.tutti.job.os;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/// Access to integers in memory shared by processes.
///
/// The compiler generates some 600 bytes of code for one access to a segment, and 240 bytes if the segment is a
/// constant (JDK 25). A short collective call has some fifty accesses, and a program that has just started
/// waits for the compilation. Therefore, if the [OsPlatform] supports it, one constant segment covers all
/// memory of the process, and bounds are checked here.
public class SharedMemoryAccess {
    private static final @Nullable MemorySegment ALL = OsPlatform.open().allMemory();
    private static final Class<? extends MemorySegment> NATIVE = MemorySegment.NULL.getClass();
    private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INTS = ValueLayout.JAVA_INT.varHandle();

    /// A handle for accesses without ordering, which need no alignment check.
    private static final VarHandle PLAIN_LONGS = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();

    private static final VarHandle PLAIN_INTS = ValueLayout.JAVA_INT_UNALIGNED.varHandle();

    private final MemorySegment segment;

    /// The address that is added to each offset.
    private final long base;

    private final long bytes;

    /// Creates access to `segment`, which must be native and aligned to 8 bytes.
    public SharedMemoryAccess(MemorySegment segment) {
        this.segment = segment;
        base = ALL == null ? 0 : segment.address();
        bytes = segment.byteSize();
    }

    public MemorySegment segment() {
        return segment;
    }

    private IndexOutOfBoundsException outside(long at, int width) {
        return new IndexOutOfBoundsException(width + " bytes at " + at + " of " + bytes);
    }

    public long getLong(long at) {
        if (at < 0 || at > bytes - Long.BYTES) throw outside(at, Long.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        long value = (long) PLAIN_LONGS.get(all, base + at);
        Reference.reachabilityFence(segment);
        return value;
    }

    public void setLong(long at, long value) {
        if (at < 0 || at > bytes - Long.BYTES) throw outside(at, Long.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        PLAIN_LONGS.set(all, base + at, value);
        Reference.reachabilityFence(segment);
    }

    /// Stores seven consecutive `long` values, with one bounds check.
    public void setLongs(long at, long a, long b, long c, long d, long e, long f, long g) {
        if (at < 0 || at > bytes - 7 * Long.BYTES) throw outside(at, 7 * Long.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        long place = base + at;
        PLAIN_LONGS.set(all, place, a);
        PLAIN_LONGS.set(all, place + Long.BYTES, b);
        PLAIN_LONGS.set(all, place + 2 * Long.BYTES, c);
        PLAIN_LONGS.set(all, place + 3 * Long.BYTES, d);
        PLAIN_LONGS.set(all, place + 4 * Long.BYTES, e);
        PLAIN_LONGS.set(all, place + 5 * Long.BYTES, f);
        PLAIN_LONGS.set(all, place + 6 * Long.BYTES, g);
        Reference.reachabilityFence(segment);
    }

    /// Stores three consecutive `long` values.
    public void setLongs(long at, long a, long b, long c) {
        if (at < 0 || at > bytes - 3 * Long.BYTES) throw outside(at, 3 * Long.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        long place = base + at;
        PLAIN_LONGS.set(all, place, a);
        PLAIN_LONGS.set(all, place + Long.BYTES, b);
        PLAIN_LONGS.set(all, place + 2 * Long.BYTES, c);
        Reference.reachabilityFence(segment);
    }

    public int getInt(long at) {
        if (at < 0 || at > bytes - Integer.BYTES) throw outside(at, Integer.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        int value = (int) PLAIN_INTS.get(all, base + at);
        Reference.reachabilityFence(segment);
        return value;
    }

    public void setInt(long at, int value) {
        if (at < 0 || at > bytes - Integer.BYTES) throw outside(at, Integer.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        PLAIN_INTS.set(all, base + at, value);
        Reference.reachabilityFence(segment);
    }

    public long getLongAcquire(long at) {
        if (at < 0 || at > bytes - Long.BYTES) throw outside(at, Long.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        long value = (long) LONGS.getAcquire(all, base + at);
        Reference.reachabilityFence(segment);
        return value;
    }

    public void setLongRelease(long at, long value) {
        if (at < 0 || at > bytes - Long.BYTES) throw outside(at, Long.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        LONGS.setRelease(all, base + at, value);
        Reference.reachabilityFence(segment);
    }

    public long addLong(long at, long value) {
        if (at < 0 || at > bytes - Long.BYTES) throw outside(at, Long.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        long before = (long) LONGS.getAndAdd(all, base + at, value);
        Reference.reachabilityFence(segment);
        return before;
    }

    public boolean compareAndSetLong(long at, long expected, long value) {
        if (at < 0 || at > bytes - Long.BYTES) throw outside(at, Long.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        boolean isSet = LONGS.compareAndSet(all, base + at, expected, value);
        Reference.reachabilityFence(segment);
        return isSet;
    }

    public int getIntAcquire(long at) {
        if (at < 0 || at > bytes - Integer.BYTES) throw outside(at, Integer.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        int value = (int) INTS.getAcquire(all, base + at);
        Reference.reachabilityFence(segment);
        return value;
    }

    public int getIntVolatile(long at) {
        if (at < 0 || at > bytes - Integer.BYTES) throw outside(at, Integer.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        int value = (int) INTS.getVolatile(all, base + at);
        Reference.reachabilityFence(segment);
        return value;
    }

    public void setIntRelease(long at, int value) {
        if (at < 0 || at > bytes - Integer.BYTES) throw outside(at, Integer.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        INTS.setRelease(all, base + at, value);
        Reference.reachabilityFence(segment);
    }

    public void addInt(long at, int value) {
        if (at < 0 || at > bytes - Integer.BYTES) throw outside(at, Integer.BYTES);
        MemorySegment all = ALL != null ? ALL : NATIVE.cast(segment);
        INTS.getAndAdd(all, base + at, value);
        Reference.reachabilityFence(segment);
    }

    /// Copies bytes into the memory.
    public void put(MemorySegment from, long fromAt, long at, long bytes) {
        MemorySegment.copy(from, fromAt, segment, at, bytes);
    }

    /// Copies bytes out of the memory.
    public void take(long at, MemorySegment to, long toAt, long bytes) {
        MemorySegment.copy(segment, at, to, toAt, bytes);
    }
}
