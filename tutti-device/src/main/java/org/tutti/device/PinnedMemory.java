package org.tutti.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Memory of the host that a device copies from and to by itself, where its backend has that (*pinned*,
/// or page-locked): what asynchronous copies need. It is freed with its device, or earlier by [#close].
public final class PinnedMemory implements AutoCloseable {
    private final Device device;
    private final MemorySegment memory;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private boolean closed;

    /// The stream that last copied from or to it. Guarded by the device's lock.
    @Nullable
    DeviceStream last;

    PinnedMemory(Device device, MemorySegment memory) {
        this.device = device;
        this.memory = memory;
        segment = memory.reinterpret(arena, null);
    }

    Device device() {
        return device;
    }

    /// The memory itself, for `buf(segment, type)`, too. Its use after the end is an
    /// `IllegalStateException`.
    public MemorySegment segment() {
        return segment;
    }

    public long byteSize() {
        return segment.byteSize();
    }

    /// For the driver, after a check; only with the device's lock.
    MemorySegment range(long offsetBytes, long bytes) {
        if (closed) throw new DeviceException(device.id() + ": this pinned memory was freed");
        if (offsetBytes < 0 || bytes > byteSize() - offsetBytes) {
            throw new DeviceException(device.id() + ": " + bytes + " bytes from byte " + offsetBytes
                    + " on do not lie in pinned memory of " + byteSize() + " bytes");
        }
        return memory.asSlice(offsetBytes, bytes);
    }

    /// Frees it when what was started with it is done.
    @Override
    public void close() {
        device.closing(driver -> {
            if (closed) return;
            if (last != null && !last.isClosed()) driver.synchronize(last.handle());
            arena.close(); // fails while another thread is using it
            closed = true;
            device.forget(this);
            driver.freeHost(memory);
        });
    }
}
