package org.tutti.device;

import java.lang.foreign.MemorySegment;
import java.util.function.ObjLongConsumer;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.DeviceMemory;
import org.tutti.mpi.devices.PackedRuns;
import org.tutti.mpi.devices.PackingMemory;

/// The buffer of a message that has started ([DeviceBuffer#started]): earlier work with the buffer is complete,
/// so copies need not wait for any other work.
record StartedMemory(DeviceBuffer buffer, DeviceStream stream) implements DeviceMemory, PackingMemory {
    @Override
    public String device() {
        return buffer.device();
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
        if (target.isNative()) onStream((d, s) -> d.copyOut(s, target, buffer.usable() + from));
        else buffer.copyTo(target, from);
    }

    @Override
    public void copyFrom(MemorySegment source, long to) {
        if (source.isNative()) onStream((d, s) -> d.copyIn(s, buffer.usable() + to, source));
        else buffer.copyFrom(source, to);
    }

    @Override
    public void copyTo(MemorySegment target, PackedRuns runs, long from) {
        Device device = buffer.owner();
        if (device.isHostMemory()) {
            runs.forEachPart(from, target.byteSize(), (at, place, n) -> copyTo(target.asSlice(at, n), place));
        } else device.packer().copyTo(buffer, target, runs, from, stream);
    }

    @Override
    public void copyFrom(MemorySegment source, PackedRuns runs, long to) {
        Device device = buffer.owner();
        if (device.isHostMemory()) {
            runs.forEachPart(to, source.byteSize(), (at, place, n) -> copyFrom(source.asSlice(at, n), place));
        } else device.packer().copyFrom(buffer, source, runs, to, stream);
    }

    private void onStream(ObjLongConsumer<DeviceDriver> copy) {
        Device device = buffer.owner();
        device.waiting(
                () -> device.locked(d -> {
                    copy.accept(d, stream.handle());
                    return stream.open();
                }),
                DeviceDriver::synchronize);
    }
}
