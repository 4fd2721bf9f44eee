package org.tutti.device;

import java.lang.foreign.MemorySegment;
import java.util.function.ObjLongConsumer;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.DeviceMemory;
import org.tutti.mpi.Runs;

/// A buffer that a message has: copies wait for nothing but themselves.
record StartedMemory(DeviceBuffer buffer, DeviceStream stream) implements DeviceMemory {
    @Override
    public String device() {
        return buffer.device();
    }

    @Override
    public Support support() {
        return buffer.support();
    }

    @Override
    public long address() {
        return buffer.address();
    }

    @Override
    public long byteSize() {
        return buffer.byteSize();
    }

    @Override
    public Datatype type() {
        return buffer.type();
    }

    @Override
    public void copyTo(MemorySegment target, long from) {
        if (target.isNative()) beside((d, s) -> d.copyOut(s, target, buffer.usable() + from));
        else buffer.copyTo(target, from);
    }

    @Override
    public void copyFrom(MemorySegment source, long to) {
        if (source.isNative()) beside((d, s) -> d.copyIn(s, buffer.usable() + to, source));
        else buffer.copyFrom(source, to);
    }

    @Override
    public void copyTo(MemorySegment target, Runs runs, long from) {
        Device device = buffer.owner();
        if (device.isHostMemory()) DeviceMemory.super.copyTo(target, runs, from);
        else device.packer().copyTo(buffer, target, runs, from, stream);
    }

    @Override
    public void copyFrom(MemorySegment source, Runs runs, long to) {
        Device device = buffer.owner();
        if (device.isHostMemory()) DeviceMemory.super.copyFrom(source, runs, to);
        else device.packer().copyFrom(buffer, source, runs, to, stream);
    }

    private void beside(ObjLongConsumer<DeviceDriver> copy) {
        Device device = buffer.owner();
        device.waiting(
                () -> device.locked(d -> {
                    copy.accept(d, stream.handle());
                    return stream.open();
                }),
                DeviceDriver::synchronize);
    }
}
