package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.ReductionFunctions.*;
import static org.tutti.libmpi.raw.ScanFunctions.*;

import java.lang.foreign.MemorySegment;
import org.tutti.libmpi.abi.Abi;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.reduce.Reduction;

/// Collective calls that combine: reduce, allreduce, scan, exscan, reduce-scatter.
///
/// An operand with more elements than an `int` can count needs several calls, because a predefined operation
/// accepts no derived type. A reduce-scatter of such a length is executed as one reduce per rank.
final class ReductionCollectives {
    /// The number of elements per call if there are more elements than an `int` can count.
    private static final long PART = 1L << 30;

    /// MPICH 4.0 crashes in a reduce of 300,000 ints with a root other than rank 0: it copies from the address
    /// of the sentinel `MPI_IN_PLACE`.
    private static final boolean IN_PLACE_CRASHES = ABI == Abi.MPICH;

    private final OperandStaging staging;

    ReductionCollectives(OperandStaging staging) {
        this.staging = staging;
    }

    /// Executes reduce, allreduce, scan or exscan.
    void whole(NativeCollective c) {
        long bytes = c.send.count * c.send.type.bytes();
        boolean result = c.kind != Kind.REDUCE || c.isRoot();
        boolean sentinel = c.inPlace && result && (c.kind != Kind.REDUCE || !IN_PLACE_CRASHES);
        MemorySegment send;
        MemorySegment recv = MemorySegment.NULL;
        if (result) {
            recv = recv(c, bytes);
            if (!c.inPlace) {
                send = staging.sent(c, c.send.memory, 0, bytes);
            } else if (sentinel) {
                send = MPI_IN_PLACE;
            } else {
                send = staging.copied(c, c.recv.memory, bytes);
            }
        } else {
            send = staging.sent(c, c.inPlace ? c.recv.memory : c.send.memory, 0, bytes);
        }
        long op = operation(c);
        long done = 0;
        do {
            int part = (int) Math.min(c.send.count - done, PART);
            long offset = done * c.send.type.bytes();
            MemorySegment from = sentinel ? send : TypedTransfers.slice(send, offset);
            MemorySegment into = result ? TypedTransfers.slice(recv, offset) : recv;
            add(c, call(c, from, into, part, op));
            done += part;
        } while (done < c.send.count);
    }

    /// Returns the address for the result. The exscan of the first rank has no result: the library's output is
    /// discarded.
    private MemorySegment recv(NativeCollective c, long bytes) {
        boolean nothing = c.kind == Kind.EXSCAN && c.nativeComm().rank() == 0;
        MemorySegment recv =
                nothing && !c.inPlace ? staging.aside(c, bytes) : staging.received(c, bytes, 0, c.inPlace ? bytes : 0);
        if (nothing) c.result = null;
        return recv;
    }

    private static int call(NativeCollective c, MemorySegment from, MemorySegment into, int count, long op) {
        long type = Types.ofOperand(c.send.type);
        long comm = c.nativeComm().handle;
        return switch (c.kind) {
            case REDUCE -> reduce(c, from, into, count, op, c.root);
            case ALLREDUCE -> MPI_Allreduce(from, into, count, type, op, comm, c.request());
            case SCAN -> MPI_Scan(from, into, count, type, op, comm, c.request());
            case EXSCAN -> MPI_Exscan(from, into, count, type, op, comm, c.request());
            case BARRIER,
                    BCAST,
                    GATHER,
                    ALLGATHER,
                    SCATTER,
                    ALLTOALL,
                    REDUCE_SCATTER,
                    ALLTOALLW,
                    NEIGHBOR_ALLGATHER,
                    NEIGHBOR_ALLTOALL,
                    NEIGHBOR_ALLTOALLW ->
                throw new IllegalStateException(c.kind + " is no reduction of whole operands");
        };
    }

    private static int reduce(
            NativeCollective c, MemorySegment from, MemorySegment into, int count, long op, int root) {
        long type = Types.ofOperand(c.send.type);
        return MPI_Reduce(from, into, count, type, op, root, c.nativeComm().handle, c.request());
    }

    void scattered(NativeCollective c) {
        int size = c.nativeComm().size();
        int me = c.nativeComm().rank();
        int each = c.send.type.bytes();
        long bytes = c.send.count * each;
        long own = c.recv.count(me) * each;
        // never MPI_IN_PLACE: MPICH 4.0 copies this rank's block to the front with a copy that does not support
        // overlapping memory
        MemorySegment send = staging.sent(c, c.inPlace ? c.recv.memory : c.send.memory, 0, bytes);
        MemorySegment recv = c.inPlace ? staging.aside(c, own) : staging.received(c, own, 0, 0);
        long op = operation(c);
        long type = Types.ofOperand(c.send.type);
        long comm = c.nativeComm().handle;
        if (!Types.fitsInt(c.send.count)) {
            toEach(c, send, recv, op);
        } else if (c.recv.blocks == null) {
            add(c, MPI_Reduce_scatter_block(send, recv, (int) c.recv.count, type, op, comm, c.request()));
        } else {
            MemorySegment counts = staging.arguments(c);
            for (int r = 0; r < size; r++) counts.setAtIndex(JAVA_INT, r, (int) c.recv.count(r));
            add(c, MPI_Reduce_scatter(send, recv, counts, type, op, comm, c.request()));
        }
    }

    /// Executes one reduce for each rank's block, in parts.
    private static void toEach(NativeCollective c, MemorySegment send, MemorySegment recv, long op) {
        int me = c.nativeComm().rank();
        long each = c.send.type.bytes();
        long at = 0;
        for (int root = 0; root < c.nativeComm().size(); root++) {
            long count = c.recv.count(root);
            for (long done = 0; done < count; done += PART) {
                int part = (int) Math.min(count - done, PART);
                MemorySegment from = TypedTransfers.slice(send, (at + done) * each);
                MemorySegment into = root == me ? TypedTransfers.slice(recv, done * each) : MemorySegment.NULL;
                add(c, reduce(c, from, into, part, op, root));
            }
            at += count;
        }
    }

    private static void add(NativeCollective c, int rc) {
        if (rc != 0) throw Errors.ofCollective(rc, c.operation, c.comm);
        if (!c.blocking) c.add(c.scratch().request());
    }

    /// Returns the operation's handle. No other call uses a user's operation until this call is complete.
    private static long operation(NativeCollective c) {
        Reduction reduction = c.reduction();
        // programs in other languages use the library's operation, and the operation must be the same on all
        // ranks, even if it is incorrect
        boolean asItIs = c.nativeComm().isMixed() && reduction instanceof PredefinedReduction;
        NativeOp own = asItIs ? null : NativeOp.take(reduction, c.send.type);
        c.nativeOp = own;
        return own != null ? own.handle : NativeOp.handle((PredefinedReduction) reduction);
    }
}
