package org.tutti.device;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;

/// A communicator between the devices of ranks. Operations are queued on a stream and executed in order, like
/// kernels, using the fastest available path:
///
/// | path | condition |
/// |---|---|
/// | NCCL, RCCL | each rank has a separate GPU, and all ranks have the same version of the library |
/// | memory shared between processes | GPUs of one machine; several ranks may share a GPU |
/// | copies through the host | always available |
///
/// [#way] returns the selected path; [#report] explains why faster paths are not used. All ranks must call the
/// same operations in the same order. With NCCL and RCCL, a call may return before the operation is complete;
/// later work on the stream is executed after the operation. On the other two paths, memory shared between
/// processes and copies through the host, a call returns when the operation is complete. If a rank terminates,
/// the operation fails on the other ranks: the call throws an exception, or the next wait for the device does.
///
///     try (DeviceComm gpus = DeviceComm.of(world, device)) {
///         gpus.allreduce(gradient, Op.SUM, device.stream());
///         device.arrays().scale(1.0 / gpus.size(), gradient);
///     }
public final class DeviceComm implements AutoCloseable {
    private static final long NOT_IN_PLACE = Long.MIN_VALUE;

    private final Device device;
    private final Comm comm;

    /// The communicator that is closed together with this object; null if there is none.
    private final @Nullable OwnedComm own;

    private final DeviceWay way;
    private final DeviceWay staged;
    private final String report;
    private boolean closed;

    private DeviceComm(
            Device device, Comm comm, @Nullable OwnedComm own, DeviceWay way, DeviceWay staged, String report) {
        this.device = device;
        this.comm = comm;
        this.own = own;
        this.way = way;
        this.staged = staged;
        this.report = report;
    }

    /// Connects the devices of all ranks of `comm`. Devices of different kinds are connected through the host.
    /// Collective over `comm`.
    public static DeviceComm of(Comm comm, Device device) {
        return of(comm, device, LibraryWay.libraries());
    }

    static DeviceComm of(Comm comm, Device device, List<CollectiveLibrary> libraries) {
        OwnedComm own = comm.dup();
        try {
            return connect(own, own, device, libraries);
        } catch (RuntimeException e) {
            own.close();
            throw e;
        }
    }

    /// Returns a communicator that communicates over `comm`. During a call of the returned communicator, ranks
    /// must not use `comm` for other purposes.
    static DeviceComm within(Comm comm, Device device, List<CollectiveLibrary> libraries) {
        return connect(comm, null, device, libraries);
    }

    private static DeviceComm connect(
            Comm comm, @Nullable OwnedComm own, Device device, List<CollectiveLibrary> libraries) {
        DeviceWay staged = new StagedWay(comm);
        List<String> refusals = new ArrayList<>();
        DeviceWay way = LibraryWay.connect(comm, device, libraries, refusals);
        if (way == null) way = InterprocessWay.connect(comm, device, refusals);
        if (way == null) way = staged;
        return new DeviceComm(device, comm, own, way, staged, String.join("\n", refusals));
    }

    public int rank() {
        return comm.rank();
    }

    public int size() {
        return comm.size();
    }

    public Device device() {
        return device;
    }

    /// Returns the name of the path on which operations transfer data, with the version of the library. The
    /// result is the same on all ranks.
    public String way() {
        return way.toString();
    }

    /// Returns the library that connects the devices, `nccl` or `rccl`; empty on the other paths.
    public Optional<String> library() {
        return way instanceof LibraryWay by ? Optional.of(by.name()) : Optional.empty();
    }

    /// Returns whether data is transferred directly between devices, and not through the host.
    public boolean isDirect() {
        return !isStaged();
    }

    /// Returns the reasons why faster paths are not used, with one line per failed attempt; an empty string if
    /// no attempt failed.
    public String report() {
        return report;
    }

    /// Returns the path of an operation. This is the result of [#way()], except for types and operations that
    /// this path does not support.
    ///
    /// @param op null if the operation does not combine elements
    public String way(Datatype type, @Nullable Op op) {
        return takes(type, op).toString();
    }

    /// Returns whether all data is copied through the host.
    boolean isStaged() {
        return way == staged;
    }

    boolean isStaged(Datatype type, @Nullable Op op) {
        return takes(type, op) == staged;
    }

    private DeviceWay takes(Datatype type, @Nullable Op op) {
        return way.supports(type, op) ? way : staged;
    }

    /// Performs `MPI_Allreduce` in place: `buffer` contains first the operand and then the result.
    public void allreduce(DeviceBuffer buffer, Op op, DeviceStream stream) {
        begin("allreduce", stream, buffer);
        takes(buffer.type(), op).allreduce(buffer, op, stream);
    }

    /// Performs `MPI_Reduce`, in place at the root; the buffers of the other ranks do not change.
    public void reduce(DeviceBuffer buffer, Op op, int root, DeviceStream stream) {
        begin("reduce", stream, buffer);
        checkRank("reduce", "root", root);
        takes(buffer.type(), op).reduce(buffer, op, root, stream);
    }

    /// Performs `MPI_Bcast`.
    public void bcast(DeviceBuffer buffer, int root, DeviceStream stream) {
        begin("bcast", stream, buffer);
        checkRank("bcast", "root", root);
        takes(buffer.type(), null).bcast(buffer, root, stream);
    }

    /// Performs `MPI_Allgather`: `recv` has one block for each rank, of the size of `send`. `send` may be this
    /// rank's block of `recv`; no other overlap is permitted.
    public void allgather(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream) {
        begin("allgather", stream, send, recv);
        checkBlocks("allgather", "recv", recv, "send", send);
        checkOverlap("allgather", send, recv, rank() * send.byteSize());
        takes(send.type(), null).allgather(send, recv, stream);
    }

    /// Performs `MPI_Reduce_scatter_block`: `send` has one block for each rank, of the size of `recv`. `recv`
    /// may be this rank's block of `send`; no other overlap is permitted.
    public void reduceScatterBlock(DeviceBuffer send, DeviceBuffer recv, Op op, DeviceStream stream) {
        begin("reduceScatterBlock", stream, send, recv);
        checkBlocks("reduceScatterBlock", "send", send, "recv", recv);
        checkOverlap("reduceScatterBlock", send, recv, -rank() * recv.byteSize());
        takes(send.type(), op).reduceScatterBlock(send, recv, op, stream);
    }

    /// Performs `MPI_Alltoall`: sends one block to each rank, and receives one block from each rank. The
    /// buffers must not overlap.
    public void alltoall(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream) {
        begin("alltoall", stream, send, recv);
        if (send.count() != recv.count() || send.count() % size() != 0) {
            throw error(
                    "alltoall",
                    "send has " + send.count() + " elements and recv " + recv.count()
                            + ": both must have one equal block for each of " + size() + " ranks");
        }
        checkOverlap("alltoall", send, recv, NOT_IN_PLACE);
        takes(send.type(), null).alltoall(send, recv, stream);
    }

    /// Sends and receives messages as one operation, without a fixed order between messages. Messages between
    /// two ranks match in the order of the calls on each rank. A receive buffer must not overlap any other
    /// buffer.
    ///
    ///     gpus.exchange(stream, x -> {
    ///         x.send(edge, right);
    ///         x.recv(ghost, left);
    ///     });
    public void exchange(DeviceStream stream, Consumer<Exchange> messages) {
        begin("exchange", stream);
        Exchange all = new Exchange(this);
        messages.accept(all);
        checkExchange(all.messages());
        way.exchange(all.messages(), stream);
    }

    /// Terminates this rank's part immediately, including pending operations. Operations of the other ranks
    /// fail.
    public void abort() {
        if (closed) return;
        try {
            abandon();
        } finally {
            if (own != null) own.close();
        }
    }

    /// Waits for pending operations and closes the communicator. Collective.
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        try {
            way.close();
        } finally {
            if (own != null) own.close();
        }
    }

    /// Closes the communicator on this rank only. All ranks must have completed all calls, unless [#abort]
    /// calls this method.
    void abandon() {
        if (closed) return;
        closed = true;
        way.abandon();
    }

    private void begin(String operation, DeviceStream stream, DeviceBuffer... buffers) {
        if (closed) throw error(operation, "the communicator was closed");
        if (stream.device() != device) {
            throw error(operation, "the stream is of " + stream.device().id() + ", another device");
        }
        for (DeviceBuffer each : buffers) checkBuffer(operation, each);
        if (buffers.length == 2 && buffers[0].type() != buffers[1].type()) {
            throw error(operation, "buffers of " + buffers[0].type() + " and " + buffers[1].type() + " do not match");
        }
    }

    void checkBuffer(String operation, DeviceBuffer buffer) {
        if (buffer.owner() == device) return;
        throw error(operation, "the buffer is of " + buffer.owner().id() + ", another device");
    }

    void checkRank(String operation, String what, int rank) {
        if (rank >= 0 && rank < size()) return;
        throw error(operation, what + "=" + rank + " is not a rank: there are " + size());
    }

    private void checkBlocks(String operation, String all, DeviceBuffer blocks, String one, DeviceBuffer block) {
        if (blocks.count() == block.count() * size()) return;
        throw error(
                operation,
                all + " has " + blocks.count() + " elements, not " + size() + " times the " + block.count() + " of "
                        + one);
    }

    /// Rejects overlapping buffers, because libraries read one buffer while they write the other.
    ///
    /// @param inPlace the only permitted distance from the start of `recv` to the start of `send`, in bytes, or
    ///     [#NOT_IN_PLACE]
    private void checkOverlap(String operation, DeviceBuffer send, DeviceBuffer recv, long inPlace) {
        boolean isOverlap = device.locked(
                d -> send.overlaps(recv) && (inPlace == NOT_IN_PLACE || send.usable() != recv.usable() + inPlace));
        if (isOverlap) throw error(operation, "send (" + send + ") and recv (" + recv + ") overlap");
    }

    private void checkExchange(List<Exchange.Message> messages) {
        List<Exchange.Message> all = messages.stream()
                .filter(m -> m.buffer().count() > 0)
                .sorted(Comparator.comparingLong(m -> m.buffer().address()))
                .toList();
        long sentUntil = 0, receivedUntil = 0;
        for (Exchange.Message each : all) {
            long begin = each.buffer().address(), end = begin + each.buffer().byteSize();
            if (begin < receivedUntil || !each.isSend() && begin < sentUntil) {
                throw error("exchange", "a receive buffer overlaps another buffer: " + each.buffer());
            }
            if (each.isSend()) sentUntil = Math.max(sentUntil, end);
            else receivedUntil = Math.max(receivedUntil, end);
        }
    }

    private DeviceException error(String operation, String message) {
        return device.error(operation + ": " + message + " (rank " + rank() + " of " + size() + ")");
    }

    @Override
    public String toString() {
        return device.id() + ", rank " + rank() + " of " + size() + ": " + way;
    }
}
