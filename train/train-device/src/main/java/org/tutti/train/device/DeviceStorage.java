package org.tutti.train.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.DeviceStream;
import org.tutti.device.PinnedMemory;
import org.tutti.train.model.TensorStorage.OnDevice;

/// Numbers in a buffer, and memory of the host through which they are sent, once that was needed.
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

    /// Copies to memory of the host, which messages may read and write until [#fromHost].
    MemorySegment toHost(DeviceStream stream) {
        PinnedMemory there = staging;
        if (there == null) {
            there = buffer.owner().pinned(Math.max(1, buffer.byteSize())); // none has 0 bytes
            staging = there;
        }
        buffer.copyTo(there, 0, stream);
        stream.synchronize();
        isUnderWay = true;
        return there.segment().asSlice(0, buffer.byteSize());
    }

    /// What was sent is there: copies it back. Returns at once.
    void fromHost(DeviceStream stream) {
        PinnedMemory there = staging;
        if (there == null || !isUnderWay) throw new IllegalStateException("nothing of this storage was sent");
        isUnderWay = false;
        buffer.copyFrom(there, 0, stream);
    }

    /// Frees the memory of the host, and the buffer; while others may still send there, they end with
    /// the device.
    void free() {
        if (isUnderWay) return;
        release();
        buffer.free();
    }

    /// Frees the memory of the host, unless others may still send there.
    void release() {
        if (isUnderWay || staging == null) return;
        staging.close();
        staging = null;
    }
}
