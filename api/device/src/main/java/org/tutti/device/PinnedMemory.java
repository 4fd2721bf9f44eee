package org.tutti.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;

/// Host memory that a device can access directly (*pinned* or page-locked), if the backend supports it. It is
/// required for asynchronous copies. It is freed with the device, or earlier by [#close].
public final class PinnedMemory implements AutoCloseable {
    private final Device device;
    private final MemorySegment memory;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private boolean closed;

    /// The streams that copy from or to this memory, possibly concurrently. Guarded by the device's lock.
    private final Set<DeviceStream> streams = new HashSet<>();

    PinnedMemory(Device device, MemorySegment memory) {
        this.device = device;
        this.memory = memory;
        segment = memory.reinterpret(arena, null);
    }

    Device device() {
        return device;
    }

    /// Returns the memory as a segment, which can also be passed to `buf(segment, type)`. An access after
    /// [#close] throws an `IllegalStateException`.
    public MemorySegment segment() {
        return segment;
    }

    public long byteSize() {
        return segment.byteSize();
    }

    /// Registers a stream for which [#close] must wait. Needs the device's lock.
    void usedBy(DeviceStream stream) {
        if (streams.add(stream)) streams.removeIf(DeviceStream::isClosed);
    }

    /// Returns a checked range for the driver. Needs the device's lock.
    MemorySegment range(long offsetBytes, long bytes) {
        if (closed) throw new DeviceException(device.id() + ": this pinned memory was freed");
        if (offsetBytes < 0 || bytes > byteSize() - offsetBytes) {
            throw new DeviceException(device.id() + ": " + bytes + " bytes at byte " + offsetBytes
                    + " exceed pinned memory of " + byteSize() + " bytes");
        }
        return memory.asSlice(offsetBytes, bytes);
    }

    /// Waits until all work with the memory is complete, and frees it.
    @Override
    public void close() {
        device.closing(driver -> {
            if (closed) return;
            for (DeviceStream each : streams) if (!each.isClosed()) driver.synchronize(each.handle());
            arena.close(); // fails while a thread is using it
            closed = true;
            device.forget(this);
            driver.freeHost(memory);
        });
    }
}
