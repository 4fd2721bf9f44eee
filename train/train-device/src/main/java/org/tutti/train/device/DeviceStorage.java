package org.tutti.train.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.DeviceStream;
import org.tutti.device.PinnedMemory;
import org.tutti.train.model.TensorStorage.OnDevice;

/// Numbers in a device buffer. If messages are sent through the host, host memory is allocated on first use.
final class DeviceStorage implements OnDevice {
    private final DeviceBuffer buffer;
    private @Nullable PinnedMemory staging;
    private boolean isUnderWay;

    DeviceStorage(DeviceBuffer buffer) {
        this.buffer = buffer;
    }

    DeviceBuffer buffer() {
        return buffer;
    }

    @Override
    public String device() {
        return buffer.device();
    }

    @Override
    public long address() {
        return buffer.address();
    }

    @Override
    public long sizeBytes() {
        return buffer.byteSize();
    }

    @Override
    public void copyTo(MemorySegment target) {
        buffer.copyTo(target, 0);
    }

    @Override
    public void copyFrom(MemorySegment source) {
        buffer.copyFrom(source, 0);
    }

    /// Copies to host memory, which messages may read and write until [#fromHost].
    MemorySegment toHost(DeviceStream stream) {
        PinnedMemory there = staging;
        if (there == null) {
            there = buffer.owner().pinned(Math.max(1, buffer.byteSize())); // an allocation cannot have 0 bytes
            staging = there;
        }
        buffer.copyTo(there, 0, stream);
        stream.synchronize();
        isUnderWay = true;
        return there.segment().asSlice(0, buffer.byteSize());
    }

    /// Copies the received data back to the device. Returns immediately.
    void fromHost(DeviceStream stream) {
        PinnedMemory there = staging;
        if (there == null || !isUnderWay) throw new IllegalStateException("no data of this storage was sent");
        isUnderWay = false;
        buffer.copyFrom(there, 0, stream);
    }

    /// Frees the host memory and the buffer. If other ranks may still send to the host memory, both are freed
    /// only with the device.
    void free() {
        if (isUnderWay) return;
        release();
        buffer.free();
    }

    /// Frees the host memory, unless other ranks may still send to it.
    void release() {
        if (isUnderWay || staging == null) return;
        staging.close();
        staging = null;
    }
}
