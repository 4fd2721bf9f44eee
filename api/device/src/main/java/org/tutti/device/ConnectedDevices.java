package org.tutti.device;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.mpi.Comm;
import org.tutti.mpi.DeviceMemory;
import org.tutti.mpi.Op;
import org.tutti.mpi.devices.CollectiveRoute;

/// The route on which collective calls of a communicator transfer device memory, if all ranks have opened their
/// devices with [Device#forRank]. It uses a [DeviceComm], which the first call on this route creates. A call
/// returns after all ranks have completed the call, so no rank has to wait when the device is closed.
final class ConnectedDevices extends CollectiveRoute<DeviceMemory, Op> {
    /// The minimum size of the data, in bytes, for which the ranks agree on the route. For smaller data, the
    /// agreement costs about as much time as the route saves.
    private static final long WORTH_BYTES = 64 << 10;

    private final Comm comm;
    private final Device device;
    private final List<CollectiveLibrary> libraries;
    private @Nullable DeviceComm connected;

    /// Whether the only available path on all ranks is a copy through the host.
    private boolean vain;

    ConnectedDevices(Comm comm, Device device, List<CollectiveLibrary> libraries) {
        this.comm = comm;
        this.device = device;
        this.libraries = libraries;
    }

    @Override
    public boolean isWorth(long bytes) {
        return !vain && bytes >= WORTH_BYTES;
    }

    @Override
    public boolean reaches(DeviceMemory memory, @Nullable Op op) {
        if (!(memory instanceof DeviceBuffer buffer) || buffer.owner() != device || device.isClosed()) return false;
        return connected == null || !connected.isStaged(buffer.type(), op);
    }

    @Override
    public boolean all(boolean mine) {
        if (comm.allreduce(mine ? 1 : 0, Op.MIN) == 0) return false;
        if (connected != null) return true;
        DeviceComm made = DeviceComm.within(comm, device, libraries);
        connected = made;
        vain = made.isStaged();
        return !vain;
    }

    /// Waits until the call is complete on all ranks.
    private void end() {
        device.stream().synchronize();
        comm.barrier();
    }

    private DeviceComm gpus() {
        return Objects.requireNonNull(connected);
    }

    @Override
    public void allreduce(DeviceMemory send, DeviceMemory recv, Op op) {
        gpus().allreduce(moved(send, recv), op, device.stream());
        end();
    }

    @Override
    public void reduce(DeviceMemory send, @Nullable DeviceMemory recv, Op op, int root) {
        gpus().reduce(recv == null ? (DeviceBuffer) send : moved(send, recv), op, root, device.stream());
        end();
    }

    /// Copies the operand to `recv` if necessary. Returns the buffer that contains the operand and receives the
    /// result.
    private DeviceBuffer moved(DeviceMemory send, DeviceMemory recv) {
        DeviceBuffer from = (DeviceBuffer) send, to = ((DeviceBuffer) recv).slice(0, from.count());
        if (from.address() != to.address()) to.copyFrom(from, device.stream());
        return to;
    }

    @Override
    public void bcast(DeviceMemory buffer, int root) {
        gpus().bcast((DeviceBuffer) buffer, root, device.stream());
        end();
    }

    @Override
    public void allgather(DeviceMemory send, DeviceMemory recv) {
        gpus().allgather((DeviceBuffer) send, (DeviceBuffer) recv, device.stream());
        end();
    }

    @Override
    public void reduceScatterBlock(DeviceMemory send, DeviceMemory recv, Op op) {
        gpus().reduceScatterBlock((DeviceBuffer) send, (DeviceBuffer) recv, op, device.stream());
        end();
    }

    @Override
    public void alltoall(DeviceMemory send, DeviceMemory recv) {
        gpus().alltoall((DeviceBuffer) send, (DeviceBuffer) recv, device.stream());
        end();
    }

    /// Called before the device is closed. Other ranks may close their devices later, so the route remains
    /// installed, and declines all calls.
    void abandon() {
        DeviceComm current = connected;
        if (current != null) current.abandon();
    }

    @Override
    public String toString() {
        DeviceComm made = connected;
        if (made == null) return "the fastest path between these devices, selected by the first such call";
        return vain ? "no faster path was found (" + made.report() + ")" : made.way();
    }
}
