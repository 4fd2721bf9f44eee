package mpi;

import java.util.Objects;
import org.tutti.mpi.Buf;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Topology;

/// Collective calls. Each method describes one call, and is passed a function that runs or starts the call.
class CollectiveCalls extends MessageCalls {
    /// A call with two buffers.
    interface Two {
        org.tutti.mpi.Request call(org.tutti.mpi.Communicator comm, Buf send, Buf recv);
    }

    /// A call with two buffers and a root.
    interface Rooted {
        org.tutti.mpi.Request call(org.tutti.mpi.Communicator comm, Buf send, Buf recv, int root);
    }

    /// A call with an operation.
    interface Combined {
        org.tutti.mpi.Request call(org.tutti.mpi.Communicator comm, Buf send, Buf recv, org.tutti.mpi.Op op);
    }

    /// A call with an operation and a root.
    interface CombinedAtRoot {
        org.tutti.mpi.Request call(org.tutti.mpi.Communicator comm, Buf send, Buf recv, org.tutti.mpi.Op op, int root);
    }

    /// A call with a buffer for each rank.
    interface Many {
        org.tutti.mpi.Request call(org.tutti.mpi.Communicator comm, Buf[] send, Buf[] recv);
    }

    /// A call to neighbors.
    interface NeighborCall {
        org.tutti.mpi.Request call(Topology comm, Buf send, Buf recv);
    }

    CollectiveCalls(org.tutti.mpi.Communicator comm, Errhandler errhandler, Attributes attributes) {
        super(comm, errhandler, attributes);
    }

    /// Returns null for a blocking call.
    private Request requestOf(org.tutti.mpi.Request started) {
        return started == null ? null : request(started);
    }

    /// As [#failed]. Data is sent as bytes, so the report of mismatched calls is in bytes; a note therefore
    /// states the count and the type that the program has passed.
    private MPIException differs(RuntimeException e, int received, Datatype type) throws MPIException {
        if (e instanceof MpiException m && m.errorClass() == ErrorClass.ERR_MISMATCH && !type.isNull()) {
            System.err.println("tutti: note: the receive count on this rank is " + received + " of " + Data.name(type)
                    + "; it must equal the count that the root sends to this rank");
        }
        return failed(e);
    }

    final void barrier() throws MPIException {
        try {
            open().barrier();
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request ibarrier() throws MPIException {
        try {
            return request(open().ibarrier());
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final void bcast(Object buf, int count, Datatype type, int root) throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            c.bcast(takesNoPart(c, root) && root != MPI.ROOT ? Buf.NONE : Data.in(buf, count, type), root(c, root));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request ibcast(Object buf, int count, Datatype type, int root) throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            Buf data = takesNoPart(c, root) && root != MPI.ROOT ? Buf.NONE : Data.in(buf, count, type);
            return request(c.ibcast(data, root(c, root)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request gather(
            Rooted call, Object send, int sends, Datatype sendType, Object recv, int recvs, Datatype recvType, int root)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            boolean here = isRoot(c, root);
            Buf from = takesNoPart(c, root) ? Buf.NONE : source(send, sends, sendType, here ? recv : null);
            Buf to = here ? Data.of(recv, (long) recvs * peers(c), recvType) : Buf.NONE;
            return requestOf(call.call(c, from, to, root(c, root)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Gathers in place: on the root, the buffer contains all blocks; on other ranks, it contains the block to
    /// send.
    final Request gather(Rooted call, Object buf, int count, Datatype type, int root) throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            if (isRoot(c, root)) {
                Buf all = Data.of(buf, (long) count * peers(c), type);
                return requestOf(call.call(c, c.isInter() ? Buf.NONE : Buf.IN_PLACE, all, root(c, root)));
            }
            return requestOf(call.call(c, Data.of(buf, count, type), Buf.NONE, root(c, root)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request gatherv(
            Rooted call,
            Object send,
            int sends,
            Datatype sendType,
            Object recv,
            int[] counts,
            int[] at,
            Datatype recvType,
            int root)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            boolean here = isRoot(c, root);
            Buf from = takesNoPart(c, root) ? Buf.NONE : source(send, sends, sendType, here ? recv : null);
            Buf to = here ? Data.blocks(recv, counts, at, peers(c), recvType) : Buf.NONE;
            return requestOf(call.call(c, from, to, root(c, root)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Runs a gather on a rank other than the root.
    final Request gathervFromOther(Rooted call, Object send, int sends, Datatype type, int root) throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            return requestOf(call.call(c, Data.of(send, sends, type), Buf.NONE, root(c, root)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Gathers in place, on the root.
    final Request gathervAtRoot(Rooted call, Object recv, int[] counts, int[] at, Datatype type, int root)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            Buf to = Data.blocks(recv, counts, at, peers(c), type);
            return requestOf(call.call(c, c.isInter() ? Buf.NONE : Buf.IN_PLACE, to, root(c, root)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request scatter(
            Rooted call, Object send, int sends, Datatype sendType, Object recv, int recvs, Datatype recvType, int root)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            Buf from = isRoot(c, root) ? all(send, (long) sends * peers(c), sendType, recv) : Buf.NONE;
            Buf to = takesNoPart(c, root) ? Buf.NONE : Data.of(recv, recvs, recvType);
            return requestOf(call.call(c, from, to, root(c, root)));
        } catch (MpiException | Mistake e) {
            throw differs(e, recvs, recvType);
        }
    }

    private static Buf all(Object data, long count, Datatype type, Object target) throws MPIException {
        Buf buf = Data.of(data, count, type);
        return data == target && count > 0 ? Data.copy(buf) : buf;
    }

    /// Scatters in place: on the root, the buffer contains all blocks; on other ranks, it receives the block.
    final Request scatter(Rooted call, Object buf, int count, Datatype type, int root) throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            if (isRoot(c, root)) {
                Buf all = Data.of(buf, (long) count * peers(c), type);
                return requestOf(call.call(c, all, c.isInter() ? Buf.NONE : Buf.IN_PLACE, root(c, root)));
            }
            return requestOf(call.call(c, Buf.NONE, Data.of(buf, count, type), root(c, root)));
        } catch (MpiException | Mistake e) {
            throw differs(e, count, type);
        }
    }

    final Request scatterv(
            Rooted call,
            Object send,
            int[] counts,
            int[] at,
            Datatype sendType,
            Object recv,
            int recvs,
            Datatype recvType,
            int root)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            boolean same = isRoot(c, root) && send == recv && recvs > 0;
            // below, the block is copied from the temporary array as soon as the call returns, so the call must
            // be blocking
            if (same && call != Blocking.SCATTER) {
                throw new Mistake(
                        MPI.ERR_BUFFER,
                        "MPI_ERR_BUFFER: iScatterv: the root passes the same buffer as the send and the receive buffer;"
                                + " pass only the send buffer, and the root's block remains in it");
            }
            Buf from = isRoot(c, root) ? Data.blocks(send, counts, at, peers(c), sendType) : Buf.NONE;
            Buf to = takesNoPart(c, root)
                    ? Buf.NONE
                    : Data.of(same ? new byte[bytes(recvs, recvType)] : recv, recvs, recvType);
            Request requestOf = requestOf(call.call(c, from, to, root(c, root)));
            // the root receives only its own block, in a temporary array if the send buffer is also the receive
            // buffer
            if (same)
                new org.tutti.mpi.Unpacker(new org.tutti.mpi.Packer().add(to).toByteArray())
                        .take(Data.of(recv, recvs, recvType));
            return requestOf;
        } catch (MpiException | Mistake e) {
            throw differs(e, recvs, recvType);
        }
    }

    private static int bytes(int count, Datatype type) {
        return Math.toIntExact((long) count * type.extentBytes());
    }

    /// Runs a scatter on a rank other than the root.
    final Request scattervToOther(Rooted call, Object recv, int recvs, Datatype type, int root) throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            return requestOf(call.call(c, Buf.NONE, Data.of(recv, recvs, type), root(c, root)));
        } catch (MpiException | Mistake e) {
            throw differs(e, recvs, type);
        }
    }

    /// Scatters in place, on the root.
    final Request scattervAtRoot(Rooted call, Object send, int[] counts, int[] at, Datatype type, int root)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            Buf from = Data.blocks(send, counts, at, peers(c), type);
            return requestOf(call.call(c, from, c.isInter() ? Buf.NONE : Buf.IN_PLACE, root(c, root)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Runs an all-gather or all-to-all.
    ///
    /// @param toEach whether `send` has a block for each rank, instead of a single block
    final Request exchange(
            Two call,
            boolean toEach,
            Object send,
            int sends,
            Datatype sendType,
            Object recv,
            int recvs,
            Datatype recvType)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            int ranks = peers(c);
            Buf from = all(send, toEach ? (long) sends * ranks : sends, sendType, recv);
            return requestOf(call.call(c, from, Data.of(recv, (long) recvs * ranks, recvType)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Runs an all-gather in place.
    final Request inPlace(Two call, Object buf, int count, Datatype type) throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            return requestOf(call.call(c, Buf.IN_PLACE, Data.of(buf, (long) count * peers(c), type)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request allGatherv(
            Two call, Object send, int sends, Datatype sendType, Object recv, int[] counts, int[] at, Datatype recvType)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            Buf from = source(send, sends, sendType, recv);
            return requestOf(call.call(c, from, Data.blocks(recv, counts, at, peers(c), recvType)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Runs an all-gather in place.
    final Request allGatherv(Two call, Object recv, int[] counts, int[] at, Datatype type) throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            return requestOf(call.call(c, Buf.IN_PLACE, Data.blocks(recv, counts, at, peers(c), type)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request allToAllv(
            Two call,
            Object send,
            int[] sends,
            int[] sendAt,
            Datatype sendType,
            Object recv,
            int[] recvs,
            int[] recvAt,
            Datatype recvType)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            Object from = send == recv ? Blocks.copyOf(send) : send;
            return requestOf(call.call(
                    c,
                    Data.blocks(from, sends, sendAt, peers(c), sendType),
                    Data.blocks(recv, recvs, recvAt, peers(c), recvType)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request allToAllw(
            Many call,
            Object send,
            int[] sends,
            int[] sendAt,
            Datatype[] sendTypes,
            Object recv,
            int[] recvs,
            int[] recvAt,
            Datatype[] recvTypes)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            Object from = send == recv ? Blocks.copyOf(send) : send;
            return requestOf(call.call(
                    c,
                    Blocks.ofTypes(from, sends, sendAt, sendTypes, peers(c)),
                    Blocks.ofTypes(recv, recvs, recvAt, recvTypes, peers(c))));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    // ---- reductions

    final Request reduce(CombinedAtRoot call, Object send, Object recv, int count, Datatype type, Op op, int root)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            boolean here = isRoot(c, root);
            Buf to = here ? Data.operand(recv, count, type) : Buf.NONE;
            Buf from = takesNoPart(c, root) ? Buf.NONE : operand(here ? recv : null, send, count, type);
            return requestOf(call.call(c, from, to, op.of(type), root(c, root)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Returns the operand; in place, the contents of the result buffer.
    private static Buf operand(Object result, Object send, int count, Datatype type) throws MPIException {
        return send == result && count > 0 ? Buf.IN_PLACE : Data.operand(send, count, type);
    }

    /// Reduces. On the root, `buf` contains the operand, except in an intercommunicator, and receives the result.
    final Request reduce(CombinedAtRoot call, Object buf, int count, Datatype type, Op op, int root)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            Buf data = Data.operand(buf, count, type);
            boolean here = isRoot(c, root);
            Buf from = here ? c.isInter() ? Buf.NONE : Buf.IN_PLACE : data;
            return requestOf(call.call(c, from, here ? data : Buf.NONE, op.of(type), root(c, root)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Runs an all-reduce or a scan.
    final Request combine(Combined call, Object send, Object recv, int count, Datatype type, Op op)
            throws MPIException {
        try {
            Buf to = Data.operand(recv, count, type);
            return requestOf(call.call(open(), operand(recv, send, count, type), to, op.of(type)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Runs an all-reduce or a scan in place.
    final Request combine(Combined call, Object buf, int count, Datatype type, Op op) throws MPIException {
        try {
            return requestOf(call.call(open(), Buf.IN_PLACE, Data.operand(buf, count, type), op.of(type)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request reduceScatter(Combined call, Object send, Object recv, int[] counts, Datatype type, Op op)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            if (send == recv) return reduceScatter(call, recv, counts, type, op);
            Buf from = Data.operands(send, counts, c.size(), type);
            return requestOf(call.call(c, from, Data.operand(recv, counts[c.rank()], type), op.of(type)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Runs a reduce-scatter in place.
    final Request reduceScatter(Combined call, Object buf, int[] counts, Datatype type, Op op) throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            return requestOf(call.call(c, Buf.IN_PLACE, Data.operands(buf, counts, c.size(), type), op.of(type)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request reduceScatterBlock(Combined call, Object send, Object recv, int count, Datatype type, Op op)
            throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            if (send == recv) return reduceScatterBlock(call, recv, count, type, op);
            Buf from = Data.operand(send, (long) count * c.size(), type);
            return requestOf(call.call(c, from, Data.operand(recv, count, type), op.of(type)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Runs a reduce-scatter in place, with blocks of equal size.
    final Request reduceScatterBlock(Combined call, Object buf, int count, Datatype type, Op op) throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            Buf all = Data.operand(buf, (long) count * c.size(), type);
            return requestOf(call.call(c, Buf.IN_PLACE, all, op.of(type)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    // ---- neighbors

    private Topology topology() throws MPIException {
        org.tutti.mpi.Communicator c = open();
        if (c instanceof Topology t) return t;
        throw Failures.of(MPI.ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY: " + c.name() + " has no topology", errhandler);
    }

    /// @param toEach whether `send` has a block for each neighbor
    final Request neighborCall(
            NeighborCall call,
            boolean toEach,
            Object send,
            int sends,
            Datatype sendType,
            Object recv,
            int recvs,
            Datatype recvType)
            throws MPIException {
        try {
            Topology c = topology();
            Buf from = all(send, toEach ? (long) sends * c.destinations().length : sends, sendType, recv);
            return requestOf(call.call(c, from, Data.of(recv, (long) recvs * c.sources().length, recvType)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request neighborGatherv(
            NeighborCall call,
            Object send,
            int sends,
            Datatype sendType,
            Object recv,
            int[] counts,
            int[] at,
            Datatype recvType)
            throws MPIException {
        try {
            Topology c = topology();
            Buf from = source(send, sends, sendType, recv);
            return requestOf(call.call(c, from, Data.blocks(recv, counts, at, c.sources().length, recvType)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request neighborExchange(
            NeighborCall call,
            Object send,
            int[] sends,
            int[] sendAt,
            Datatype sendType,
            Object recv,
            int[] recvs,
            int[] recvAt,
            Datatype recvType)
            throws MPIException {
        try {
            Topology c = topology();
            Object from = send == recv ? Blocks.copyOf(Objects.requireNonNull(send)) : send;
            return requestOf(call.call(
                    c,
                    Data.blocks(from, sends, sendAt, c.destinations().length, sendType),
                    Data.blocks(recv, recvs, recvAt, c.sources().length, recvType)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }
}
