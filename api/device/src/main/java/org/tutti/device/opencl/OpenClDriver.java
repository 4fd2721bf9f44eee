package org.tutti.device.opencl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.library.JvmSignals;
import org.tutti.device.source.KernelSignature;
import org.tutti.device.source.KernelSignature.Parameter;
import org.tutti.device.source.KernelSource;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.spi.HostAllocations;
import org.tutti.device.spi.LaunchShape;
import org.tutti.device.spi.ManagedAllocations;
import org.tutti.device.table.FunctionTable;

/// An OpenCL device with a separate context. A stream is a command queue; the first one is the default stream.
final class OpenClDriver implements DeviceDriver, ManagedAllocations {
    private static final int FALSE = 0, DIMENSIONS = 3;
    private static final long NULL = 0, READ_WRITE = 1, FINE_GRAIN = 1L << 10;
    private static final int EVENT_STATUS = 0x11D3,
            COMPLETE = 0,
            BINARY_SIZES = 0x1165,
            BINARIES = 0x1166,
            LOG = 0x1183;

    private final FunctionTable<OpenClFunction> cl;
    private final long device;
    private final DeviceAttributes attributes;
    private final boolean hasManaged;
    private final long context;
    private final long defaultQueue;
    private final HostAllocations hostMemory = new HostAllocations();

    /// Kernels, by module and name. A kernel object stores the arguments, so only one thread at a time may
    /// launch a kernel.
    private final Map<Long, Map<String, Long>> kernels = new HashMap<>();

    /// @param hasManaged whether the device has fine-grained shared virtual memory
    OpenClDriver(FunctionTable<OpenClFunction> cl, long device, DeviceAttributes attributes, boolean hasManaged) {
        this.cl = cl;
        this.device = device;
        this.attributes = attributes;
        this.hasManaged = hasManaged;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = arena.allocate(JAVA_INT);
            context = cl.address(
                    OpenClFunction.CREATE_CONTEXT,
                    NULL,
                    1,
                    arena.allocateFrom(JAVA_LONG, device).address(),
                    NULL,
                    NULL,
                    error.address());
            OpenClError.check(error.get(JAVA_INT, 0), "clCreateContext");
        }
        defaultQueue = createStream();
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    @Override
    public boolean isHostMemory() {
        return false;
    }

    private long queue(long stream) {
        return stream == DEFAULT_STREAM ? defaultQueue : stream;
    }

    @Override
    public long allocate(long bytes) {
        return allocate(READ_WRITE, bytes);
    }

    @Override
    public boolean hasManaged() {
        return hasManaged;
    }

    @Override
    public long allocateManaged(long bytes) {
        return allocate(READ_WRITE | FINE_GRAIN, bytes);
    }

    private long allocate(long flags, long bytes) {
        long address = cl.address(OpenClFunction.SVM_ALLOC, context, flags, bytes, 0);
        if (address == 0) throw new DeviceFault(Reason.NO_MEMORY, "clSVMAlloc(size=" + bytes + "): no memory");
        return address;
    }

    @Override
    public void free(long address) {
        cl.call(OpenClFunction.SVM_FREE, context, address);
    }

    @Override
    public MemorySegment allocateHost(long bytes) {
        return hostMemory.allocate(bytes);
    }

    @Override
    public void freeHost(MemorySegment memory) {
        hostMemory.free(memory.address());
    }

    @Override
    public void copyIn(long stream, long to, MemorySegment from) {
        copy(stream, to, address(from), from.byteSize());
    }

    @Override
    public void copyOut(long stream, MemorySegment to, long from) {
        copy(stream, address(to), from, to.byteSize());
    }

    @Override
    public void copy(long stream, long to, long from, long bytes) {
        OpenClError.check(
                cl.call(OpenClFunction.ENQUEUE_SVM_MEMCPY, queue(stream), FALSE, to, from, bytes, 0, NULL, NULL),
                "clEnqueueSVMMemcpy(size=" + bytes + ")");
        flush(stream);
    }

    /// Returns the address of host memory, which the queue may access until the copy is complete.
    private static long address(MemorySegment host) {
        if (host.isNative() && host.scope().isAlive() && host.isAccessibleBy(Thread.currentThread())) {
            return host.address();
        }
        throw new AssertionError("not live native memory of this thread: " + host);
    }

    @Override
    public void fill(long stream, long to, long pattern, int patternBytes, long count) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bits = arena.allocateFrom(JAVA_LONG, pattern); // little-endian
            OpenClError.check(
                    cl.call(
                            OpenClFunction.ENQUEUE_SVM_MEM_FILL,
                            queue(stream),
                            to,
                            bits.address(),
                            patternBytes,
                            count * patternBytes,
                            0,
                            NULL,
                            NULL),
                    "clEnqueueSVMMemFill(size=" + count * patternBytes + ")");
        }
        flush(stream);
    }

    private void flush(long stream) {
        OpenClError.check(cl.call(OpenClFunction.FLUSH, queue(stream)), "clFlush");
    }

    @Override
    public long createStream() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = arena.allocate(JAVA_INT);
            long queue = cl.address(
                    OpenClFunction.CREATE_COMMAND_QUEUE_WITH_PROPERTIES, context, device, NULL, error.address());
            OpenClError.check(error.get(JAVA_INT, 0), "clCreateCommandQueueWithProperties");
            return queue;
        }
    }

    @Override
    public void destroyStream(long stream) {
        OpenClError.check(cl.call(OpenClFunction.RELEASE_COMMAND_QUEUE, stream), "clReleaseCommandQueue");
    }

    @Override
    public void synchronize(long stream) {
        OpenClError.check(cl.call(OpenClFunction.FINISH, queue(stream)), "clFinish");
    }

    @Override
    public long record(long stream) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(JAVA_LONG);
            OpenClError.check(
                    cl.call(OpenClFunction.ENQUEUE_MARKER_WITH_WAIT_LIST, queue(stream), 0, NULL, event.address()),
                    "clEnqueueMarkerWithWaitList");
            flush(stream); // otherwise a waiting queue may never proceed
            return event.get(JAVA_LONG, 0);
        }
    }

    @Override
    public void await(long stream, long event) {
        try (Arena arena = Arena.ofConfined()) {
            OpenClError.check(
                    cl.call(
                            OpenClFunction.ENQUEUE_BARRIER_WITH_WAIT_LIST,
                            queue(stream),
                            1,
                            arena.allocateFrom(JAVA_LONG, event).address(),
                            NULL),
                    "clEnqueueBarrierWithWaitList");
        }
    }

    @Override
    public boolean isComplete(long event) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(JAVA_INT);
            OpenClError.check(
                    cl.call(
                            OpenClFunction.GET_EVENT_INFO,
                            event,
                            EVENT_STATUS,
                            JAVA_INT.byteSize(),
                            status.address(),
                            NULL),
                    "clGetEventInfo");
            int value = status.get(JAVA_INT, 0);
            if (value < COMPLETE) throw OpenClError.fault(value, "the work before an event");
            return value == COMPLETE;
        }
    }

    @Override
    public void synchronizeEvent(long event) {
        try (Arena arena = Arena.ofConfined()) {
            OpenClError.check(
                    cl.call(
                            OpenClFunction.WAIT_FOR_EVENTS,
                            1,
                            arena.allocateFrom(JAVA_LONG, event).address()),
                    "clWaitForEvents");
        }
    }

    @Override
    public void releaseEvent(long event) {
        OpenClError.check(cl.call(OpenClFunction.RELEASE_EVENT, event), "clReleaseEvent");
    }

    @Override
    public String compiler() {
        return attributes.driver() + "; " + attributes.name();
    }

    @Override
    public String translated(KernelSource source) {
        return OpenClTranslator.translate(source.text());
    }

    @Override
    public byte[] compile(KernelSource source, List<String> options) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(translated(source));
            MemorySegment error = arena.allocate(JAVA_INT);
            long program = cl.address(
                    OpenClFunction.CREATE_PROGRAM_WITH_SOURCE,
                    context,
                    1,
                    arena.allocateFrom(ADDRESS, text).address(),
                    NULL,
                    error.address());
            OpenClError.check(error.get(JAVA_INT, 0), "clCreateProgramWithSource");
            try {
                build(program, String.join(" ", options));
                return binary(program);
            } finally {
                cl.call(OpenClFunction.RELEASE_PROGRAM, program);
            }
        }
    }

    private void build(long program, String options) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment devices = arena.allocateFrom(JAVA_LONG, device);
            MemorySegment optionText = arena.allocateFrom(options);
            int error = JvmSignals.kept(() -> cl.call(
                    OpenClFunction.BUILD_PROGRAM, program, 1, devices.address(), optionText.address(), NULL, NULL));
            if (error == OpenClError.SUCCESS) return;
            String call = "clBuildProgram(options=\"" + options + "\"): " + OpenClError.name(error);
            if (error != OpenClError.BUILD_PROGRAM_FAILURE) throw new DeviceFault(Reason.FAILED, call);
            throw new DeviceFault(Reason.COMPILE, call + "\n" + log(program));
        }
    }

    private String log(long program) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(JAVA_LONG);
            if (cl.call(OpenClFunction.GET_PROGRAM_BUILD_INFO, program, device, LOG, 0, NULL, size.address())
                    != OpenClError.SUCCESS) return "(no log)";
            MemorySegment text = arena.allocate(size.get(JAVA_LONG, 0) + 1);
            cl.call(OpenClFunction.GET_PROGRAM_BUILD_INFO, program, device, LOG, text.byteSize(), text.address(), NULL);
            return text.getString(0);
        }
    }

    private byte[] binary(long program) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(JAVA_LONG);
            OpenClError.check(
                    cl.call(
                            OpenClFunction.GET_PROGRAM_INFO,
                            program,
                            BINARY_SIZES,
                            JAVA_LONG.byteSize(),
                            size.address(),
                            NULL),
                    "clGetProgramInfo");
            MemorySegment binary = arena.allocate(size.get(JAVA_LONG, 0));
            MemorySegment list = arena.allocateFrom(ADDRESS, binary);
            OpenClError.check(
                    cl.call(
                            OpenClFunction.GET_PROGRAM_INFO,
                            program,
                            BINARIES,
                            ADDRESS.byteSize(),
                            list.address(),
                            NULL),
                    "clGetProgramInfo");
            return binary.toArray(JAVA_BYTE);
        }
    }

    @Override
    public synchronized long load(byte[] binary) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = arena.allocate(JAVA_INT);
            long program = cl.address(
                    OpenClFunction.CREATE_PROGRAM_WITH_BINARY,
                    context,
                    1,
                    arena.allocateFrom(JAVA_LONG, device).address(),
                    arena.allocateFrom(JAVA_LONG, (long) binary.length).address(),
                    arena.allocateFrom(ADDRESS, arena.allocateFrom(JAVA_BYTE, binary))
                            .address(),
                    NULL,
                    error.address());
            OpenClError.check(error.get(JAVA_INT, 0), "clCreateProgramWithBinary(length=" + binary.length + ")");
            try {
                build(program, "");
            } catch (DeviceFault f) {
                cl.call(OpenClFunction.RELEASE_PROGRAM, program);
                throw f;
            }
            kernels.put(program, new HashMap<>());
            return program;
        }
    }

    @Override
    public synchronized void unload(long module) {
        Map<String, Long> loaded = kernels.remove(module);
        if (loaded != null) loaded.values().forEach(kernel -> cl.call(OpenClFunction.RELEASE_KERNEL, kernel));
        OpenClError.check(cl.call(OpenClFunction.RELEASE_PROGRAM, module), "clReleaseProgram");
    }

    @Override
    public synchronized long function(long module, String name) {
        Map<String, Long> loaded = kernels.computeIfAbsent(module, m -> new HashMap<>());
        return loaded.computeIfAbsent(name, n -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment error = arena.allocate(JAVA_INT);
                long kernel = cl.address(
                        OpenClFunction.CREATE_KERNEL,
                        module,
                        arena.allocateFrom(OpenClTranslator.renamed(n)).address(),
                        error.address());
                OpenClError.check(error.get(JAVA_INT, 0), "clCreateKernel(" + n + ")");
                return kernel;
            }
        });
    }

    @Override
    public synchronized void launch(
            long stream, long function, KernelSignature signature, long[] values, LaunchShape shape) {
        if (shape.sharedBytes() > 0) {
            throw new DeviceFault(Reason.UNSUPPORTED, "OpenCL kernels must declare all shared memory");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_LONG);
            for (int i = 0; i < values.length; i++) {
                Parameter parameter = signature.parameters().get(i);
                value.set(JAVA_LONG, 0, values[i]); // little-endian
                OpenClError.check(
                        parameter.pointer()
                                ? cl.call(OpenClFunction.SET_KERNEL_ARG_SVM_POINTER, function, i, values[i])
                                : cl.call(
                                        OpenClFunction.SET_KERNEL_ARG, function, i, parameter.bytes(), value.address()),
                        "clSetKernelArg(" + signature.name() + ", " + parameter + ")");
            }
            MemorySegment global = arena.allocate(JAVA_LONG, DIMENSIONS), local = arena.allocate(JAVA_LONG, DIMENSIONS);
            long[] blocks = {shape.gridX(), shape.gridY(), shape.gridZ()};
            int[] threads = {shape.blockX(), shape.blockY(), shape.blockZ()};
            for (int i = 0; i < DIMENSIONS; i++) {
                global.setAtIndex(JAVA_LONG, i, blocks[i] * threads[i]);
                local.setAtIndex(JAVA_LONG, i, threads[i]);
            }
            OpenClError.check(
                    cl.call(
                            OpenClFunction.ENQUEUE_ND_RANGE_KERNEL,
                            queue(stream),
                            function,
                            DIMENSIONS,
                            NULL,
                            global.address(),
                            local.address(),
                            0,
                            NULL,
                            NULL),
                    "clEnqueueNDRangeKernel(" + signature.name() + ", " + shape + ")");
        }
        flush(stream);
    }

    @Override
    public synchronized void close() {
        List<Long> modules = new ArrayList<>(kernels.keySet());
        modules.forEach(this::unload);
        cl.call(OpenClFunction.RELEASE_COMMAND_QUEUE, defaultQueue);
        cl.call(OpenClFunction.RELEASE_CONTEXT, context);
        hostMemory.freeAll();
    }
}
