package org.tutti.device.host;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.source.KernelSignature;
import org.tutti.device.source.KernelSource;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.spi.HostAllocations;
import org.tutti.device.spi.LaunchShape;
import org.tutti.device.spi.ManagedAllocations;
import org.tutti.device.spi.PeerMemory;

/// Memory of this process. All work is complete when a call returns, so streams and events are just numbers.
final class HostDriver implements DeviceDriver, PeerMemory, ManagedAllocations {
    private final DeviceAttributes attributes;
    private final HostAllocations allocations = new HostAllocations();
    private final AtomicLong numbers = new AtomicLong();

    HostDriver(DeviceAttributes attributes) {
        this.attributes = attributes;
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    @Override
    public boolean isHostMemory() {
        return true;
    }

    @Override
    public long allocate(long bytes) {
        return allocations.allocate(bytes).address();
    }

    @Override
    public boolean hasManaged() {
        return true;
    }

    @Override
    public long allocateManaged(long bytes) {
        return allocate(bytes);
    }

    @Override
    public void free(long address) {
        allocations.free(address);
    }

    @Override
    public MemorySegment allocateHost(long bytes) {
        return allocations.allocate(bytes);
    }

    @Override
    public void freeHost(MemorySegment memory) {
        allocations.free(memory.address());
    }

    private static MemorySegment at(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    @Override
    public void copyIn(long stream, long to, MemorySegment from) {
        at(to, from.byteSize()).copyFrom(from);
    }

    @Override
    public void copyOut(long stream, MemorySegment to, long from) {
        to.copyFrom(at(from, to.byteSize()));
    }

    @Override
    public void copy(long stream, long to, long from, long bytes) {
        at(to, bytes).copyFrom(at(from, bytes));
    }

    @Override
    public boolean reaches(DeviceDriver other) {
        return other instanceof HostDriver;
    }

    @Override
    public void copyFrom(DeviceDriver other, long otherStream, long stream, long to, long from, long bytes) {
        copy(stream, to, from, bytes);
    }

    @Override
    public void fill(long stream, long to, long pattern, int patternBytes, long count) {
        MemorySegment target = at(to, count * patternBytes);
        switch (patternBytes) {
            case Byte.BYTES -> target.fill((byte) pattern);
            case Short.BYTES -> {
                for (long i = 0; i < count; i++) target.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) pattern);
            }
            case Integer.BYTES -> {
                for (long i = 0; i < count; i++) target.setAtIndex(ValueLayout.JAVA_INT, i, (int) pattern);
            }
            default -> {
                for (long i = 0; i < count; i++) target.setAtIndex(ValueLayout.JAVA_LONG, i, pattern);
            }
        }
    }

    @Override
    public long createStream() {
        return numbers.incrementAndGet();
    }

    @Override
    public void destroyStream(long stream) {}

    @Override
    public void synchronize(long stream) {}

    @Override
    public long record(long stream) {
        return numbers.incrementAndGet();
    }

    @Override
    public void await(long stream, long event) {}

    @Override
    public boolean isComplete(long event) {
        return true;
    }

    @Override
    public void synchronizeEvent(long event) {}

    @Override
    public void releaseEvent(long event) {}

    @Override
    public String compiler() {
        return "none";
    }

    private static DeviceFault noCompiler() {
        return new DeviceFault(Reason.UNSUPPORTED, "the host cannot compile kernels; pass a kernel in Java");
    }

    @Override
    public byte[] compile(KernelSource source, List<String> options) {
        throw noCompiler();
    }

    @Override
    public long load(byte[] binary) {
        throw noCompiler();
    }

    @Override
    public void unload(long module) {
        throw noCompiler();
    }

    @Override
    public long function(long module, String name) {
        throw noCompiler();
    }

    @Override
    public void launch(long stream, long function, KernelSignature signature, long[] values, LaunchShape shape) {
        throw noCompiler();
    }

    @Override
    public void close() {
        allocations.freeAll();
    }
}
