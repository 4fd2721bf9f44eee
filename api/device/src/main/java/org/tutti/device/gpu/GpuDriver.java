package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.device.gpu.GpuCalls.NOT_READY;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.source.KernelSignature;
import org.tutti.device.source.KernelSource;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.spi.InterprocessMemory;
import org.tutti.device.spi.LaunchShape;
import org.tutti.device.spi.ManagedAllocations;
import org.tutti.device.spi.MatrixLibrary;
import org.tutti.device.spi.PeerMemory;
import org.tutti.device.table.FunctionTable;

/// A GPU, accessed through the primary context, which is shared with other libraries in the process.
///
/// The current device is a property of an OS thread, and a virtual thread can move between OS threads, so each
/// method first sets the current device. Streams, modules and functions are handles of the library.
public final class GpuDriver
        implements DeviceDriver, InterprocessMemory, ManagedAllocations, PeerMemory, MatrixLibrary {
    private static final int NON_BLOCKING_STREAM = 1, PORTABLE = 1, ATTACH_GLOBAL = 1;
    private static final int MAX_THREADS_PER_BLOCK = 0;

    /// The time between two polls of a virtual thread, which must not block in the library.
    private static final long POLL_NANOS = 20_000;

    private final GpuCalls calls;
    private final FunctionTable<DriverFunction> table;
    private final DeviceAttributes attributes;
    private final Supplier<RuntimeCompiler> compiler;
    private final int device;
    private final long current;
    private final GpuEvents events;
    private final GpuMatrices matrices;

    private final Set<Long> allocations = ConcurrentHashMap.newKeySet();
    private final Set<Long> hostAllocations = ConcurrentHashMap.newKeySet();
    private final Set<Long> opened = ConcurrentHashMap.newKeySet();
    private final Set<Long> streams = ConcurrentHashMap.newKeySet();
    private final Set<Long> modules = ConcurrentHashMap.newKeySet();
    private final Set<Integer> peers = ConcurrentHashMap.newKeySet();

    GpuDriver(
            GpuCalls calls,
            DeviceAttributes attributes,
            Supplier<RuntimeCompiler> compiler,
            Supplier<MatrixApi> matrices) {
        this.calls = calls;
        this.attributes = attributes;
        this.compiler = compiler;
        table = calls.table;
        device = GpuBackend.device(calls, attributes.index());
        long context = result(DriverFunction.CONTEXT_RETAIN, device);
        current = calls.platform.current(context, device);
        events = new GpuEvents(calls);
        this.matrices = new GpuMatrices(this, calls.platform, matrices);
    }

    /// Sets the current device of this thread, for other libraries.
    public void makeCurrent() {
        int code = table.call(DriverFunction.MAKE_CURRENT, current);
        if (code != 0) throw calls.fault(DriverFunction.MAKE_CURRENT, code, attributes.id());
    }

    private void check(DriverFunction function, int code) {
        if (code != 0) throw calls.fault(function, code, "");
    }

    /// Calls a function that stores a value at the address in the first argument, and returns this value.
    private long result(DriverFunction function, long argument) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int code = table.call(function, out.address(), argument);
            if (code != 0) throw calls.fault(function, code, Long.toString(argument));
            return out.get(JAVA_LONG, 0);
        }
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    @Override
    public boolean isHostMemory() {
        return false;
    }

    @Override
    public long allocate(long bytes) {
        makeCurrent();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int code = table.call(DriverFunction.ALLOCATE, out.address(), bytes);
            if (code != 0) throw noMemory(DriverFunction.ALLOCATE, code, bytes);
            allocations.add(out.get(JAVA_LONG, 0));
            return out.get(JAVA_LONG, 0);
        }
    }

    private DeviceFault noMemory(DriverFunction function, int code, long bytes) {
        DeviceFault fault = calls.fault(function, code, "bytes=" + bytes);
        if (code != GpuCalls.OUT_OF_MEMORY) return fault;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG, 2);
            int asked = table.call(DriverFunction.MEMORY_INFO, out.address(), out.address() + Long.BYTES);
            if (asked != 0) return fault;
            return new DeviceFault(
                    fault.reason(),
                    fault.getMessage() + "; " + out.get(JAVA_LONG, 0) + " of " + out.get(JAVA_LONG, Long.BYTES)
                            + " bytes are free");
        }
    }

    @Override
    public void free(long address) {
        makeCurrent();
        int code = table.call(DriverFunction.FREE, address);
        if (code != 0) throw calls.fault(DriverFunction.FREE, code, "address=0x" + Long.toHexString(address));
        allocations.remove(address);
    }

    @Override
    public boolean hasManaged() {
        return table.has(DriverFunction.ALLOCATE_MANAGED)
                && GpuBackend.attribute(calls, device, VendorNumber.MANAGED) != 0;
    }

    @Override
    public long allocateManaged(long bytes) {
        makeCurrent();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int code = table.call(DriverFunction.ALLOCATE_MANAGED, out.address(), bytes, ATTACH_GLOBAL);
            if (code != 0) throw noMemory(DriverFunction.ALLOCATE_MANAGED, code, bytes);
            allocations.add(out.get(JAVA_LONG, 0));
            return out.get(JAVA_LONG, 0);
        }
    }

    @Override
    public MemorySegment allocateHost(long bytes) {
        makeCurrent();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int code = table.call(DriverFunction.HOST_ALLOCATE, out.address(), bytes, PORTABLE);
            if (code != 0) throw calls.fault(DriverFunction.HOST_ALLOCATE, code, "bytes=" + bytes);
            hostAllocations.add(out.get(JAVA_LONG, 0));
            return MemorySegment.ofAddress(out.get(JAVA_LONG, 0)).reinterpret(bytes);
        }
    }

    @Override
    public void freeHost(MemorySegment memory) {
        makeCurrent();
        check(DriverFunction.HOST_FREE, table.call(DriverFunction.HOST_FREE, memory.address()));
        hostAllocations.remove(memory.address());
    }

    @Override
    public void copyIn(long stream, long to, MemorySegment from) {
        copy(DriverFunction.COPY_TO_DEVICE_ASYNC, to, from.address(), from.byteSize(), stream);
    }

    @Override
    public void copyOut(long stream, MemorySegment to, long from) {
        copy(DriverFunction.COPY_TO_HOST_ASYNC, to.address(), from, to.byteSize(), stream);
    }

    @Override
    public void copy(long stream, long to, long from, long bytes) {
        copy(DriverFunction.COPY_ON_DEVICE_ASYNC, to, from, bytes, stream);
    }

    private void copy(DriverFunction function, long to, long from, long bytes, long stream) {
        if (bytes == 0) return;
        makeCurrent();
        int code = table.call(function, to, from, bytes, stream);
        if (code == 0) return;
        throw calls.fault(
                function,
                code,
                "to=0x" + Long.toHexString(to) + ", from=0x" + Long.toHexString(from) + ", bytes=" + bytes);
    }

    /// Returns whether the same library manages the two devices. A device that was opened twice has one
    /// context.
    @Override
    public boolean reaches(DeviceDriver other) {
        return other instanceof GpuDriver gpu && gpu.calls == calls && table.has(DriverFunction.COPY_PEER_ASYNC);
    }

    @Override
    public void copyFrom(DeviceDriver other, long otherStream, long stream, long to, long from, long bytes) {
        GpuDriver gpu = (GpuDriver) other;
        long before = gpu.record(otherStream);
        await(stream, before);
        gpu.releaseEvent(before);
        if (gpu.device == device) copy(stream, to, from, bytes);
        else copyPeer(gpu, to, from, bytes, stream);
        long after = record(stream);
        gpu.await(otherStream, after);
        releaseEvent(after);
    }

    private void copyPeer(GpuDriver other, long to, long from, long bytes, long stream) {
        if (peers.add(other.device)) enablePeer(other);
        int code = table.call(DriverFunction.COPY_PEER_ASYNC, to, current, from, other.current, bytes, stream);
        if (code == 0) return;
        throw calls.fault(
                DriverFunction.COPY_PEER_ASYNC,
                code,
                "to=0x" + Long.toHexString(to) + ", from=0x" + Long.toHexString(from) + " of " + other.attributes.id()
                        + ", bytes=" + bytes);
    }

    /// Enables direct access if the devices are connected. Otherwise, or if this fails, the driver copies
    /// through the host.
    private void enablePeer(GpuDriver other) {
        if (!table.has(DriverFunction.CAN_ACCESS_PEER) || !table.has(DriverFunction.ENABLE_PEER)) return;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            int code = table.call(DriverFunction.CAN_ACCESS_PEER, out.address(), device, other.device);
            if (code == 0 && out.get(JAVA_INT, 0) != 0) table.call(DriverFunction.ENABLE_PEER, other.current, 0);
        }
    }

    @Override
    public void fill(long stream, long to, long pattern, int patternBytes, long count) {
        if (count == 0) return;
        makeCurrent();
        switch (patternBytes) {
            case Byte.BYTES -> fill(DriverFunction.FILL_8_ASYNC, to, pattern & 0xff, count, stream);
            case Short.BYTES -> fill(DriverFunction.FILL_16_ASYNC, to, pattern & 0xffff, count, stream);
            case Integer.BYTES -> fill(DriverFunction.FILL_32_ASYNC, to, pattern, count, stream);
            default -> fillLongs(stream, to, pattern, count);
        }
    }

    private void fill(DriverFunction function, long to, long pattern, long count, long stream) {
        int code = table.call(function, to, pattern, count, stream);
        if (code == 0) return;
        throw calls.fault(function, code, "to=0x" + Long.toHexString(to) + ", count=" + count);
    }

    /// Fills memory with an 8-byte pattern. Drivers have no such function: if the two halves of the pattern
    /// differ, the pattern is written once, and the written part is then repeatedly doubled.
    private void fillLongs(long stream, long to, long pattern, long count) {
        int low = (int) pattern, high = (int) (pattern >>> Integer.SIZE);
        if (low == high) {
            fill(DriverFunction.FILL_32_ASYNC, to, low, 2 * count, stream);
            return;
        }
        fill(DriverFunction.FILL_32_ASYNC, to, low, 1, stream);
        fill(DriverFunction.FILL_32_ASYNC, to + Integer.BYTES, high, 1, stream);
        for (long done = 1; done < count; done *= 2) {
            copy(stream, to + done * Long.BYTES, to, Math.min(done, count - done) * Long.BYTES);
        }
    }

    @Override
    public long createStream() {
        makeCurrent();
        long stream = result(DriverFunction.STREAM_CREATE, NON_BLOCKING_STREAM);
        streams.add(stream);
        return stream;
    }

    @Override
    public void destroyStream(long stream) {
        makeCurrent();
        check(DriverFunction.STREAM_DESTROY, table.call(DriverFunction.STREAM_DESTROY, stream));
        streams.remove(stream);
    }

    @Override
    public void synchronize(long stream) {
        await(DriverFunction.STREAM_QUERY, DriverFunction.STREAM_SYNCHRONIZE, stream);
    }

    private void await(DriverFunction query, DriverFunction block, long handle) {
        if (!Thread.currentThread().isVirtual()) {
            makeCurrent();
            check(block, table.call(block, handle));
            return;
        }
        while (!isDone(query, handle)) LockSupport.parkNanos(POLL_NANOS);
    }

    private boolean isDone(DriverFunction query, long handle) {
        makeCurrent();
        int code = table.call(query, handle);
        if (code != NOT_READY) check(query, code);
        return code == 0;
    }

    @Override
    public long record(long stream) {
        makeCurrent();
        long event = events.take();
        int code = table.call(DriverFunction.EVENT_RECORD, event, stream);
        if (code == 0) return event;
        events.release(event);
        throw calls.fault(DriverFunction.EVENT_RECORD, code, "");
    }

    @Override
    public void await(long stream, long event) {
        makeCurrent();
        check(DriverFunction.STREAM_WAIT_EVENT, table.call(DriverFunction.STREAM_WAIT_EVENT, stream, event, 0));
    }

    @Override
    public boolean isComplete(long event) {
        return isDone(DriverFunction.EVENT_QUERY, event);
    }

    @Override
    public void synchronizeEvent(long event) {
        await(DriverFunction.EVENT_QUERY, DriverFunction.EVENT_SYNCHRONIZE, event);
    }

    @Override
    public void releaseEvent(long event) {
        events.release(event);
    }

    @Override
    public String compiler() {
        return compiler.get() + " for " + attributes.architecture() + " (" + attributes.name() + ")";
    }

    @Override
    public byte[] compile(KernelSource source, List<String> options) {
        makeCurrent();
        return compiler.get().compile(source.text(), options, attributes.architecture());
    }

    @Override
    public long load(byte[] binary) {
        makeCurrent();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment image = arena.allocateFrom(JAVA_BYTE, binary);
            long module = result(DriverFunction.MODULE_LOAD, image.address());
            modules.add(module);
            return module;
        }
    }

    @Override
    public void unload(long module) {
        makeCurrent();
        check(DriverFunction.MODULE_UNLOAD, table.call(DriverFunction.MODULE_UNLOAD, module));
        modules.remove(module);
    }

    @Override
    public long function(long module, String name) {
        makeCurrent();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            long text = arena.allocateFrom(name).address();
            int code = table.call(DriverFunction.MODULE_FUNCTION, out.address(), module, text);
            if (code != 0) throw calls.fault(DriverFunction.MODULE_FUNCTION, code, "name=" + name);
            long function = out.get(JAVA_LONG, 0);
            loadNow(function);
            return function;
        }
    }

    /// Loads a function before the first launch. CUDA would otherwise load the function during that launch, and
    /// wait for the whole device; this wait would last forever if a kernel of a library is waiting for a
    /// different rank.
    private void loadNow(long function) {
        if (!table.has(DriverFunction.FUNCTION_LOAD)) return;
        check(DriverFunction.FUNCTION_LOAD, table.call(DriverFunction.FUNCTION_LOAD, function));
    }

    /// Launches a kernel. The library copies the values during the call, so a memory block per thread is
    /// sufficient.
    @Override
    public void launch(long stream, long function, KernelSignature signature, long[] values, LaunchShape shape) {
        makeCurrent();
        MemorySegment pointers = LaunchArguments.of(values);
        int code = table.call(
                DriverFunction.LAUNCH,
                function,
                shape.gridX(),
                shape.gridY(),
                shape.gridZ(),
                shape.blockX(),
                shape.blockY(),
                shape.blockZ(),
                shape.sharedBytes(),
                stream,
                pointers.address(),
                0);
        if (code != 0) throw launchFault(code, function, signature, shape);
    }

    private DeviceFault launchFault(int code, long function, KernelSignature signature, LaunchShape shape) {
        DeviceFault fault = calls.fault(DriverFunction.LAUNCH, code, signature + ", " + shape);
        if (code != GpuCalls.OUT_OF_RESOURCES || !table.has(DriverFunction.FUNCTION_ATTRIBUTE)) return fault;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            long at = out.address();
            int asked = table.call(DriverFunction.FUNCTION_ATTRIBUTE, at, MAX_THREADS_PER_BLOCK, function);
            if (asked != 0) return fault;
            return new DeviceFault(
                    fault.reason(),
                    fault.getMessage() + "; a block of this kernel may have " + out.get(JAVA_INT, 0) + " threads, not "
                            + (long) shape.blockX() * shape.blockY() * shape.blockZ());
        }
    }

    @Override
    public Exported export(long address) {
        makeCurrent();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment range = arena.allocate(JAVA_LONG, 2);
            long base = range.address();
            int code = table.call(DriverFunction.ADDRESS_RANGE, base, base + Long.BYTES, address);
            check(DriverFunction.ADDRESS_RANGE, code);
            MemorySegment handle = arena.allocate(FunctionTable.HANDLE_BYTES);
            long start = range.get(JAVA_LONG, 0);
            check(DriverFunction.IPC_GET, table.call(DriverFunction.IPC_GET, handle.address(), start));
            return new Exported(handle.toArray(JAVA_BYTE), address - start);
        }
    }

    @Override
    public long open(byte[] handle) {
        makeCurrent();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            long bytes = arena.allocateFrom(JAVA_BYTE, handle).address();
            int code = table.call(
                    DriverFunction.IPC_OPEN, out.address(), bytes, calls.platform.number(VendorNumber.IPC_OPEN_FLAGS));
            check(DriverFunction.IPC_OPEN, code);
            opened.add(out.get(JAVA_LONG, 0));
            return out.get(JAVA_LONG, 0);
        }
    }

    @Override
    public void close(long address) {
        makeCurrent();
        check(DriverFunction.IPC_CLOSE, table.call(DriverFunction.IPC_CLOSE, address));
        opened.remove(address);
    }

    @Override
    public boolean hasProducts() {
        return matrices.isThere();
    }

    @Override
    public String products() {
        return matrices.text();
    }

    @Override
    public void multiply(long stream, boolean isDouble, int rows, int columns, int inner, long a, long b, long c) {
        matrices.multiply(stream, isDouble, rows, columns, inner, a, b, c);
    }

    /// Releases everything, regardless of failures. If the device is lost, the library has already released
    /// everything.
    @Override
    public void close() {
        Closing closing = new Closing();
        closing.run(matrices::close);
        closing.each(modules, this::unload);
        closing.each(opened, this::close);
        closing.each(allocations, this::free);
        closing.each(hostAllocations, address -> freeHost(MemorySegment.ofAddress(address)));
        closing.each(streams, this::destroyStream);
        closing.run(() -> {
            makeCurrent();
            events.close();
        });
        closing.run(() -> check(DriverFunction.CONTEXT_RELEASE, table.call(DriverFunction.CONTEXT_RELEASE, device)));
        if (closing.first != null && closing.first.reason() != Reason.LOST) throw closing.first;
    }

    /// Continues after failures, and stores one failure: the report of a lost device, which explains all other
    /// failures, or otherwise the first failure.
    private static final class Closing {
        private @Nullable DeviceFault first;

        void each(Set<Long> handles, LongConsumer end) {
            for (long handle : handles) run(() -> end.accept(handle));
        }

        void run(Runnable step) {
            try {
                step.run();
            } catch (DeviceFault e) {
                if (first == null || e.reason() == Reason.LOST) first = e;
            }
        }
    }
}
