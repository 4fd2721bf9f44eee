package org.tutti.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tutti.device.spi.DeviceDriver;

/// Memory that the host and a device both reach without copies: for what both use a little, a counter or
/// a flag, and for devices that share the host's memory. It is freed with its device, or earlier by
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

    /// For kernels, copies and messages, as any other.
    public DeviceBuffer buffer() {
        return buffer;
    }

    /// The memory for Java, and for messages as memory of the host. Waits for all that was given with
    /// the buffer; when something is given with it again, Java leaves the memory alone until the next
    /// call of this. Its use after the end is an `IllegalStateException`.
    public MemorySegment segment() {
        buffer.await();
        return segment;
    }

    /// Frees it when what was given with it is done.
    @Override
    public void close() {
        device.closing(driver -> {
            if (closed) return;
            DeviceStream last = buffer.memory().last;
            if (last != null && !last.isClosed()) driver.synchronize(last.handle());
            device.awaitMessages(driver);
            arena.close(); // fails while another thread is using it
            closed = true;
            buffer.memory().freed = true;
            device.forget(this);
            free(driver);
        });
    }

    private void free(DeviceDriver driver) {
        if (address != 0) driver.free(address);
    }

    /// For errors.
    @Override
    public String toString() {
        return buffer + ", managed";
    }
}
