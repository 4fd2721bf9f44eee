package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// [Collectives] between the two groups of an intercommunicator: a rank's buffers have one block for each rank
/// of the other group, except the operand of a reduce-scatter, which has one block for each rank of the local
/// group. No call is in place, and in the root's group only the root participates. MPI 4.1, section 6.2.3.
final class InterCollectives extends Collectives {
    InterCollectives(CommPort port) {
        super(port);
    }

    /// Describes a call in which this rank does not participate. The engine counts the call, and completes it
    /// immediately.
    private Collective none(Collective c, String operation, Kind kind) {
        return c.fill(operation, port, kind, Comm.PROC_NULL);
    }

    @Override
    Collective bcast(Collective c, String operation, Buf buf, int root) {
        int at = check.root(operation, root);
        if (root == Comm.PROC_NULL) return none(c, operation, Kind.BCAST);
        if (root == Comm.ROOT) check.data(operation, "buf", buf);
        else check.target(operation, "buf", buf);
        return broadcast(c, operation, buf, at);
    }

    @Override
    Collective reduce(Collective c, String operation, Buf send, Buf recv, Op op, int root) {
        int at = check.root(operation, root);
        if (root == Comm.PROC_NULL) return none(c, operation, Kind.REDUCE);
        if (root == Comm.ROOT) {
            check.target(operation, "recv", recv);
            return reduction(c, operation, Kind.REDUCE, at, Buf.NONE, recv, recv, op);
        }
        check.notInPlace(operation, send);
        check.data(operation, "send", send);
        return reduction(c, operation, Kind.REDUCE, at, send, send, Buf.NONE, op);
    }

    @Override
    Collective reduceOnAll(Collective c, String operation, Kind kind, Buf send, Buf recv, Op op) {
        check.notInPlace(operation, send);
        return super.reduceOnAll(c, operation, kind, send, recv, op);
    }

    @Override
    Collective reduceScatter(Collective c, String operation, Buf send, Buf recv, Op op) {
        check.notInPlace(operation, send);
        return super.reduceScatter(c, operation, send, recv, op);
    }

    @Override
    Collective reduceScatterBlock(Collective c, String operation, Buf send, Buf recv, Op op) {
        check.notInPlace(operation, send);
        return super.reduceScatterBlock(c, operation, send, recv, op);
    }

    @Override
    Collective gather(Collective c, String operation, Buf send, Buf recv, int root) {
        int at = check.root(operation, root);
        if (root == Comm.PROC_NULL) return none(c, operation, Kind.GATHER);
        if (root != Comm.ROOT) {
            check.notInPlace(operation, send);
            check.data(operation, "send", send);
            return giving(c.fill(operation, port, Kind.GATHER, at), send);
        }
        check.target(operation, "recv", recv);
        long each = check.each(operation, "recv", recv);
        c.fill(operation, port, Kind.GATHER, at);
        c.send.type = recv.datatype().elements().basic();
        return gettingBlocks(c, recv, each);
    }

    @Override
    Collective allgather(Collective c, String operation, Buf send, Buf recv) {
        check.notInPlace(operation, send);
        check.data(operation, "send", send);
        check.target(operation, "recv", recv);
        long each = check.each(operation, "recv", recv);
        return gettingBlocks(giving(c.fill(operation, port, Kind.ALLGATHER, 0), send), recv, each);
    }

    @Override
    Collective scatter(Collective c, String operation, Buf send, Buf recv, int root) {
        int at = check.root(operation, root);
        if (root == Comm.PROC_NULL) return none(c, operation, Kind.SCATTER);
        if (root == Comm.ROOT) {
            check.data(operation, "send", send);
            long each = check.each(operation, "send", send);
            c.fill(operation, port, Kind.SCATTER, at);
            c.recv.type = send.datatype().elements().basic();
            return givingBlocks(c, send, each);
        }
        check.notInPlace(operation, recv);
        check.target(operation, "recv", recv);
        c.fill(operation, port, Kind.SCATTER, at);
        c.recv.memory = recv.toMemory(c.recv);
        c.recv.count = recv.wireCount();
        c.recv.type = recv.datatype().elements().basic();
        c.send.type = c.recv.type;
        return c;
    }

    @Override
    Collective alltoall(Collective c, String operation, Buf send, Buf recv) {
        check.notInPlace(operation, send);
        check.data(operation, "send", send);
        check.target(operation, "recv", recv);
        long eachSent = check.each(operation, "send", send);
        long each = check.each(operation, "recv", recv);
        givingBlocks(c.fill(operation, port, Kind.ALLTOALL, 0), send, eachSent);
        return gettingBlocks(c, recv, each);
    }

    @Override
    Collective alltoallw(Collective c, String operation, Buf @Nullable [] send, Buf[] recv) {
        check.notInPlace(operation, send == null ? Buf.IN_PLACE : Buf.NONE);
        check.parts(operation, "send", send, port.peerSize(), "ranks of the remote group");
        check.partsToReceive(operation, recv, port.peerSize(), "ranks of the remote group");
        c.fill(operation, port, Kind.ALLTOALLW, 0);
        c.send.parts = send == null ? null : parts(send, null);
        c.recv.parts = parts(recv, null);
        return c;
    }

    private static Collective giving(Collective c, Buf send) {
        c.send.memory = send.toMemory(c.send);
        c.send.count = send.wireCount();
        c.send.type = send.datatype().elements().basic();
        return c;
    }

    private static Collective givingBlocks(Collective c, Buf send, long each) {
        c.send.memory = send.toMemory(c.send);
        c.send.count = each * send.units();
        c.send.type = send.datatype().elements().basic();
        c.send.blocks = send.wireBlocks();
        return c;
    }

    private static Collective gettingBlocks(Collective c, Buf recv, long each) {
        c.recv.memory = recv.toMemory(c.recv);
        c.recv.count = each * recv.units();
        c.recv.type = recv.datatype().elements().basic();
        c.recv.blocks = recv.wireBlocks();
        return c;
    }
}
