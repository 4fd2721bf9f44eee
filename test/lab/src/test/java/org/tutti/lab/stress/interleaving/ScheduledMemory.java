package org.tutti.lab.stress.interleaving;

import java.lang.foreign.MemorySegment;
import org.tutti.shm.segment.Shared;

/// The job's memory with a scheduling point at each access: before a store, and after a load, so that the
/// loaded value may be outdated when it is used.
class ScheduledMemory extends Shared {
    private final Scheduler scheduler;

    ScheduledMemory(MemorySegment segment, Scheduler scheduler) {
        super(segment);
        this.scheduler = scheduler;
    }

    @Override
    public MemorySegment segment() {
        scheduler.point();
        return super.segment();
    }

    @Override
    public long getLong(long at) {
        long value = super.getLong(at);
        scheduler.point();
        return value;
    }

    @Override
    public void setLong(long at, long value) {
        scheduler.point();
        super.setLong(at, value);
    }

    @Override
    public void setLongs(long at, long a, long b, long c, long d, long e, long f, long g) {
        setLong(at, a);
        setLong(at + Long.BYTES, b);
        setLong(at + 2 * Long.BYTES, c);
        setLong(at + 3 * Long.BYTES, d);
        setLong(at + 4 * Long.BYTES, e);
        setLong(at + 5 * Long.BYTES, f);
        setLong(at + 6 * Long.BYTES, g);
    }

    @Override
    public void setLongs(long at, long a, long b, long c) {
        setLong(at, a);
        setLong(at + Long.BYTES, b);
        setLong(at + 2 * Long.BYTES, c);
    }

    @Override
    public int getInt(long at) {
        int value = super.getInt(at);
        scheduler.point();
        return value;
    }

    @Override
    public void setInt(long at, int value) {
        scheduler.point();
        super.setInt(at, value);
    }

    @Override
    public long getLongAcquire(long at) {
        long value = super.getLongAcquire(at);
        scheduler.point();
        return value;
    }

    @Override
    public void setLongRelease(long at, long value) {
        scheduler.point();
        super.setLongRelease(at, value);
    }

    @Override
    public long addLong(long at, long value) {
        scheduler.point();
        return super.addLong(at, value);
    }

    @Override
    public boolean compareAndSetLong(long at, long expected, long value) {
        scheduler.point();
        return super.compareAndSetLong(at, expected, value);
    }

    @Override
    public int getIntAcquire(long at) {
        int value = super.getIntAcquire(at);
        scheduler.point();
        return value;
    }

    @Override
    public int getIntVolatile(long at) {
        int value = super.getIntVolatile(at);
        scheduler.point();
        return value;
    }

    @Override
    public void setIntRelease(long at, int value) {
        scheduler.point();
        super.setIntRelease(at, value);
    }

    @Override
    public void addInt(long at, int value) {
        scheduler.point();
        super.addInt(at, value);
    }

    @Override
    public void put(MemorySegment from, long fromAt, long at, long bytes) {
        scheduler.point();
        super.put(from, fromAt, at, bytes);
    }

    @Override
    public void take(long at, MemorySegment to, long toAt, long bytes) {
        scheduler.point();
        super.take(at, to, toAt, bytes);
    }
}
