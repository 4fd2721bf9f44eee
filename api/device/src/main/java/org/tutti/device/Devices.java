package org.tutti.device;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.device.ElementwiseOp.Binary;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

/// Several devices of one process that run the same function on different data, like `pmap` of JAX.
///
///     try (Mpi mpi = Mpi.init(); Devices devices = Devices.forRank(mpi.world())) {
///         ShardedBuffer x = devices.shard(data), w = devices.replicate(weights);
///         ShardedBuffer gradients = devices.map((device, in) -> gradient(device, in[0], in[1]), x, w);
///         devices.mean(gradients, mpi.world());
///     }
///
/// During a call, one thread works for each device. If a call fails on some devices, it still completes on the
/// remaining devices, and then throws one [DeviceException], which names the failed device that is first in
/// order. The failure of this device is the cause; further failures are suppressed exceptions.
///
/// This class is thread-safe, and so are the single devices. A `Devices` owns its devices: [#close] closes all
/// of these.
public final class Devices implements AutoCloseable {
    private final List<Device> devices;
    private final ExecutorService threads;
    private final DeviceReduction reduction;

    private Devices(List<Device> devices) {
        this.devices = List.copyOf(devices);
        // the pool is unbounded, because a mapped function may call map
        threads = Executors.newCachedThreadPool(
                Thread.ofPlatform().daemon().name("device-", 0).factory());
        reduction = new DeviceReduction(this);
    }

    // ---- selection

    /// Creates a group of these devices, each of which must have been opened separately. Two calls of
    /// `Device.get("opencl:0")` return two devices that share a processor.
    public static Devices of(Device... devices) {
        List<Device> all = Arrays.asList(devices);
        if (all.isEmpty()) throw new DeviceException("Devices.of: at least one device is needed");
        Set<Device> different = new HashSet<>(all);
        if (different.contains(null)) throw new DeviceException("Devices.of: a device is null, in " + all);
        if (different.size() < all.size()) {
            throw new DeviceException("Devices.of: a device is passed twice, in " + all
                    + "; Device.get opens it again as a separate device");
        }
        return new Devices(all);
    }

    /// Opens this rank's part of the machine's devices, which is at least one device. The devices are selected
    /// as in [Device#forRank]. A single rank on a machine receives all visible devices. Several ranks divide the
    /// devices; if all ranks see the same devices, a device is shared only if there are fewer devices than
    /// ranks.
    ///
    /// Collective over `comm`.
    ///
    /// @throws DeviceUnavailableException as in [Device#forRank]
    public static Devices forRank(Comm comm) {
        return new Devices(DeviceSelection.forRank(comm, 0));
    }

    /// Like [#forRank(Comm)], with exactly `count` devices on this rank: the first devices of this rank's part.
    /// If the part has fewer devices, devices are opened several times. A program for several devices can
    /// therefore run on one device, and on the host.
    public static Devices forRank(Comm comm, int count) {
        if (count < 1) throw new DeviceException("Devices.forRank: count=" + count + " must be at least 1");
        return new Devices(DeviceSelection.forRank(comm, count));
    }

    /// Returns the number of devices.
    public int count() {
        return devices.size();
    }

    public Device get(int index) {
        return devices.get(index);
    }

    /// Returns the devices in order.
    public List<Device> all() {
        return devices;
    }

    // ---- memory

    /// Divides an array into shards of equal length, one per device, in device order. Rows of a matrix are not
    /// split if the number of rows is a multiple of the number of devices.
    ///
    /// @throws DeviceException if the length is not a multiple of the number of devices
    public ShardedBuffer shard(float[] data) {
        return shard(Datatype.FLOAT, MemorySegment.ofArray(data));
    }

    /// Like [#shard(float\[\])], for `double`.
    public ShardedBuffer shard(double[] data) {
        return shard(Datatype.DOUBLE, MemorySegment.ofArray(data));
    }

    /// Like [#shard(float\[\])], for `int`.
    public ShardedBuffer shard(int[] data) {
        return shard(Datatype.INT, MemorySegment.ofArray(data));
    }

    /// Like [#shard(float\[\])], for `long`.
    public ShardedBuffer shard(long[] data) {
        return shard(Datatype.LONG, MemorySegment.ofArray(data));
    }

    private ShardedBuffer shard(Datatype type, MemorySegment data) {
        long count = data.byteSize() / type.sizeBytes();
        if (count % count() != 0) {
            throw new DeviceException("shard: " + count + " elements cannot be divided equally among"
                    + " " + count() + " devices: "
                    + count % count() + " would be left over");
        }
        long bytes = data.byteSize() / count();
        ShardedBuffer made = allocate(type, count / count());
        return filled(made, () -> onEach("shard", i -> made.shard(i).copyFrom(data.asSlice(i * bytes, bytes), 0)));
    }

    /// Copies an array to every device.
    public ShardedBuffer replicate(float[] data) {
        return replicate(Datatype.FLOAT, MemorySegment.ofArray(data));
    }

    /// Like [#replicate(float\[\])], for `double`.
    public ShardedBuffer replicate(double[] data) {
        return replicate(Datatype.DOUBLE, MemorySegment.ofArray(data));
    }

    /// Like [#replicate(float\[\])], for `int`.
    public ShardedBuffer replicate(int[] data) {
        return replicate(Datatype.INT, MemorySegment.ofArray(data));
    }

    /// Like [#replicate(float\[\])], for `long`.
    public ShardedBuffer replicate(long[] data) {
        return replicate(Datatype.LONG, MemorySegment.ofArray(data));
    }

    private ShardedBuffer replicate(Datatype type, MemorySegment data) {
        ShardedBuffer made = allocate(type, data.byteSize() / type.sizeBytes());
        return filled(made, () -> onEach("replicate", i -> made.shard(i).copyFrom(data, 0)));
    }

    /// Returns `count` zeros on each device.
    ///
    /// @param type a predefined type
    public ShardedBuffer zeros(Datatype type, long count) {
        ShardedBuffer made = allocate(type, count);
        return filled(made, () -> made.shards().forEach(DeviceBuffer::clear));
    }

    /// Fills new shards, and returns these. If this fails, frees the shards.
    private static ShardedBuffer filled(ShardedBuffer made, Runnable work) {
        try {
            work.run();
            return made;
        } catch (RuntimeException e) {
            made.shards().forEach(each -> each.freeAfter(e));
            throw e;
        }
    }

    /// Allocates on all devices, or on none.
    private ShardedBuffer allocate(Datatype type, long count) {
        List<DeviceBuffer> shards = new ArrayList<>();
        try {
            for (Device each : devices) shards.add(each.allocate(type, count));
        } catch (DeviceException e) {
            shards.forEach(DeviceBuffer::free);
            throw e;
        }
        return new ShardedBuffer(this, shards);
    }

    // ---- work

    /// Runs `function` concurrently on all devices, with the device's shards of all arguments. Returns when the
    /// function has returned on all devices; work that the function has queued may still be pending.
    ///
    /// The function must not make MPI calls that depend on other ranks; make such calls between two calls of
    /// this method.
    ///
    /// @return the results of the function, which must have the same type and length on each device
    public ShardedBuffer map(DeviceFunction function, ShardedBuffer... arguments) {
        for (ShardedBuffer each : arguments) check("map", each);
        DeviceBuffer[] results = new DeviceBuffer[count()];
        onEach("map", i -> {
            DeviceBuffer[] shards = new DeviceBuffer[arguments.length];
            for (int a = 0; a < shards.length; a++) shards[a] = arguments[a].shard(i);
            Device device = devices.get(i);
            DeviceBuffer result = function.apply(device, shards);
            if (result == null) throw device.error("the function returned null");
            if (result.owner() != device) {
                throw device.error("the function returned a buffer of another device, " + result);
            }
            results[i] = result;
        });
        for (DeviceBuffer each : results) {
            if (each.type() == results[0].type() && each.count() == results[0].count()) continue;
            throw new DeviceException("map: the results do not match: " + Arrays.toString(results));
        }
        return new ShardedBuffer(this, List.of(results));
    }

    /// Like [#kernel(String, String, HostKernel, String...)], for devices that all have a compiler.
    public ShardedKernel kernel(String name, String source, String... options) {
        return kernel(device -> device.kernel(name, source, options));
    }

    /// Returns a kernel that is written in CUDA C, and that is compiled for each device as in
    /// [Device#kernel(String, String, HostKernel, String...)].
    ///
    /// @throws KernelCompileException if the source does not compile
    public ShardedKernel kernel(String name, String source, HostKernel host, String... options) {
        return kernel(device -> device.kernel(name, source, host, options));
    }

    /// Compiles for the first device before the other devices, so that an error is reported once, and other
    /// devices of that kind use the cached binary.
    private ShardedKernel kernel(Function<Device, Kernel> compiler) {
        Kernel[] kernels = new Kernel[count()];
        kernels[0] = compiler.apply(devices.getFirst());
        onEach("kernel", i -> {
            if (i > 0) kernels[i] = compiler.apply(devices.get(i));
        });
        return new ShardedKernel(this, List.of(kernels));
    }

    // ---- between devices

    /// Combines the shards element by element, in place. Afterwards, every device has the result, like `psum`
    /// of JAX. The shards are combined in device order, so the result is bitwise reproducible.
    ///
    /// @param op `SUM`, `PROD`, `MIN` or `MAX`
    /// @throws DeviceException if `op` is not one of these, or the shards are not of `FLOAT`, `DOUBLE`, `INT`
    ///     or `LONG`
    public void allreduce(ShardedBuffer x, Op op) {
        Binary binary = binary("allreduce", x, op);
        if (count() == 1) return;
        reduction.reduce(x, binary);
        onEach("allreduce", i -> reduction.collect(x, i));
    }

    /// Combines the shards of all devices of all ranks, in place. Afterwards, every device has the result. The
    /// shards of each rank are combined first, then the results of the ranks.
    ///
    /// Collective over `comm`. Type and length of the shards must be equal on all ranks; the number of devices
    /// may differ.
    ///
    /// @param op as in [#allreduce(ShardedBuffer, Op)]
    /// @throws DeviceException as in [#allreduce(ShardedBuffer, Op)]
    public void allreduce(ShardedBuffer x, Op op, Comm comm) {
        Binary binary = binary("allreduce", x, op);
        if (count() > 1) {
            reduction.reduce(x, binary);
            reduction.collect(x, 0);
        }
        comm.allreduce(buf(x.shard(0)), op);
        onEach("allreduce", i -> {
            if (i > 0) x.shard(i).copyFrom(x.shard(0));
        });
    }

    /// Computes the mean of the shards, element by element, in place. Afterwards, every device has the result,
    /// like `pmean` of JAX.
    ///
    /// @throws DeviceException if the shards are not of `FLOAT` or `DOUBLE`
    public void mean(ShardedBuffer x) {
        checkMean(x);
        allreduce(x, Op.SUM);
        scale(x, count());
    }

    /// Computes the mean of the shards of all devices of all ranks, in place. The shards can be gradients, for
    /// example.
    ///
    /// Collective over `comm`, as in [#allreduce(ShardedBuffer, Op, Comm)].
    ///
    /// @throws DeviceException if the shards are not of `FLOAT` or `DOUBLE`
    public void mean(ShardedBuffer x, Comm comm) {
        checkMean(x);
        allreduce(x, Op.SUM, comm);
        scale(x, comm.allreduce(count(), Op.SUM));
    }

    private void scale(ShardedBuffer x, int count) {
        onEach("mean", i -> devices.get(i).arrays().scale(1.0 / count, x.shard(i)));
    }

    private void checkMean(ShardedBuffer x) {
        check("mean", x);
        if (x.type() == Datatype.FLOAT || x.type() == Datatype.DOUBLE) return;
        throw new DeviceException("mean: elements of " + x.type() + "; supported: FLOAT and DOUBLE");
    }

    private Binary binary(String operation, ShardedBuffer x, Op op) {
        check(operation, x);
        for (DeviceBuffer each : x.shards()) each.address(); // throws if freed, even on a single device
        if (!ArrayKernels.ALL.contains(x.type())) {
            throw new DeviceException(
                    operation + ": elements of " + x.type() + "; supported between devices: " + ArrayKernels.ALL);
        }
        Binary how = Binary.combining(op);
        if (how != null) return how;
        throw new DeviceException(operation + ": op=" + op + "; supported between devices: SUM, PROD, MIN and MAX");
    }

    // ---- for objects of the devices

    void check(String operation, ShardedBuffer buffer) {
        if (buffer.devices() == this) return;
        throw new DeviceException(operation + ": the shards (" + buffer + ") belong to other devices than " + this);
    }

    /// The work for one device; the argument is the index of the device.
    interface Work {
        void on(int index) throws Exception;
    }

    /// Runs the work concurrently for all devices; the first device uses the caller's thread.
    void onEach(String operation, Work work) {
        if (threads.isShutdown()) throw new DeviceException(operation + ": these devices were closed");
        @Nullable Throwable[] failures = new Throwable[count()];
        CountDownLatch pending = new CountDownLatch(count() - 1);
        for (int i = 1; i < count(); i++) {
            int index = i;
            Runnable task = () -> {
                attempt(work, index, failures);
                pending.countDown();
            };
            try {
                threads.execute(task);
            } catch (RuntimeException | OutOfMemoryError e) { // closed concurrently, or out of threads
                failures[i] = e;
                pending.countDown();
            }
        }
        attempt(work, 0, failures);
        await(pending);
        DeviceException first = null;
        for (int i = 0; i < failures.length; i++) {
            Throwable failure = failures[i];
            if (failure == null) continue;
            DeviceException named = named(operation, i, failure);
            if (first == null) first = named;
            else first.addSuppressed(named);
        }
        if (first != null) throw first;
    }

    private static void attempt(Work work, int index, @Nullable Throwable[] failures) {
        try {
            work.on(index);
        } catch (Throwable t) {
            failures[index] = t;
        }
    }

    /// Waits without reacting to interrupts, because the worker threads use the caller's memory.
    private static void await(CountDownLatch pending) {
        boolean interrupted = false;
        while (true) {
            try {
                pending.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    private DeviceException named(String operation, int index, Throwable failure) {
        String text = failure instanceof DeviceException
                ? String.valueOf(failure.getMessage())
                : devices.get(index).id() + ": " + failure;
        return new DeviceException(operation + " on device " + index + " of " + count() + ": " + text, failure);
    }

    /// Closes all devices, which frees all device memory.
    @Override
    public void close() {
        threads.shutdown();
        DeviceException first = null;
        for (Device each : devices) {
            try {
                each.close();
            } catch (DeviceException e) {
                if (first == null) first = e;
                else first.addSuppressed(e);
            }
        }
        if (first != null) throw first;
    }

    /// Returns the names of the devices.
    @Override
    public String toString() {
        return devices.stream().map(Device::id).toList().toString();
    }
}
