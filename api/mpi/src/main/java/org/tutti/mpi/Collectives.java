package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.BlockLayout;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.Collective.Neighbors;
import org.tutti.spi.Collective.SeparateBlocks;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.type.ElementType;

/// Describes the collective calls of a communicator: checks the arguments on this rank, and fills in a blank
/// [Collective]. One description is used by the blocking, the nonblocking and the persistent call of an
/// operation.
///
/// `operation` is the name of the operation in the API. Error messages begin with this name.
sealed class Collectives permits InterCollectives {
    final CommPort port;
    final CollectiveChecks check;

    Collectives(CommPort port) {
        this.port = port;
        check = new CollectiveChecks(port);
    }

    /// Returns the buffer to which a completed call has written, or `NONE`.
    static Buf result(Collective c, Buf recv) {
        boolean isGiver = c.kind == Kind.BCAST && c.port().rank() == c.root;
        boolean isNowhere = c.recv.memory == Memory.NONE && c.recv.parts == null;
        return isGiver || isNowhere ? Buf.NONE : recv;
    }

    /// Copies the received data to `recv`, the [#result], if the call has received it into a copy. Gaps between
    /// blocks, and blocks of missing neighbors, are not copied, because the program or a concurrent call may
    /// have written there.
    static void copyBack(Collective c, Buf recv) {
        try {
            copyAll(c, recv);
        } catch (WrongThreadException | IllegalStateException e) {
            throw Pieces.refused(c.operation, c.port(), e);
        }
    }

    private static void copyAll(Collective c, Buf recv) {
        Neighbors among = c.neighbors;
        BlockLayout blocks = c.kind == Kind.REDUCE_SCATTER ? null : c.recv.blocks; // blocks describe the operand
        if (among != null && c.recv.parts == null) {
            for (int b = 0; b < among.sources().length; b++) {
                if (among.sources()[b] != Comm.PROC_NULL) copyBlockBack(c, recv, b);
            }
        } else if (blocks != null) {
            for (int b = 0; b < blocks.counts().length; b++) copyBlockBack(c, recv, b);
        } else {
            recv.fromMemory(c.recv.memory, 0, recv.sizeBytes());
        }
    }

    private static void copyBlockBack(Collective c, Buf recv, int block) {
        recv.fromMemory(c.recv.memory, c.recv.blockOffset(block), c.recv.blockBytes(block));
    }

    /// If `c` has a receive buffer for each rank, returns one description of all these buffers; otherwise
    /// returns `NONE`.
    static Buf received(Collective c, Buf[] recv) {
        SeparateBlocks parts = c.recv.parts;
        return parts == null ? Buf.NONE : BufMaker.several(recv, parts.memories());
    }

    /// If `c` has a send buffer for each rank, returns one description of all these buffers; otherwise, and for
    /// a call in place, returns `NONE`.
    static Buf sent(Collective c, Buf @Nullable [] send) {
        SeparateBlocks parts = c.send.parts;
        return parts == null || send == null ? Buf.NONE : BufMaker.several(send, parts.memories());
    }

    Collective barrier(Collective c, String operation) {
        return c.fill(operation, port, Kind.BARRIER, 0);
    }

    Collective bcast(Collective c, String operation, Buf buf, int root) {
        check.root(operation, root);
        if (port.rank() == root) check.data(operation, "buf", buf);
        else check.target(operation, "buf", buf);
        return broadcast(c, operation, buf, root);
    }

    final Collective broadcast(Collective c, String operation, Buf buf, int root) {
        c.fill(operation, port, Kind.BCAST, root);
        c.recv.memory = buf.toMemory(c.recv);
        c.send.count = buf.wireCount();
        c.send.type = buf.datatype().elements().basic();
        c.signature = buf.signature();
        return c;
    }

    Collective reduce(Collective c, String operation, Buf send, Buf recv, Op op, int root) {
        check.root(operation, root);
        check.placeOfRoot(operation, send, root);
        boolean atRoot = port.rank() == root;
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        if (atRoot) {
            check.result(operation, operand, recv);
            check.disjoint(operation, send, recv, operand.sizeBytes());
        } else check.data(operation, "send", operand);
        return reduction(c, operation, Kind.REDUCE, root, send, operand, atRoot ? recv : Buf.NONE, op);
    }

    /// Describes an allreduce, a scan or an exscan.
    Collective reduceOnAll(Collective c, String operation, Kind kind, Buf send, Buf recv, Op op) {
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        if (!areLike(send, recv)) {
            check.result(operation, operand, recv);
            check.disjoint(operation, send, recv, operand.sizeBytes());
        }
        return reduction(c, operation, kind, 0, send, operand, recv, op);
    }

    /// Returns whether the buffers are two different, complete arrays of the same length and type; such buffers
    /// need no further checks.
    private static boolean areLike(Buf send, Buf recv) {
        boolean areArrays = isWholeArray(send) && isWholeArray(recv) && send.array != recv.array;
        return areArrays && send.count() == recv.count() && send.type == recv.type;
    }

    private static boolean isWholeArray(Buf b) {
        return b != null && b.array != null && b.pieces == null && b.layout == null && b.blocks == null;
    }

    Collective reduceScatter(Collective c, String operation, Buf send, Buf recv, Op op) {
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        String name = send == Buf.IN_PLACE ? "recv" : "send";
        check.data(operation, name, operand);
        long count = check.consecutive(operation, name, operand);
        check.roomFor(operation, operand, check.own(0, operand.blocks()), recv);
        reduction(c, operation, Kind.REDUCE_SCATTER, 0, send, operand, recv, op);
        c.send.count = count;
        c.recv.type = operand.datatype().elements();
        c.recv.blocks = operand.blocks();
        return c;
    }

    Collective reduceScatterBlock(Collective c, String operation, Buf send, Buf recv, Op op) {
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        String name = send == Buf.IN_PLACE ? "recv" : "send";
        check.data(operation, name, operand);
        check.noBlocks(operation, name, operand);
        long each = check.eachLocal(operation, name, operand);
        check.roomFor(operation, operand, each, recv);
        check.disjoint(operation, send, recv, each * recv.datatype().sizeBytes());
        reduction(c, operation, Kind.REDUCE_SCATTER, 0, send, operand, recv, op);
        c.recv.count = each;
        c.recv.type = operand.datatype().elements();
        return c;
    }

    final Collective reduction(
            Collective c, String operation, Kind kind, int root, Buf send, Buf operand, Buf recv, Op op) {
        if (op == null || !op.isKnownFor(operand.type)) check.op(operation, op, operand.type);
        c.fill(operation, port, kind, root);
        c.inPlace = send == Buf.IN_PLACE;
        c.send.memory = send.toMemory(c.send);
        c.recv.memory = recv.toMemory(c.recv);
        c.send.count = operand.count();
        c.send.type = operand.type.elements;
        c.op = op.reduction();
        return c;
    }

    Collective gather(Collective c, String operation, Buf send, Buf recv, int root) {
        check.root(operation, root);
        check.placeOfRoot(operation, send, root);
        if (port.rank() == root) return gathering(c, operation, Kind.GATHER, root, send, recv);
        check.data(operation, "send", send);
        c.fill(operation, port, Kind.GATHER, root);
        c.send.memory = send.toMemory(c.send);
        c.send.count = send.wireCount();
        c.send.type = send.datatype().elements().basic();
        return c;
    }

    Collective allgather(Collective c, String operation, Buf send, Buf recv) {
        return gathering(c, operation, Kind.ALLGATHER, 0, send, recv);
    }

    /// Describes a call on a rank that receives a block from every rank and contributes one block.
    private Collective gathering(Collective c, String operation, Kind kind, int root, Buf send, Buf recv) {
        check.target(operation, "recv", recv);
        long each = check.each(operation, "recv", recv);
        long mine = check.own(each, recv.blocks());
        boolean alike = kind == Kind.ALLGATHER && isPlain(recv);
        if (send != Buf.IN_PLACE) {
            check.data(operation, "send", send);
            check.ownBlock(operation, "send", send, mine, "recv", recv);
            check.disjoint(operation, send, recv, recv.sizeBytes());
        } else {
            BlockLayout blocks = recv.blocks();
            long at = blocks == null ? each * port.rank() : blocks.displacement(port.rank());
            check.dataInPlace(operation, recv, at, mine);
        }
        c.fill(operation, port, kind, root);
        c.inPlace = send == Buf.IN_PLACE;
        c.send.memory = send.toMemory(c.send);
        c.recv.memory = recv.toMemory(c.recv);
        c.send.count = mine * recv.units();
        c.recv.count = (alike ? mine : each) * recv.units();
        c.send.type = recv.datatype().elements().basic();
        c.recv.type = c.send.type;
        c.recv.blocks = alike ? null : recv.wireBlocks();
        return c;
    }

    /// Returns whether the blocks that the program has described are the default blocks: of equal length,
    /// consecutive, and filling the buffer. Every rank then passes the buffer to the engine without blocks: an
    /// MPI library has one function for buffers with blocks and one for buffers without blocks, and ranks that
    /// call different functions wait forever.
    private static boolean isPlain(Buf buf) {
        BlockLayout blocks = buf.blocks();
        if (blocks == null || blocks.counts().length == 0) return false;
        long each = blocks.count(0);
        for (int b = 0; b < blocks.counts().length; b++) {
            if (blocks.count(b) != each || blocks.displacement(b) != b * each) return false;
        }
        return each * blocks.counts().length == buf.count();
    }

    Collective scatter(Collective c, String operation, Buf send, Buf recv, int root) {
        check.root(operation, root);
        check.placeOfRoot(operation, recv, root);
        boolean atRoot = port.rank() == root;
        if (recv != Buf.IN_PLACE) check.target(operation, "recv", recv);
        long each = 0;
        if (atRoot) {
            check.data(operation, "send", send);
            each = check.each(operation, "send", send);
            long mine = check.own(each, send.blocks());
            if (recv != Buf.IN_PLACE) check.ownBlock(operation, "recv", recv, mine, "send", send);
            check.disjoint(operation, recv, send, send.sizeBytes()); // the order of the two buffers does not matter
        }
        c.fill(operation, port, Kind.SCATTER, root);
        c.inPlace = recv == Buf.IN_PLACE;
        c.recv.memory = recv.toMemory(c.recv);
        c.recv.count = recv.wireCount();
        c.send.type = atRoot
                ? send.datatype().elements().basic()
                : recv.datatype().elements().basic();
        c.recv.type = c.send.type;
        if (!atRoot) return c;
        c.send.memory = send.toMemory(c.send);
        c.send.count = each * send.units();
        c.send.blocks = send.wireBlocks();
        return c;
    }

    Collective alltoall(Collective c, String operation, Buf send, Buf recv) {
        check.target(operation, "recv", recv);
        long each = check.each(operation, "recv", recv);
        boolean inPlace = send == Buf.IN_PLACE;
        long units = each * recv.units();
        long unitsSent = units;
        if (!inPlace) {
            check.data(operation, "send", send);
            check.sameBasicType(operation, send, recv);
            check.sameForm(operation, send, recv);
            check.disjoint(operation, send, recv, recv.sizeBytes());
            long eachSent = check.each(operation, "send", send);
            unitsSent = eachSent * send.units();
            long kept = check.own(eachSent, send.blocks()) * send.units();
            check.toMyself(
                    operation,
                    kept,
                    check.own(each, recv.blocks()) * recv.units(),
                    recv.datatype().elements().basic());
        } else {
            BlockLayout blocks = recv.blocks();
            for (int r = 0; r < port.size(); r++) {
                long at = blocks == null ? each * r : blocks.displacement(r);
                check.dataInPlace(operation, recv, at, blocks == null ? each : blocks.count(r));
            }
        }
        c.fill(operation, port, Kind.ALLTOALL, 0);
        c.inPlace = inPlace;
        c.send.memory = send.toMemory(c.send);
        c.recv.memory = recv.toMemory(c.recv);
        c.send.count = unitsSent;
        c.recv.count = units;
        c.send.type = recv.datatype().elements().basic();
        c.recv.type = c.send.type;
        c.send.blocks = send.wireBlocks();
        c.recv.blocks = recv.wireBlocks();
        return c;
    }

    /// Describes an alltoallw. `send` is null for a call in place.
    Collective alltoallw(Collective c, String operation, Buf @Nullable [] send, Buf[] recv) {
        check.partsToReceive(operation, recv, port.size(), "ranks");
        if (send != null) {
            check.parts(operation, "send", send, port.size(), "ranks");
            check.partToMyself(operation, send[port.rank()], recv[port.rank()]);
        }
        c.fill(operation, port, Kind.ALLTOALLW, 0);
        c.inPlace = send == null;
        c.send.parts = send == null ? null : parts(send, null);
        c.recv.parts = parts(recv, null);
        return c;
    }

    /// Returns the memory of each buffer. The buffer of a missing neighbor is empty.
    static SeparateBlocks parts(Buf[] bufs, int @Nullable [] neighbors) {
        Memory[] memories = new Memory[bufs.length];
        ElementType[] types = new ElementType[bufs.length];
        long[] lengths = new long[bufs.length];
        for (int i = 0; i < bufs.length; i++) {
            Buf buf = neighbors != null && neighbors[i] == Comm.PROC_NULL ? Buf.NONE : bufs[i];
            memories[i] = buf.toMemory();
            types[i] = buf.datatype().elements().basic();
            lengths[i] = buf.sizeBytes();
        }
        return new SeparateBlocks(memories, types, lengths);
    }
}
