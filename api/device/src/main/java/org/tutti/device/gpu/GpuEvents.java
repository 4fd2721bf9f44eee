package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A pool of a device's events, because the creation of an event costs a microsecond or more, and recording an
/// event costs much less.
final class GpuEvents {
    private static final int DISABLE_TIMING = 2;

    private final GpuCalls calls;
    private long[] all = new long[16], free = new long[16];
    private int count, released;

    GpuEvents(GpuCalls calls) {
        this.calls = calls;
    }

    /// Returns an unused event. The device must be current.
    synchronized long take() {
        if (released > 0) return free[--released];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int code = calls.table.call(DriverFunction.EVENT_CREATE, out.address(), DISABLE_TIMING);
            if (code != 0) throw calls.fault(DriverFunction.EVENT_CREATE, code, "");
            if (count == all.length) all = Arrays.copyOf(all, 2 * count);
            return all[count++] = out.get(JAVA_LONG, 0);
        }
    }

    synchronized void release(long event) {
        if (released == free.length) free = Arrays.copyOf(free, 2 * released);
        free[released++] = event;
    }

    /// Destroys all events. The device must be current.
    synchronized void close() {
        int failed = 0;
        for (int i = 0; i < count; i++) {
            int code = calls.table.call(DriverFunction.EVENT_DESTROY, all[i]);
            if (failed == 0) failed = code;
        }
        count = 0;
        released = 0;
        if (failed != 0) throw calls.fault(DriverFunction.EVENT_DESTROY, failed, "");
    }
}
