package org.tutti.device;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.device.spi.DeviceCommunicator;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.device.spi.ManagedAllocations;
import org.tutti.device.spi.PeerMemory;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;

/// An open device: a GPU or another accelerator with separate memory and kernels, or the host.
///
///     try (Mpi mpi = Mpi.init(); Device device = Device.forRank(mpi.world())) {
///         DeviceBuffer x = device.of(1f, 2f, 3f), y = device.zeros(Datatype.FLOAT, 3);
///         Kernel saxpy = device.kernel("saxpy", SOURCE);
///         saxpy.launch(Dim.blocks(3, 256), Dim.of(256), 3, 2f, x, y);
///         mpi.world().allreduce(buf(y), Op.SUM);
///     }
///
/// Buffers, streams and kernels belong to the device and are released with it; only the device must be closed.
/// A call that uses a closed device or freed memory throws an exception that states the reason. Devices,
/// buffers, streams and kernels are thread-safe.
///
/// Work is queued on a stream and executed in order: on [#stream], or on streams that the program creates. A
/// copy to or from host memory is executed after all earlier work with the same buffer, and returns when it is
/// complete. The same applies to messages.
public final class Device implements AutoCloseable {
    private static final long STAGING_BYTES = 1L << 20;
    private static final AtomicLong NUMBERS = new AtomicLong();

    /// The sequence number of this device in the process. A call that locks two devices locks the device with
    /// the lower number first.
    final long number = NUMBERS.incrementAndGet();

    private final DeviceDriver driver;
    private final DeviceAttributes attributes;
    private final int ranks;

    /// Held for reading during every call, and for writing by [#close].
    private final ReentrantReadWriteLock life = new ReentrantReadWriteLock();

    /// Orders the calls of the driver, and guards the state of all objects that belong to the device.
    private final ReentrantLock lock = new ReentrantLock();

    /// Guards `staging`. This lock must be acquired before `lock`.
    private final ReentrantLock stagingLock = new ReentrantLock();

    private final DeviceStream stream = new DeviceStream(this, DeviceDriver.DEFAULT_STREAM);
    private final Set<Allocation> allocations = new LinkedHashSet<>();
    private final Set<Object> owned = new LinkedHashSet<>();

    /// Communicators whose work on this device can fail because of a different rank.
    private final Set<DeviceCommunicator> communicators = new CopyOnWriteArraySet<>();

    private final List<ConnectedDevices> routes = new ArrayList<>();
    private final KernelModules modules;
    private @Nullable DeviceStream messages;
    private @Nullable PinnedMemory staging;
    private @Nullable ArrayKernels arrays;
    private @Nullable RunPacker packer;
    private @Nullable String lost;
    private volatile boolean closed;

    Device(DeviceDriver driver, int ranks) {
        this.driver = driver;
        this.ranks = ranks;
        attributes = driver.attributes();
        modules = new KernelModules(this, driver);
    }

    // ---- selection

    /// Returns all devices that are visible to this process, in order of preference; the host is last. Opens no
    /// device and never throws. [#report] explains why devices are missing.
    public static List<DeviceAttributes> all() {
        return DeviceBackends.devices(DeviceBackends.known());
    }

    /// Returns the devices of a single kind, for example `cuda`, without a search for other kinds, because a
    /// search for OpenCL devices starts OpenCL's compilers.
    public static List<DeviceAttributes> all(String kind) {
        return DeviceBackends.devices(DeviceBackends.known(kind));
    }

    /// Returns the result of the search for devices, with one line for each library, call and device.
    public static String report() {
        return DeviceBackends.searchReport(DeviceBackends.known());
    }

    /// Like [#report()], for one kind.
    public static String report(String kind) {
        return DeviceBackends.searchReport(DeviceBackends.known(kind));
    }

    /// Opens a device by name, for example `opencl:0` or `host`; a kind without a number selects the first
    /// device.
    ///
    /// @throws DeviceUnavailableException if the name is invalid, or the device does not exist or cannot be
    ///     opened; for a valid name, the message contains the search report
    public static Device get(String name) {
        return DeviceSelection.open(name, 1);
    }

    /// Opens the device of this rank. The visible devices are assigned to the ranks of a machine in turn.
    /// Devices are identified by UUID, so it does not matter whether each rank sees a different device or all
    /// ranks see the same devices.
    ///
    /// A rank can have a setting: the environment variable `TUTTI_DEVICE`, or the system property
    /// `tutti.device`. The setting requires a kind of device; `any` requires any device except the host, and
    /// `host` selects the host. If any rank has no device, all ranks without a setting use the host, and rank 0
    /// prints a line about it.
    ///
    /// Collective over `comm`.
    ///
    /// @throws DeviceUnavailableException on all ranks, if a rank has no device of the required kind
    public static Device forRank(Comm comm) {
        return DeviceSelection.forRank(comm);
    }

    /// Like [#forRank], but without communication, for ranks to which a launcher has given a number on each
    /// machine, for example `LOCAL_RANK` of torchrun. The visible devices are assigned to the ranks in turn.
    ///
    /// @throws DeviceUnavailableException if the setting, as in [#forRank], requires a kind of device, and no
    ///     such device is visible
    public static Device forLocalRank(int localRank) {
        return DeviceSelection.forLocalRank(localRank);
    }

    /// Returns the name, for example `opencl:0`.
    public String id() {
        return attributes.id();
    }

    public DeviceAttributes attributes() {
        return attributes;
    }

    /// Returns the number of ranks that share this device according to [#forRank]; 1 if the device was opened
    /// in a different way.
    public int ranks() {
        return ranks;
    }

    // ---- memory

    /// Returns a buffer with these values.
    public DeviceBuffer of(float... values) {
        DeviceBuffer buffer = allocate(Datatype.FLOAT, values.length);
        return buffer.filled(() -> buffer.copyFrom(values));
    }

    /// Returns a buffer with these values.
    public DeviceBuffer of(double... values) {
        DeviceBuffer buffer = allocate(Datatype.DOUBLE, values.length);
        return buffer.filled(() -> buffer.copyFrom(values));
    }

    /// Returns a buffer with these values.
    public DeviceBuffer of(int... values) {
        DeviceBuffer buffer = allocate(Datatype.INT, values.length);
        return buffer.filled(() -> buffer.copyFrom(values));
    }

    /// Returns a buffer with these values.
    public DeviceBuffer of(long... values) {
        DeviceBuffer buffer = allocate(Datatype.LONG, values.length);
        return buffer.filled(() -> buffer.copyFrom(values));
    }

    /// Returns a buffer of zeros.
    ///
    /// @param type a predefined type
    /// @throws DeviceException if the device has not enough memory
    public DeviceBuffer zeros(Datatype type, long count) {
        DeviceBuffer buffer = allocate(type, count);
        return buffer.filled(buffer::clear);
    }

    /// Returns a buffer with unspecified content.
    ///
    /// @param type a predefined type
    /// @throws DeviceException if the device has not enough memory
    public DeviceBuffer allocate(Datatype type, long count) {
        long bytes = checkedBytes(type, count);
        return locked(d -> {
            Allocation made = new Allocation(bytes == 0 ? 0 : d.allocate(bytes), bytes, false);
            allocations.add(made);
            return new DeviceBuffer(this, made, 0, count, type);
        });
    }

    /// Returns a buffer over device memory of a different library, for example of a tensor. The library must not
    /// free the memory before the last use of the buffer, and the library's work with the memory must be
    /// complete before this call.
    ///
    /// @param type a predefined type
    public DeviceBuffer wrap(long address, long bytes, Datatype type) {
        if (!type.isPredefined() || bytes < 0 || bytes % type.sizeBytes() != 0 || address == 0 && bytes > 0) {
            throw error(
                    "bytes=" + bytes + " at address " + Long.toHexString(address) + " cannot hold elements of " + type);
        }
        return locked(d -> {
            Allocation made = new Allocation(address, bytes, true);
            return new DeviceBuffer(this, made, 0, bytes / type.sizeBytes(), type);
        });
    }

    /// Returns pinned host memory, for asynchronous copies.
    public PinnedMemory pinned(long bytes) {
        if (bytes < 1) throw error("bytes=" + bytes + " of pinned memory: must be at least 1");
        return locked(d -> {
            PinnedMemory memory = new PinnedMemory(this, d.allocateHost(bytes));
            owned.add(memory);
            return memory;
        });
    }

    /// Returns whether [#allocateManaged] is supported. It is supported on the host, with CUDA and HIP if the
    /// host can access such memory at any time, and with OpenCL if the device has fine-grained shared virtual
    /// memory.
    public boolean hasManaged() {
        return locked(d -> d instanceof ManagedAllocations managed && managed.hasManaged());
    }

    /// Returns memory with unspecified content that the host can access, too.
    ///
    /// @param type a predefined type
    /// @throws DeviceException if the device does not support managed memory, or has not enough memory
    public ManagedBuffer allocateManaged(Datatype type, long count) {
        long bytes = checkedBytes(type, count);
        return locked(d -> {
            if (!(d instanceof ManagedAllocations managed) || !managed.hasManaged()) {
                throw error("managed memory is not supported; check hasManaged()");
            }
            long address = bytes == 0 ? 0 : managed.allocateManaged(bytes);
            DeviceBuffer buffer = new DeviceBuffer(this, new Allocation(address, bytes, true), 0, count, type);
            ManagedBuffer made = new ManagedBuffer(this, buffer, address);
            owned.add(made);
            return made;
        });
    }

    private long checkedBytes(Datatype type, long count) {
        if (!type.isPredefined()) throw error("the type of a buffer must be predefined, not " + type);
        if (count < 0 || count > Long.MAX_VALUE / type.sizeBytes()) {
            throw error("count=" + count + " of " + type + " is not a valid buffer length");
        }
        return count * type.sizeBytes();
    }

    // ---- kernels

    /// Returns a kernel that is written in CUDA C. It is compiled for this device, or loaded from the disk
    /// cache.
    ///
    /// @param name the name of a kernel in `source`
    /// @param options compiler options: `-D NAME=VALUE`, or options of this device's compiler
    /// @throws KernelCompileException if the source does not compile
    /// @throws DeviceException on the host, which cannot compile kernels; use [#kernel(String, String,
    ///     HostKernel, String...)] instead
    public Kernel kernel(String name, String source, String... options) {
        return modules.kernel(name, source, null, List.of(options));
    }

    /// Returns a kernel in CUDA C, with an equivalent in Java for the host.
    ///
    /// @throws KernelCompileException as in [#kernel(String, String, String...)]; on the host only if the
    ///     signature is invalid
    public Kernel kernel(String name, String source, HostKernel host, String... options) {
        return modules.kernel(name, source, host, List.of(options));
    }

    /// Returns a kernel that is written in Java. Only for the host.
    ///
    /// @throws DeviceException on other devices
    public Kernel kernel(String name, HostKernel host) {
        if (!driver.isHostMemory()) {
            throw error("kernel " + name + " exists only in Java, for the host; pass a source in CUDA C, too");
        }
        return new Kernel(this, name, null, 0, host);
    }

    /// Returns the ready-made kernels for arrays.
    public ArrayKernels arrays() {
        return locked(d -> {
            if (arrays == null) arrays = new ArrayKernels(this);
            return arrays;
        });
    }

    RunPacker packer() {
        return locked(d -> {
            if (packer == null) packer = new RunPacker(this);
            return packer;
        });
    }

    // ---- streams

    /// Returns the default stream.
    public DeviceStream stream() {
        return stream;
    }

    public DeviceStream newStream() {
        return locked(d -> {
            DeviceStream made = new DeviceStream(this, d.createStream());
            owned.add(made);
            return made;
        });
    }

    /// Returns the stream for copies of messages.
    DeviceStream messageStream() {
        return locked(d -> {
            if (messages == null) messages = newStream();
            return messages;
        });
    }

    /// Waits until pending copies of messages are complete. The caller holds the lock, so that no other copy
    /// starts.
    void awaitMessages(DeviceDriver d) {
        if (messages != null) d.synchronize(messages.handle());
    }

    /// Waits until all work of the device is complete.
    public void synchronize() {
        List<DeviceStream> all = new ArrayList<>();
        all.add(stream);
        locked(d -> {
            for (Object each : owned) if (each instanceof DeviceStream s) all.add(s);
            return null;
        });
        for (DeviceStream each : all) if (!each.isClosed()) each.synchronize();
    }

    /// Waits until the device's work is complete, and then releases all objects that belong to the device.
    @Override
    public void close() {
        if (life.getReadHoldCount() > 0)
            throw error("close: called by a kernel in Java that is running on this device");
        life.writeLock().lock();
        try {
            if (closed) return;
            release();
            closed = true;
            try {
                driver.close();
            } catch (DeviceFault f) {
                throw thrown(f);
            }
        } finally {
            life.writeLock().unlock();
        }
    }

    /// Releases all objects of the device. A lost device rejects these calls, which is harmless.
    private void release() {
        List<Object> handles = List.copyOf(owned);
        attempt(() -> driver.synchronize(stream.handle()));
        for (ConnectedDevices each : routes) attempt(each::abandon);
        for (Object each : handles) if (each instanceof DeviceStream s) attempt(() -> driver.synchronize(s.handle()));
        for (DeviceCommunicator each : communicators) attempt(each::abort); // watchdogs query the events closed below
        communicators.clear();
        for (Object each : handles) attempt(() -> close(each));
        for (Allocation each : allocations) {
            each.freed = true;
            if (!each.wrapped && each.bytes > 0) attempt(() -> driver.free(each.address));
        }
        allocations.clear();
        attempt(modules::unload);
    }

    private static void close(Object each) {
        switch (each) {
            case DeviceStream s -> s.close();
            case Event e -> e.close();
            case PinnedMemory p -> p.close();
            case ManagedBuffer m -> m.close();
            default -> throw new AssertionError(each);
        }
    }

    private static void attempt(Runnable action) {
        try {
            action.run();
        } catch (DeviceFault | DeviceException | IllegalStateException e) {
            // continue with the remaining objects
        }
    }

    // ---- for objects of the device

    void remember(Object each) {
        owned.add(each);
    }

    void forget(Object each) {
        owned.remove(each);
    }

    void forget(Allocation each) {
        allocations.remove(each);
    }

    /// Connects this device with the devices of other ranks. Does not hold the lock, because the call waits for
    /// other ranks.
    DeviceCommunicator connect(CollectiveLibrary library, Comm comm) {
        DeviceCommunicator made = library.connect(comm, driver);
        communicators.add(made);
        return made;
    }

    void forget(DeviceCommunicator each) {
        communicators.remove(each);
    }

    /// Installs a route between the devices of all ranks in `comm`. Collective.
    void connect(Comm comm, List<CollectiveLibrary> libraries) {
        ConnectedDevices route = new ConnectedDevices(comm, this, libraries);
        locked(d -> routes.add(route));
        route.connect(comm);
    }

    boolean isClosed() {
        return closed;
    }

    /// Returns an optional capability of the driver; null if the driver does not support it.
    <P> @Nullable P power(Class<P> kind) {
        return kind.isInstance(driver) ? kind.cast(driver) : null;
    }

    DeviceException error(String message) {
        return new DeviceException(id() + ": " + message);
    }

    private void checkOpen() {
        if (closed) throw error("the device was closed");
        if (lost != null) throw new DeviceLostException(id() + ": the device is lost: " + lost, new Exception(lost));
    }

    /// Runs a driver call while holding the lock.
    <T extends @Nullable Object> T locked(Function<DeviceDriver, T> action) {
        life.readLock().lock();
        lock.lock();
        try {
            checkOpen();
            return action.apply(driver);
        } catch (DeviceFault f) {
            throw thrown(f);
        } finally {
            lock.unlock();
            life.readLock().unlock();
        }
    }

    /// Like [#locked], but has no effect if the device is closed, and calls the driver even if the device is
    /// lost.
    void closing(Consumer<DeviceDriver> action) {
        life.readLock().lock();
        lock.lock();
        try {
            if (!closed) action.accept(driver);
        } catch (DeviceFault f) {
            throw thrown(f);
        } finally {
            lock.unlock();
            life.readLock().unlock();
        }
    }

    /// Waits in the driver for the stream or event whose handle `handle` returns. During the wait, other
    /// threads can use the device, and can close the stream or event.
    void waiting(Supplier<DriverHandle> handle, ObjLongConsumer<DeviceDriver> action) {
        life.readLock().lock();
        try {
            DriverHandle waitedFor;
            lock.lock();
            try {
                checkOpen();
                waitedFor = handle.get();
                waitedFor.enter();
            } finally {
                lock.unlock();
            }
            try {
                action.accept(driver, waitedFor.value());
            } finally {
                lock.lock();
                try {
                    waitedFor.leave();
                } finally {
                    lock.unlock();
                }
            }
            for (DeviceCommunicator each : communicators) {
                DeviceFault failure = each.failure();
                if (failure != null) throw failure;
            }
        } catch (DeviceFault f) {
            throw thrown(f);
        } finally {
            life.readLock().unlock();
        }
    }

    /// Runs `action` with the staging memory for copies of heap memory. This memory has [#STAGING_BYTES] bytes.
    void staged(Consumer<PinnedMemory> action) {
        stagingLock.lock();
        try {
            if (staging == null) staging = pinned(STAGING_BYTES);
            action.accept(staging);
        } finally {
            stagingLock.unlock();
        }
    }

    private DeviceException thrown(DeviceFault f) {
        String text = id() + ": " + f.getMessage();
        if (f.reason() == Reason.LOST) {
            lost = f.getMessage();
            return new DeviceLostException(text, f);
        }
        if (f.reason() == Reason.NO_MEMORY) text += "; the device has " + attributes.memoryBytes() + " bytes";
        return new DeviceException(text, f);
    }

    boolean reachedBy(PeerMemory peer) {
        return peer.reaches(driver);
    }

    boolean isHostMemory() {
        return driver.isHostMemory();
    }

    /// Orders work with `memory` on the stream `next` after all earlier work with `memory`. Returns the
    /// driver's stream. Needs the lock.
    long ordered(Allocation memory, DeviceStream next, DeviceDriver d) {
        DeviceStream before = memory.last;
        long handle = next.handle();
        if (before != null && before != next && !before.isClosed()) {
            long event = d.record(before.handle());
            d.await(handle, event);
            d.releaseEvent(event);
        }
        memory.last = next;
        return handle;
    }

    @Override
    public String toString() {
        return id() + " (" + attributes.name() + ")";
    }
}
