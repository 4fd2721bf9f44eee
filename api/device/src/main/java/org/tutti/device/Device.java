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

/// A device that is open: a GPU, or another one that has memory of its own and runs kernels; or the host.
///
///     try (Mpi mpi = Mpi.init(); Device device = Device.forRank(mpi.world())) {
///         DeviceBuffer x = device.of(1f, 2f, 3f), y = device.zeros(Datatype.FLOAT, 3);
///         Kernel saxpy = device.kernel("saxpy", SOURCE);
///         saxpy.launch(Dim.blocks(3, 256), Dim.of(256), 3, 2f, x, y);
///         mpi.world().allreduce(buf(y), Op.SUM);
///     }
///
/// Buffers, streams and kernels belong to their device and end with it: only the device is closed. A call
/// for memory or a kernel of one that was closed, or for memory that was freed, is an error that says so.
/// Any thread may use a device and what belongs to it.
///
/// Work is given to a device and done later, in order: [#stream], or streams that a program makes. Copies
/// to and from memory of the host return when they are done, after what was given before them with the
/// same buffer; so does every message.
public final class Device implements AutoCloseable {
    private static final long STAGING_BYTES = 1L << 20;
    private static final AtomicLong NUMBERS = new AtomicLong();

    /// Of all devices of the process, the later opened the larger: the order in which two are locked.
    final long number = NUMBERS.incrementAndGet();

    private final DeviceDriver driver;
    private final DeviceAttributes attributes;
    private final int ranks;

    /// Held for reading during every call, for writing at the end.
    private final ReentrantReadWriteLock life = new ReentrantReadWriteLock();

    /// Orders what is given to the driver, and guards the states of all that belongs to the device.
    private final ReentrantLock lock = new ReentrantLock();

    /// Guards `staging`. Taken before `lock`.
    private final ReentrantLock stagingLock = new ReentrantLock();

    private final DeviceStream stream = new DeviceStream(this, DeviceDriver.DEFAULT_STREAM);
    private final Set<Allocation> allocations = new LinkedHashSet<>();
    private final Set<Object> owned = new LinkedHashSet<>();

    /// What has given work to this device that can fail because of other ranks.
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

    // ---- which one

    /// All devices that this process sees, those that are preferred first, the host last. Opens none, and
    /// never throws: [#report] says what was missing.
    public static List<DeviceAttributes> all() {
        return DeviceBackends.devices(DeviceBackends.known());
    }

    /// Those of one kind, `cuda` for instance, without a look at others: to look for devices of OpenCL starts its
    /// compilers.
    public static List<DeviceAttributes> all(String kind) {
        return DeviceBackends.devices(DeviceBackends.known(kind));
    }

    /// What was looked at, and what was found there: a line for each library, call and device.
    public static String report() {
        return DeviceBackends.looked(DeviceBackends.known());
    }

    /// As [#report()], of one kind.
    public static String report(String kind) {
        return DeviceBackends.looked(DeviceBackends.known(kind));
    }

    /// Opens a device by its name, `opencl:0` or `host`; a kind alone is its first device.
    ///
    /// @throws DeviceUnavailableException when there is none of that name, with all that was looked at
    public static Device get(String name) {
        return DeviceSelection.open(name, 1);
    }

    /// Opens the device of this rank: the ranks of a machine are given the devices that they see in turn,
    /// by their UUIDs, so that ranks of which each sees another device, or all the same one, get what
    /// there is.
    ///
    /// Where no rank's machine has any, it is the host, and rank 0 prints one line that says so. The
    /// variable `TUTTI_DEVICE`, or the system property `tutti.device`, can ask for a kind: then it is
    /// required, and so is any device but the host with `any`; `host` asks for the host.
    ///
    /// Collective over `comm`.
    ///
    /// @throws DeviceUnavailableException on all ranks, when some rank has none of the required kind
    public static Device forRank(Comm comm) {
        return DeviceSelection.forRank(comm);
    }

    /// As [#forRank], without messages, for ranks that a launcher has numbered on each machine:
    /// `LOCAL_RANK` of torchrun for instance. The rank takes one of the devices that it sees, in turn.
    ///
    /// @throws DeviceUnavailableException when `TUTTI_DEVICE` requires a kind of which it sees none
    public static Device forLocalRank(int localRank) {
        return DeviceSelection.forLocalRank(localRank);
    }

    /// `opencl:0`.
    public String id() {
        return attributes.id();
    }

    public DeviceAttributes attributes() {
        return attributes;
    }

    /// How many ranks [#forRank] gave this device to; 1 where it was not used.
    public int ranks() {
        return ranks;
    }

    // ---- memory

    /// A buffer with these values.
    public DeviceBuffer of(float... values) {
        DeviceBuffer buffer = allocate(Datatype.FLOAT, values.length);
        return buffer.filled(() -> buffer.copyFrom(values));
    }

    /// A buffer with these values.
    public DeviceBuffer of(double... values) {
        DeviceBuffer buffer = allocate(Datatype.DOUBLE, values.length);
        return buffer.filled(() -> buffer.copyFrom(values));
    }

    /// A buffer with these values.
    public DeviceBuffer of(int... values) {
        DeviceBuffer buffer = allocate(Datatype.INT, values.length);
        return buffer.filled(() -> buffer.copyFrom(values));
    }

    /// A buffer with these values.
    public DeviceBuffer of(long... values) {
        DeviceBuffer buffer = allocate(Datatype.LONG, values.length);
        return buffer.filled(() -> buffer.copyFrom(values));
    }

    /// A buffer of zeros.
    ///
    /// @param type a predefined type
    /// @throws DeviceException when the device has not that much memory
    public DeviceBuffer zeros(Datatype type, long count) {
        DeviceBuffer buffer = allocate(type, count);
        return buffer.filled(buffer::clear);
    }

    /// A buffer of any content.
    ///
    /// @param type a predefined type
    /// @throws DeviceException when the device has not that much memory
    public DeviceBuffer allocate(Datatype type, long count) {
        long bytes = checkedBytes(type, count);
        return locked(d -> {
            Allocation made = new Allocation(bytes == 0 ? 0 : d.allocate(bytes), bytes, false);
            allocations.add(made);
            return new DeviceBuffer(this, made, 0, count, type);
        });
    }

    /// A buffer over memory of this device that another library has, a tensor's for instance. That
    /// library frees it, and not before this buffer is used no more; what it has given to the device with
    /// that memory has ended.
    ///
    /// @param type a predefined type
    public DeviceBuffer wrap(long address, long bytes, Datatype type) {
        if (!type.isPredefined() || bytes < 0 || bytes % type.sizeBytes() != 0 || address == 0 && bytes > 0) {
            throw error("bytes=" + bytes + " at address " + Long.toHexString(address) + " are no elements of " + type);
        }
        return locked(d -> {
            Allocation made = new Allocation(address, bytes, true);
            return new DeviceBuffer(this, made, 0, bytes / type.sizeBytes(), type);
        });
    }

    /// Memory of the host for copies that run while the program goes on.
    public PinnedMemory pinned(long bytes) {
        if (bytes < 1) throw error("bytes=" + bytes + " of pinned memory: must be at least 1");
        return locked(d -> {
            PinnedMemory memory = new PinnedMemory(this, d.allocateHost(bytes));
            owned.add(memory);
            return memory;
        });
    }

    /// Whether [#allocateManaged] works here: on the host, with CUDA and HIP where the device lets the
    /// host reach such memory at any time, with OpenCL where it has shared virtual memory of fine grain.
    public boolean hasManaged() {
        return locked(d -> d instanceof ManagedAllocations managed && managed.hasManaged());
    }

    /// Memory of any content that the host reaches, too.
    ///
    /// @param type a predefined type
    /// @throws DeviceException when this device has no such memory, or not that much
    public ManagedBuffer allocateManaged(Datatype type, long count) {
        long bytes = checkedBytes(type, count);
        return locked(d -> {
            if (!(d instanceof ManagedAllocations managed) || !managed.hasManaged()) {
                throw error("it has no memory that the host reaches, too; ask hasManaged()");
            }
            long address = bytes == 0 ? 0 : managed.allocateManaged(bytes);
            DeviceBuffer buffer = new DeviceBuffer(this, new Allocation(address, bytes, true), 0, count, type);
            ManagedBuffer made = new ManagedBuffer(this, buffer, address);
            owned.add(made);
            return made;
        });
    }

    private long checkedBytes(Datatype type, long count) {
        if (!type.isPredefined()) throw error("a buffer's elements are of a predefined type, not " + type);
        if (count < 0 || count > Long.MAX_VALUE / type.sizeBytes()) {
            throw error("count=" + count + " of " + type + " is no length of a buffer");
        }
        return count * type.sizeBytes();
    }

    // ---- kernels

    /// A kernel in CUDA C, compiled for this device now, or taken from the cache on disk.
    ///
    /// @param name of one of the kernels in `source`
    /// @param options for the compiler: `-D NAME=VALUE`, or what only this device's compiler has
    /// @throws KernelCompileException when the source is wrong
    /// @throws DeviceException on the host, which compiles none: [#kernel(String, String, HostKernel,
    ///     String...)]
    public Kernel kernel(String name, String source, String... options) {
        return modules.kernel(name, source, null, List.of(options));
    }

    /// A kernel in CUDA C, with the same in Java for the host.
    ///
    /// @throws KernelCompileException as [#kernel(String, String, String...)]; on the host only when the
    ///     kernel's head is wrong
    public Kernel kernel(String name, String source, HostKernel host, String... options) {
        return modules.kernel(name, source, host, List.of(options));
    }

    /// A kernel in Java, for the host alone.
    ///
    /// @throws DeviceException when this is another device
    public Kernel kernel(String name, HostKernel host) {
        if (!driver.isHostMemory()) {
            throw error("kernel " + name + " is in Java, which only the host runs: give its source in CUDA C, too");
        }
        return new Kernel(this, name, null, 0, host);
    }

    /// Ready-made kernels for arrays.
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

    /// The stream that is always there, which work goes to where no other is given.
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

    /// What messages copy on.
    DeviceStream messageStream() {
        return locked(d -> {
            if (messages == null) messages = newStream();
            return messages;
        });
    }

    /// Until copies of messages that are on their way are done. With the lock, so that no other one begins.
    void awaitMessages(DeviceDriver d) {
        if (messages != null) d.synchronize(messages.handle());
    }

    /// Returns when all that the device was given is done.
    public void synchronize() {
        List<DeviceStream> all = new ArrayList<>();
        all.add(stream);
        locked(d -> {
            for (Object each : owned) if (each instanceof DeviceStream s) all.add(s);
            return null;
        });
        for (DeviceStream each : all) if (!each.isClosed()) each.synchronize();
    }

    /// Waits for the device's work and frees all that belongs to it.
    @Override
    public void close() {
        if (life.getReadHoldCount() > 0) throw error("close: called by work of this very device, a kernel in Java");
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

    /// A device that is lost refuses all this, which then has no effect anyway.
    private void release() {
        List<Object> handles = List.copyOf(owned);
        attempt(() -> driver.synchronize(stream.handle()));
        for (ConnectedDevices each : routes) attempt(each::abandon);
        for (Object each : handles) if (each instanceof DeviceStream s) attempt(() -> driver.synchronize(s.handle()));
        for (DeviceCommunicator each : communicators) attempt(each::abort); // their watchdogs use events
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
            // the rest is still to be freed
        }
    }

    // ---- for what belongs to the device

    void remember(Object each) {
        owned.add(each);
    }

    void forget(Object each) {
        owned.remove(each);
    }

    void forget(Allocation each) {
        allocations.remove(each);
    }

    /// Connects this device with those of other ranks. Collective, so without the lock.
    DeviceCommunicator connect(CollectiveLibrary library, Comm comm) {
        DeviceCommunicator made = library.connect(comm, driver);
        communicators.add(made);
        return made;
    }

    void forget(DeviceCommunicator each) {
        communicators.remove(each);
    }

    /// Gives `comm`, whose ranks have all taken such a device, a way between them. Collective.
    void connect(Comm comm, List<CollectiveLibrary> libraries) {
        ConnectedDevices route = new ConnectedDevices(comm, this, libraries);
        locked(d -> routes.add(route));
        route.connect(comm);
    }

    boolean isClosed() {
        return closed;
    }

    /// What the driver has beside [DeviceDriver]; null when it has not.
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

    /// Gives something to the driver.
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

    /// As [#locked], when there is nothing to do once the device is closed or lost.
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

    /// Waits in the driver for what `handle` returns, while other threads use the device, and may close that stream
    /// or event.
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

    /// Runs `action` with memory that a copy of heap memory goes through, [#STAGING_BYTES] long.
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

    /// Lets work with `memory` that is given to `next` come behind what was given before, and returns the
    /// driver's stream. With the lock.
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
