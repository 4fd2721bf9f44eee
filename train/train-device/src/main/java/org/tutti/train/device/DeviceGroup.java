package org.tutti.train.device;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.DeviceComm;
import org.tutti.device.DeviceStream;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.train.MpiProcessGroup;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ProgressMode;
import org.tutti.train.TrainingException;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage;
import org.tutti.train.model.TensorStorage.OnCpu;
import org.tutti.train.model.TensorStorage.OnDevice;
import org.tutti.train.spi.GroupLifecycle;
import org.tutti.train.spi.GroupProtocol;

/// A group of ranks that train together, each with a device. The group can broadcast and sum data in device
/// memory. The data is sent from device to device if NCCL, RCCL or memory shared by the ranks is available
/// ([DeviceComm]); otherwise it is copied to pinned memory, allocated once per bucket, and sent by the
/// underlying group. [#transport] returns which of these is in use.
///
/// All other messages are sent by the underlying group.
public final class DeviceGroup implements ProcessGroup, GroupProtocol {
    private final ProcessGroup base;
    private final Device device;
    private final boolean ownsDevice;

    /// Null if data is sent through the host.
    private final @Nullable DeviceComm direct;

    private final String report;
    private final DeviceStream stream;

    /// Memory of other libraries that holds data to be summed; the key is the address.
    private final Map<Long, DeviceStorage> wrapped = new HashMap<>();

    private boolean isFailing;
    private boolean isClosed;

    private DeviceGroup(ProcessGroup base, Device device, boolean ownsDevice, @Nullable DeviceComm connected) {
        this.base = base;
        this.device = device;
        this.ownsDevice = ownsDevice;
        report = connected == null ? "" : connected.report();
        stream = device.newStream();
        if (connected == null || !connected.isDirect() || !(base instanceof MpiProcessGroup ranks)) {
            direct = null;
            if (connected != null) connected.close();
            return;
        }
        direct = connected;
        ranks.beforeClose(() -> {
            stream.synchronize();
            connected.close();
        });
    }

    /// Returns the group of the ranks with which this process was started, as [ProcessGroup#init()] does. Each
    /// rank uses one of the devices of the machine, selected by [Device#forRank], or the host if the machine
    /// has no device.
    ///
    /// @throws TrainingException as [ProcessGroup#init()]
    public static DeviceGroup init() {
        return connected(ProcessGroup.init());
    }

    /// As [#init(String, Duration)], with the default timeout.
    ///
    /// @throws TrainingException as [#init(String, Duration)]
    public static DeviceGroup init(String backend) {
        return init(backend, ProcessGroup.DEFAULT_TIMEOUT);
    }

    /// As [#init()], over the backend of that name: `nccl` or `rccl`, which need a GPU for each rank; or `shm`,
    /// `mpi` or `gloo`, which send the data through the host.
    ///
    /// @param timeout as [ProcessGroup#init(String, Duration)]
    /// @throws TrainingException also if the devices cannot be connected with this backend
    public static DeviceGroup init(String backend, Duration timeout) {
        ProcessGroup group = ProcessGroup.init(backend, timeout);
        if (group instanceof DeviceGroup connected) return connected;
        return closedUnless(group, () -> new DeviceGroup(group, device(group), true, null));
    }

    private static DeviceGroup connected(ProcessGroup group) {
        return closedUnless(group, () -> {
            Device device = device(group);
            try {
                return new DeviceGroup(group, device, true, connect(group, device));
            } catch (RuntimeException e) {
                device.close();
                throw e;
            }
        });
    }

    private interface Maker {
        DeviceGroup make();
    }

    private static DeviceGroup closedUnless(ProcessGroup group, Maker maker) {
        try {
            return maker.make();
        } catch (RuntimeException e) {
            try {
                group.close();
            } catch (RuntimeException others) { // the other ranks continue without this rank and are notified
                e.addSuppressed(others);
            }
            throw e;
        }
    }

    /// Returns a group of the ranks of `group`; each rank passes a device that it has opened. Closing the
    /// result closes `group`, but not the device, which must stay open. All ranks call this method.
    public static DeviceGroup of(ProcessGroup group, Device device) {
        return of(group, device, connect(group, device));
    }

    static DeviceGroup of(ProcessGroup group, Device device, @Nullable DeviceComm connected) {
        return new DeviceGroup(group, device, false, connected);
    }

    /// As [#init(String, Duration)], on top of a group, which the caller closes if this method fails.
    static DeviceGroup accelerated(MpiProcessGroup group, List<String> libraries, String asked) {
        Device device = Device.forRank(group.comm());
        DeviceComm connected = null;
        try {
            connected = DeviceComm.of(group.comm(), device);
            String library = connected.library().orElse("");
            if (libraries.contains(library)) return new DeviceGroup(group, device, true, connected);
            throw new TrainingException("backend " + asked + " was requested, but the ranks' devices are connected by "
                    + connected.way() + (connected.report().isEmpty() ? "" : ": " + connected.report())
                    + "; use DeviceGroup.init for the best available connection");
        } catch (RuntimeException e) {
            try {
                if (connected != null) connected.close();
            } catch (RuntimeException others) {
                e.addSuppressed(others);
            } finally {
                device.close();
            }
            throw e;
        }
    }

    private static Device device(ProcessGroup group) {
        return group instanceof MpiProcessGroup m ? Device.forRank(m.comm()) : Device.forLocalRank(group.localRank());
    }

    private static @Nullable DeviceComm connect(ProcessGroup group, Device device) {
        return group instanceof MpiProcessGroup m ? DeviceComm.of(m.comm(), device) : null;
    }

    /// Returns this rank's device.
    public Device device() {
        return device;
    }

    /// Returns the transport between devices, the same on all ranks: for example `NCCL 2.27.7`.
    public String transport() {
        return direct != null ? direct.way() : "copies through the host, over " + base.backend();
    }

    /// Returns why no faster transport is used: one line for each transport that was tried.
    public String report() {
        return report;
    }

    @Override
    public int rank() {
        return base.rank();
    }

    @Override
    public int size() {
        return base.size();
    }

    @Override
    public int localRank() {
        return base.localRank();
    }

    @Override
    public int localSize() {
        return base.localSize();
    }

    /// Returns `nccl` or `rccl` if one of these sends device data; otherwise the backend of the underlying
    /// group.
    @Override
    public String backend() {
        return direct == null ? base.backend() : direct.library().orElse(base.backend());
    }

    @Override
    public void barrier() {
        orAbort(() -> {
            base.barrier();
            return true;
        });
    }

    /// Runs an operation of the underlying group. If it throws, aborts the communication of the device, so that
    /// this rank's device does not wait forever for the other devices.
    private <T> T orAbort(Supplier<T> action) {
        try {
            return action.get();
        } catch (RuntimeException e) {
            abort();
            throw e;
        }
    }

    @Override
    public void broadcast(TensorStorage data, int root) {
        switch (data) {
            case OnCpu cpu -> base.broadcast(cpu, root);
            case OnDevice there -> {
                if (direct != null) {
                    agree("broadcast", there.sizeBytes());
                    direct.bcast(bytes(there), root, stream);
                    finish(there);
                    return;
                }
                MemorySegment copy = there.read();
                base.broadcast(copy, root);
                if (rank() != root) there.copyFrom(copy);
            }
        }
    }

    /// Checks that all ranks call an operation with the same number of bytes, because the operations between
    /// devices do not check this themselves.
    ///
    /// @throws TrainingException on all ranks if the numbers of bytes differ
    private void agree(String operation, long bytes) {
        long[] all = allgather(bytes);
        for (int r = 1; r < all.length; r++) {
            if (all[r] == all[0]) continue;
            throw new TrainingException(operation + ": rank 0 has " + all[0] + " bytes and rank " + r + " has " + all[r]
                    + "; all ranks need the same number");
        }
    }

    private DeviceBuffer bytes(OnDevice there) {
        if (there instanceof DeviceStorage own) return own.buffer();
        checkOurs(there);
        return device.wrap(there.address(), there.sizeBytes(), Datatype.BYTE);
    }

    private void checkOurs(OnDevice there) {
        if (there.device().equals(device.id())) return;
        throw new IllegalArgumentException("a tensor on " + there.device() + ", and this group's rank " + rank()
                + " has " + device.id() + "; the tensors of a rank must be on the rank's device");
    }

    /// Waits for the stream if the memory `there` belongs to a foreign library, because that library does not
    /// use this group's streams.
    private void finish(OnDevice there) {
        if (!(there instanceof DeviceStorage)) stream.synchronize();
    }

    @Override
    public void allreduce(MemorySegment data, DType dtype) {
        base.allreduce(data, dtype);
    }

    @Override
    public PendingAllreduce startAllreduce(TensorStorage data, DType dtype, ProgressMode mode) {
        return switch (data) {
            case OnCpu cpu -> base.startAllreduce(cpu, dtype, mode);
            case OnDevice there -> start(storage(there, dtype), there, dtype, mode);
        };
    }

    private PendingAllreduce start(DeviceStorage storage, OnDevice asked, DType dtype, ProgressMode mode) {
        if (direct != null) {
            // over shared memory, the call itself waits for the other ranks, instead of queueing this wait on a
            // stream; the sizes must therefore be compared before the call
            if (direct.library().isEmpty()) agree("allreduce", storage.sizeBytes());
            direct.allreduce(storage.buffer(), Op.SUM, stream);
            return stream::synchronize;
        }
        MemorySegment host = storage.toHost(stream);
        PendingAllreduce pending = base.startAllreduce(host, dtype, mode);
        return () -> {
            pending.await();
            storage.fromHost(stream);
            finish(asked);
        };
    }

    private DeviceStorage storage(OnDevice there, DType dtype) {
        if (there instanceof DeviceStorage own) return own;
        checkOurs(there);
        Datatype elements = switch (dtype) {
            case F32 -> Datatype.FLOAT;
            case F64 -> Datatype.DOUBLE;
            case I32 -> Datatype.INT;
            case I64 -> Datatype.LONG;
            case F16, BF16, F8_E4M3, F8_E5M2, I16, I8, U64, U32, U16, U8, BOOL ->
                throw new IllegalArgumentException(
                        "no sums of " + dtype + " on " + there.device() + "; F32, F64, I32 and I64 are summed there");
        };
        DeviceStorage known = wrapped.get(there.address());
        if (known != null
                && known.sizeBytes() == there.sizeBytes()
                && known.buffer().type() == elements) return known;
        DeviceStorage made = new DeviceStorage(device.wrap(there.address(), there.sizeBytes(), elements));
        if (known != null) known.release();
        wrapped.put(there.address(), made);
        return made;
    }

    @Override
    public void allgather(MemorySegment mine, MemorySegment all) {
        base.allgather(mine, all);
    }

    @Override
    public void reduceScatter(MemorySegment all, MemorySegment mine, DType dtype) {
        base.reduceScatter(all, mine, dtype);
    }

    @Override
    public List<String> allgather(String mine) {
        return orAbort(() -> base.allgather(mine));
    }

    @Override
    public long[] allgather(long... mine) {
        return orAbort(() -> base.allgather(mine));
    }

    @Override
    public long[] endOfStep(long... mine) {
        return orAbort(() -> base instanceof GroupProtocol p ? p.endOfStep(mine) : base.allgather(mine));
    }

    @Override
    public void setFailing(boolean failing) {
        isFailing = failing;
        if (base instanceof GroupProtocol p) p.setFailing(failing);
    }

    @Override
    public MemorySegment allocate(long bytes) {
        return base.allocate(bytes);
    }

    @Override
    public void free(MemorySegment memory) {
        base.free(memory);
    }

    /// Closes the underlying group. If this rank has failed, aborts the pending operations of the device before
    /// that.
    @Override
    public void close() {
        if (isClosed) return;
        isClosed = true;
        if (isFailing) abort();
        GroupLifecycle.closing(this);
        try {
            base.close();
        } catch (RuntimeException e) {
            abort();
            throw e;
        } finally {
            if (ownsDevice) device.close();
            else closeStream();
        }
    }

    /// Frees this group's resources on the device. The device remains open.
    private void closeStream() {
        try {
            wrapped.values().forEach(DeviceStorage::release);
            wrapped.clear();
        } finally {
            stream.close();
        }
    }

    private void abort() {
        if (direct != null) direct.abort();
    }
}
