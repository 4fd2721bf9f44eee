package org.tutti.device.spi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tutti.device.spi.DeviceFault.Reason;

/// Ordinary host memory, for drivers without pinned memory.
public final class HostAllocations {
    /// The alignment in bytes, which is the size of the longest vector of any processor.
    private static final long ALIGNMENT = 64;

    private final Map<Long, Arena> arenas = new ConcurrentHashMap<>();

    public HostAllocations() {}

    /// Allocates memory. Throws a [DeviceFault] `NO_MEMORY` if this fails.
    public MemorySegment allocate(long bytes) {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = arena.allocate(bytes, ALIGNMENT);
            arenas.put(memory.address(), arena);
            return memory;
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new DeviceFault(Reason.NO_MEMORY, "malloc(bytes=" + bytes + "): no memory");
        }
    }

    public void free(long address) {
        Arena arena = arenas.remove(address);
        if (arena != null) arena.close();
    }

    public void freeAll() {
        arenas.values().forEach(Arena::close);
        arenas.clear();
    }
}
