package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.libmpi.raw.Collectives.*;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.LargeCount.*;
import static org.tutti.libmpi.raw.PointToPoint.MPI_Test;

import java.lang.foreign.MemorySegment;
import org.tutti.libmpi.abi.Abi;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.PredefinedOp;
import org.tutti.mpi.spi.Collective.Kind;
import org.tutti.mpi.spi.Memory;

/// Collective calls by the library's own: the blocking function, or the nonblocking one and a request.
///
/// A gather is always the v form, because only the root knows whether its blocks are uneven. A reduction that
/// is longer than an `int` counts is several; the others use the library's large counts, or one element of a
/// large type.
final class CollectiveCalls {
    /// Operands of one call, when there are more than an `int` counts.
    private static final long PART = 1L << 30;

    /// MPICH 4.0 does, in a reduce of 300,000 ints whose root is not rank 0: it copies from the sentinel's
    /// address.
    private static final boolean IN_PLACE_CRASHES = ABI == Abi.MPICH;

    private final Staging staging;

    CollectiveCalls(Staging staging) {
        this.staging = staging;
    }

    /// Makes the call: `blocking`, with [#finish] to follow, or with requests for [#test].
    void issue(NativeCollective c, Scratch s, boolean blocking) {
        switch (c.kind) {
            case BARRIER -> {
                long comm = c.nativeComm().handle;
                check(blocking ? MPI_Barrier(comm) : MPI_Ibarrier(comm, s.request), c);
                if (!blocking) c.add(s.request());
            }
            case BCAST -> bcast(c, s, blocking);
            case REDUCE, ALLREDUCE -> reduce(c, s, blocking);
            case GATHER -> gather(c, s, blocking);
            case ALLGATHER -> allgather(c, s, blocking);
            case SCATTER, ALLTOALL, REDUCE_SCATTER, SCAN, EXSCAN -> throw new UnsupportedOperationException();
        }
    }

    /// Looks after a call that was issued; finishes it if it can be.
    boolean test(NativeCollective c, Scratch s) {
        while (c.pending > 0) {
            s.request(c.requests[c.pending - 1]);
            check(MPI_Test(s.request, s.flag, s.status), c);
            if (!s.flag()) return false;
            c.pending--;
        }
        finish(c);
        return true;
    }

    /// The library is done with it: copies the result to the heap, gives back what was lent.
    void finish(NativeCollective c) {
        NativeOp op = c.nativeOp;
        Throwable thrown = op == null ? null : op.takeFailure();
        if (thrown != null) throw thrown(c, thrown);
        MemorySegment result = c.result;
        if (result != null) deliver(c, result);
        release(c);
        c.complete();
    }

    void release(NativeCollective c) {
        if (c.sendBlock != null) staging.give(c.sendBlock);
        if (c.recvBlock != null) staging.give(c.recvBlock);
        if (c.argumentBlock != null) staging.give(c.argumentBlock);
        c.sendBlock = null;
        c.recvBlock = null;
        c.argumentBlock = null;
        c.result = null;
        c.nativeOp = null;
    }

    private static MpiException thrown(NativeCollective c, Throwable thrown) {
        MpiException e = MpiException.job(
                ErrorClass.ERR_OP, c.operation, "operation " + c.reduction().name() + " threw " + thrown, c.comm);
        e.addSuppressed(thrown);
        return e;
    }

    private void bcast(NativeCollective c, Scratch s, boolean blocking) {
        long bytes = c.count * c.type.bytes();
        MemorySegment buffer = recvSide(c, s, blocking, bytes, 0, c.isRoot() ? bytes : 0);
        if (c.isRoot()) c.result = null;
        long comm = c.nativeComm().handle;
        long type = Types.of(c.type);
        int rc;
        if (Types.fitsInt(c.count)) {
            rc = bcast(buffer, (int) c.count, type, c.root, comm, s, blocking);
        } else if (AVAILABLE) {
            rc = blocking
                    ? MPI_Bcast_c(buffer, c.count, type, c.root, comm)
                    : MPI_Ibcast_c(buffer, c.count, type, c.root, comm, s.request);
        } else {
            long whole = Types.contiguous(c.type, c.count);
            rc = bcast(buffer, 1, whole, c.root, comm, s, blocking);
            Types.free(whole);
        }
        check(rc, c);
        if (!blocking) c.add(s.request());
    }

    private static int bcast(
            MemorySegment buffer, int count, long type, int root, long comm, Scratch s, boolean blocking) {
        return blocking
                ? MPI_Bcast(buffer, count, type, root, comm)
                : MPI_Ibcast(buffer, count, type, root, comm, s.request);
    }

    private void reduce(NativeCollective c, Scratch s, boolean blocking) {
        long bytes = c.count * c.type.bytes();
        boolean all = c.kind == Kind.ALLREDUCE;
        boolean result = all || c.isRoot();
        boolean sentinel = c.inPlace && result && (all || !IN_PLACE_CRASHES);
        MemorySegment send;
        MemorySegment recv = MemorySegment.NULL;
        if (result) {
            recv = recvSide(c, s, blocking, bytes, 0, c.inPlace ? bytes : 0);
            if (!c.inPlace) {
                send = sendSide(c, s, blocking, c.send, 0, bytes);
            } else if (sentinel) {
                send = MPI_IN_PLACE;
            } else {
                send = copy(c, c.recv, bytes);
            }
        } else {
            send = sendSide(c, s, blocking, c.inPlace ? c.recv : c.send, 0, bytes);
        }
        Op reduction = c.reduction();
        NativeOp custom = NativeOp.forJava(reduction, c.type);
        c.nativeOp = custom;
        long op = custom != null ? custom.handle : NativeOp.handle((PredefinedOp) reduction);
        long type = Types.ofOperand(c.type);
        long done = 0;
        do {
            int part = (int) Math.min(c.count - done, PART);
            long offset = done * c.type.bytes();
            MemorySegment from = sentinel ? send : Messages.slice(send, offset);
            MemorySegment into = result ? Messages.slice(recv, offset) : recv;
            check(
                    all
                            ? allreduce(from, into, part, type, op, c, s, blocking)
                            : reduce(from, into, part, type, op, c, s, blocking),
                    c);
            if (!blocking) c.add(s.request());
            done += part;
        } while (done < c.count);
    }

    private static int allreduce(
            MemorySegment from,
            MemorySegment into,
            int count,
            long type,
            long op,
            NativeCollective c,
            Scratch s,
            boolean blocking) {
        long comm = c.nativeComm().handle;
        return blocking
                ? MPI_Allreduce(from, into, count, type, op, comm)
                : MPI_Iallreduce(from, into, count, type, op, comm, s.request);
    }

    private static int reduce(
            MemorySegment from,
            MemorySegment into,
            int count,
            long type,
            long op,
            NativeCollective c,
            Scratch s,
            boolean blocking) {
        long comm = c.nativeComm().handle;
        return blocking
                ? MPI_Reduce(from, into, count, type, op, c.root, comm)
                : MPI_Ireduce(from, into, count, type, op, c.root, comm, s.request);
    }

    private void gather(NativeCollective c, Scratch s, boolean blocking) {
        boolean root = c.isRoot();
        MemorySegment recv = root ? blocksSide(c, s, blocking) : MemorySegment.NULL;
        MemorySegment send = blockSent(c, s, blocking, root);
        long count = c.inPlace && root ? 0 : c.count;
        blocks(c, s, blocking, send, count, recv, root);
    }

    private void allgather(NativeCollective c, Scratch s, boolean blocking) {
        MemorySegment recv = blocksSide(c, s, blocking);
        MemorySegment send = blockSent(c, s, blocking, true);
        long count = c.inPlace ? 0 : c.count;
        if (c.blocks != null) {
            blocks(c, s, blocking, send, count, recv, true);
            return;
        }
        boolean wideSend = !Types.fitsInt(count);
        boolean wideRecv = !Types.fitsInt(c.recvCount);
        long sendType = wideSend ? Types.contiguous(c.type, count) : Types.of(c.type);
        long recvType = wideRecv ? Types.contiguous(c.recvType, c.recvCount) : Types.of(c.recvType);
        int n = wideSend ? 1 : (int) count;
        int each = wideRecv ? 1 : (int) c.recvCount;
        long comm = c.nativeComm().handle;
        int rc = blocking
                ? MPI_Allgather(send, n, sendType, recv, each, recvType, comm)
                : MPI_Iallgather(send, n, sendType, recv, each, recvType, comm, s.request);
        if (wideSend) Types.free(sendType);
        if (wideRecv) Types.free(recvType);
        check(rc, c);
        if (!blocking) c.add(s.request());
    }

    /// The v forms. `receives`: this rank has the blocks, so it has their counts.
    private void blocks(
            NativeCollective c,
            Scratch s,
            boolean blocking,
            MemorySegment send,
            long count,
            MemorySegment all,
            boolean receives) {
        int size = c.nativeComm().size();
        MemorySegment recv = isAlone(c) ? Messages.slice(all, c.blockOffset(0)) : all;
        long bound = receives ? bound(c, size) : 0;
        boolean wide = !Types.fitsInt(count) || !Types.fitsInt(bound);
        MemorySegment arguments = MemorySegment.NULL;
        if (receives) {
            Staging.Block block = staging.take(16L * size);
            c.argumentBlock = block;
            arguments = block.segment();
        }
        MemorySegment displacements = Messages.slice(arguments, receives ? 8L * size : 0);
        int rc;
        if (wide && AVAILABLE) {
            for (int r = 0; receives && r < size; r++) {
                arguments.setAtIndex(JAVA_LONG, r, blockCount(c, r));
                displacements.setAtIndex(JAVA_LONG, r, blockDisplacement(c, r));
            }
            rc = wideCall(c, s, blocking, send, count, recv, arguments, displacements);
        } else {
            long unit = Types.fitsInt(bound) ? 1 : unit(c, size, bound);
            boolean wideSend = !Types.fitsInt(count);
            for (int r = 0; receives && r < size; r++) {
                arguments.setAtIndex(JAVA_INT, r, (int) (blockCount(c, r) / unit));
                displacements.setAtIndex(JAVA_INT, r, (int) (blockDisplacement(c, r) / unit));
            }
            long sendType = wideSend ? Types.contiguous(c.type, count) : Types.of(c.type);
            long recvType = unit > 1 ? Types.contiguous(c.recvType, unit) : Types.of(c.recvType);
            int n = wideSend ? 1 : (int) count;
            rc = call(c, s, blocking, send, n, sendType, recv, arguments, displacements, recvType);
            if (wideSend) Types.free(sendType);
            if (unit > 1) Types.free(recvType);
        }
        check(rc, c);
        if (!blocking) c.add(s.request());
    }

    private static int call(
            NativeCollective c,
            Scratch s,
            boolean blocking,
            MemorySegment send,
            int count,
            long sendType,
            MemorySegment recv,
            MemorySegment counts,
            MemorySegment displacements,
            long recvType) {
        long comm = c.nativeComm().handle;
        if (c.kind == Kind.GATHER) {
            return blocking
                    ? MPI_Gatherv(send, count, sendType, recv, counts, displacements, recvType, c.root, comm)
                    : MPI_Igatherv(
                            send, count, sendType, recv, counts, displacements, recvType, c.root, comm, s.request);
        }
        return blocking
                ? MPI_Allgatherv(send, count, sendType, recv, counts, displacements, recvType, comm)
                : MPI_Iallgatherv(send, count, sendType, recv, counts, displacements, recvType, comm, s.request);
    }

    private static int wideCall(
            NativeCollective c,
            Scratch s,
            boolean blocking,
            MemorySegment send,
            long count,
            MemorySegment recv,
            MemorySegment counts,
            MemorySegment displacements) {
        long comm = c.nativeComm().handle;
        long type = Types.of(c.type);
        long recvType = Types.of(c.recvType);
        if (c.kind == Kind.GATHER) {
            return blocking
                    ? MPI_Gatherv_c(send, count, type, recv, counts, displacements, recvType, c.root, comm)
                    : MPI_Igatherv_c(send, count, type, recv, counts, displacements, recvType, c.root, comm, s.request);
        }
        return blocking
                ? MPI_Allgatherv_c(send, count, type, recv, counts, displacements, recvType, comm)
                : MPI_Iallgatherv_c(send, count, type, recv, counts, displacements, recvType, comm, s.request);
    }

    private static long blockCount(NativeCollective c, int rank) {
        return c.blocks == null ? c.recvCount : c.blocks.count(rank);
    }

    /// MPICH 4.0.2's allgatherv of one rank ignores the displacement; so its block is where the buffer
    /// begins.
    private static boolean isAlone(NativeCollective c) {
        return c.kind == Kind.ALLGATHER && c.nativeComm().size() == 1;
    }

    private static long blockDisplacement(NativeCollective c, int rank) {
        if (isAlone(c)) return 0;
        return c.blocks == null ? c.recvCount * rank : c.blocks.displacement(rank);
    }

    /// The largest number among counts and displacements.
    private static long bound(NativeCollective c, int size) {
        long bound = 0;
        for (int r = 0; r < size; r++) {
            bound = Math.max(bound, Math.max(blockCount(c, r), blockDisplacement(c, r)));
        }
        return bound;
    }

    /// A number of elements that divides every count and displacement, so that they fit an `int` when counted
    /// in it.
    private static long unit(NativeCollective c, int size, long bound) {
        long unit = 0;
        for (int r = 0; r < size; r++) {
            unit = gcd(gcd(unit, blockCount(c, r)), blockDisplacement(c, r));
        }
        if (Types.fitsInt(bound / unit)) return unit;
        throw MpiException.argument(
                ErrorClass.ERR_COUNT,
                c.operation,
                "blocks reach " + bound + " elements of " + c.recvType
                        + " into the buffer, which this MPI library cannot express (it has no MPI_Gatherv_c)",
                c.comm);
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    private MemorySegment blockSent(NativeCollective c, Scratch s, boolean blocking, boolean receives) {
        int me = c.nativeComm().rank();
        if (!c.inPlace) return sendSide(c, s, blocking, c.send, 0, c.count * c.type.bytes());
        return receives ? MPI_IN_PLACE : sendSide(c, s, blocking, c.recv, c.blockOffset(me), c.count * c.type.bytes());
    }

    private MemorySegment blocksSide(NativeCollective c, Scratch s, boolean blocking) {
        int size = c.nativeComm().size();
        int me = c.nativeComm().rank();
        long bytes = 0;
        for (int r = 0; r < size; r++) bytes = Math.max(bytes, c.blockOffset(r) + c.blockBytes(r));
        return recvSide(c, s, blocking, bytes, c.blockOffset(me), c.inPlace ? c.blockBytes(me) : 0);
    }

    /// The address of `bytes` of an operand, staged if they lie on the heap.
    private MemorySegment sendSide(
            NativeCollective c, Scratch s, boolean blocking, Memory memory, long offset, long bytes) {
        return switch (memory) {
            case Memory.Native there -> Messages.slice(there.segment(), offset);
            case Memory.Heap heap -> {
                MemorySegment room;
                if (blocking && Scratch.holds(bytes)) {
                    room = s.sendRoom(bytes);
                } else {
                    Staging.Block block = staging.take(bytes);
                    c.sendBlock = block;
                    room = block.segment();
                }
                MemorySegment.copy(heap.segment(), offset, room, 0, bytes);
                yield room;
            }
        };
    }

    private MemorySegment copy(NativeCollective c, Memory memory, long bytes) {
        Staging.Block block = staging.take(bytes);
        c.sendBlock = block;
        MemorySegment.copy(memory.segment(), 0, block.segment(), 0, bytes);
        return block.segment();
    }

    /// The address of the `bytes` of the result, staged if they lie on the heap; a part of them is input too.
    private MemorySegment recvSide(
            NativeCollective c, Scratch s, boolean blocking, long bytes, long inputOffset, long inputBytes) {
        return switch (c.recv) {
            case Memory.Native there -> there.segment();
            case Memory.Heap heap -> {
                MemorySegment room;
                if (blocking && Scratch.holds(bytes)) {
                    room = s.recvRoom(bytes);
                } else {
                    Staging.Block block = staging.take(bytes);
                    c.recvBlock = block;
                    room = block.segment();
                }
                MemorySegment.copy(heap.segment(), inputOffset, room, inputOffset, inputBytes);
                c.result = room;
                yield room;
            }
        };
    }

    /// Copies what was received, and no byte between the blocks.
    private static void deliver(NativeCollective c, MemorySegment room) {
        MemorySegment heap = c.recv.segment();
        boolean gathers = c.kind == Kind.GATHER || c.kind == Kind.ALLGATHER;
        int size = c.nativeComm().size();
        if (!gathers) {
            MemorySegment.copy(room, 0, heap, 0, c.count * c.type.bytes());
        } else if (c.blocks == null) {
            MemorySegment.copy(room, 0, heap, 0, c.recvCount * c.recvType.bytes() * size);
        } else {
            for (int r = 0; r < size; r++) {
                MemorySegment.copy(room, c.blockOffset(r), heap, c.blockOffset(r), c.blockBytes(r));
            }
        }
    }

    private static void check(int rc, NativeCollective c) {
        if (rc != 0) throw Errors.ofCollective(rc, c.operation, c.comm);
    }
}
