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

/// A communicator between the devices of ranks: operations that are given to a stream and done in its order, as
/// kernels are, on the quickest way that there is:
///
/// | way | where |
/// |---|---|
/// | NCCL, RCCL | each rank has a GPU of its own, and the library is there, of one version |
/// | memory that processes share | GPUs of one machine, also one of them for several ranks |
/// | copies through the host | everywhere |
///
/// [#way] says which, and [#report] why no other. All ranks call the same operations in the same order. A call
/// may return before the operation is done, and what is given to the stream later comes after it; a call that
/// copies through the host returns when it is done. A rank that is gone ends the others' operation with an
/// exception, here or where the program next waits for the device.
///
///     try (DeviceComm gpus = DeviceComm.of(world, device)) {
///         gpus.allreduce(gradient, Op.SUM, device.stream());
///         device.arrays().scale(1.0 / gpus.size(), gradient);
///     }
public final class DeviceComm implements AutoCloseable {
    private static final long NOT_IN_PLACE = Long.MIN_VALUE;

    private final Device device;
    private final Comm comm;

    /// What is closed with this.
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

    /// Connects the devices of all ranks of `comm`, each with its own; ranks may have devices of different
    /// kinds, which are connected through the host. Collective over `comm`.
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

    /// Whose ranks use `comm` for nothing else while they are in a call of this.
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

    /// Which way operations take, with the library's version: the same on all ranks.
    public String way() {
        return way.toString();
    }

    /// The library that connects the devices, `nccl` or `rccl`; empty on the other ways.
    public Optional<String> library() {
        return way instanceof LibraryWay by ? Optional.of(by.name()) : Optional.empty();
    }

    /// Whether data goes from device to device, and not through the host.
    public boolean isDirect() {
        return !isStaged();
    }

    /// Why it is not a quicker one: a line for each that was tried. Empty when none is quicker.
    public String report() {
        return report;
    }

    /// Which way an operation takes: that of [#way], but for types and operations that it does not know.
    ///
    /// @param op null where nothing is combined
    public String way(Datatype type, @Nullable Op op) {
        return takes(type, op).toString();
    }

    /// Whether there is no other way.
    boolean isStaged() {
        return way == staged;
    }

    boolean isStaged(Datatype type, @Nullable Op op) {
        return takes(type, op) == staged;
    }

    private DeviceWay takes(Datatype type, @Nullable Op op) {
        return way.knows(type, op) ? way : staged;
    }

    /// As `MPI_Allreduce` in place: `buffer` is operand and result.
    public void allreduce(DeviceBuffer buffer, Op op, DeviceStream stream) {
        begin("allreduce", stream, buffer);
        takes(buffer.type(), op).allreduce(buffer, op, stream);
    }

    /// As `MPI_Reduce`, in place at the root; the others' buffers stay as they are.
    public void reduce(DeviceBuffer buffer, Op op, int root, DeviceStream stream) {
        begin("reduce", stream, buffer);
        checkRank("reduce", "root", root);
        takes(buffer.type(), op).reduce(buffer, op, root, stream);
    }

    /// As `MPI_Bcast`.
    public void bcast(DeviceBuffer buffer, int root, DeviceStream stream) {
        begin("bcast", stream, buffer);
        checkRank("bcast", "root", root);
        takes(buffer.type(), null).bcast(buffer, root, stream);
    }

    /// As `MPI_Allgather`: `recv` has room for one block of the size of `send` from each rank. `send` may be
    /// this rank's block of `recv`, and may not overlap it otherwise.
    public void allgather(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream) {
        begin("allgather", stream, send, recv);
        checkBlocks("allgather", "recv", recv, "send", send);
        checkOverlap("allgather", send, recv, rank() * send.byteSize());
        takes(send.type(), null).allgather(send, recv, stream);
    }

    /// As `MPI_Reduce_scatter_block`: `send` has as many elements for each rank as `recv`. `recv` may be
    /// this rank's block of `send`, and may not overlap it otherwise.
    public void reduceScatterBlock(DeviceBuffer send, DeviceBuffer recv, Op op, DeviceStream stream) {
        begin("reduceScatterBlock", stream, send, recv);
        checkBlocks("reduceScatterBlock", "send", send, "recv", recv);
        checkOverlap("reduceScatterBlock", send, recv, -rank() * recv.byteSize());
        takes(send.type(), op).reduceScatterBlock(send, recv, op, stream);
    }

    /// As `MPI_Alltoall`: a block for each rank, and one from each. The two buffers may not overlap.
    public void alltoall(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream) {
        begin("alltoall", stream, send, recv);
        if (send.count() != recv.count() || send.count() % size() != 0) {
            throw error(
                    "alltoall",
                    "send has " + send.count() + " elements and recv " + recv.count()
                            + ": both have as many for each of " + size() + " ranks");
        }
        checkOverlap("alltoall", send, recv, NOT_IN_PLACE);
        takes(send.type(), null).alltoall(send, recv, stream);
    }

    /// Messages that are sent and received as one operation: they wait for each other in no order. Two ranks
    /// match their messages in the order in which each names them. A received buffer may not overlap another
    /// one.
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

    /// Ends this rank's part without waiting for the others, whose operations fail. What is under way
    /// here ends.
    public void abort() {
        if (closed) return;
        try {
            abandon();
        } finally {
            if (own != null) own.close();
        }
    }

    /// Collective; waits for what was given.
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

    /// Ends it without the others, whose calls have ended.
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
            throw error(
                    operation,
                    "buffers of " + buffers[0].type() + " and " + buffers[1].type() + " do not fit each other");
        }
    }

    void checkBuffer(String operation, DeviceBuffer buffer) {
        if (buffer.owner() == device) return;
        throw error(operation, "the buffer is of " + buffer.owner().id() + ", another device");
    }

    void checkRank(String operation, String what, int rank) {
        if (rank >= 0 && rank < size()) return;
        throw error(operation, what + "=" + rank + " is no rank: there are " + size());
    }

    private void checkBlocks(String operation, String all, DeviceBuffer blocks, String one, DeviceBuffer block) {
        if (blocks.count() == block.count() * size()) return;
        throw error(
                operation,
                all + " has " + blocks.count() + " elements, which are not " + size() + " times the " + block.count()
                        + " of " + one);
    }

    /// Rejects two buffers that overlap: libraries read one while they write the other.
    ///
    /// @param inPlace the one allowed distance from the start of `recv` to that of `send`, in bytes, or
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
                throw error("exchange", "a received buffer overlaps another one, at " + each.buffer());
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
