package org.tutti.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tutti.device.spi.DeviceDriver;

/// Memory that the host and a device can access without copies. It is intended for small shared data, such as a
/// counter or a flag, and for devices that share the host's memory. It is freed with the device, or earlier by
/// [#close].
///
///     ManagedBuffer counts = device.allocateManaged(Datatype.INT, 4);
///     count.launch(Dim.of(8), Dim.of(256), n, x, counts.buffer());
///     int first = counts.segment().getAtIndex(ValueLayout.JAVA_INT, 0);
public final class ManagedBuffer implements AutoCloseable {
    private final Device device;
    private final DeviceBuffer buffer;
    private final long address;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private boolean closed;

    ManagedBuffer(Device device, DeviceBuffer buffer, long address) {
        this.device = device;
        this.buffer = buffer;
        this.address = address;
        segment = MemorySegment.ofAddress(address).reinterpret(buffer.byteSize(), arena, null);
    }

    /// Returns the memory as a buffer, which kernels, copies and messages can use like any other buffer.
    public DeviceBuffer buffer() {
        return buffer;
    }

    /// Waits for all work with the buffer, and then returns the memory as a segment. Messages can use the
    /// segment as host memory. After new device work with the buffer, the segment must not be accessed before
    /// the next call of this method. An access after [#close] throws an `IllegalStateException`.
    public MemorySegment segment() {
        buffer.await();
        return segment;
    }

    /// Waits until all work with the memory is complete, and frees it.
    @Override
    public void close() {
        device.closing(driver -> {
            if (closed) return;
            DeviceStream last = buffer.memory().last;
            if (last != null && !last.isClosed()) driver.synchronize(last.handle());
            device.awaitMessages(driver);
            arena.close(); // fails while a thread is using it
            closed = true;
            buffer.memory().freed = true;
            device.forget(this);
            free(driver);
        });
    }

    private void free(DeviceDriver driver) {
        if (address != 0) driver.free(address);
    }

    /// Returns a description for error messages.
    @Override
    public String toString() {
        return buffer + ", managed";
    }
}
