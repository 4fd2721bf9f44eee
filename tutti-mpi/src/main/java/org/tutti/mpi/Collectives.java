package org.tutti.mpi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.spi.Collective;
import org.tutti.mpi.spi.Collective.Blocks;
import org.tutti.mpi.spi.Collective.Kind;
import org.tutti.mpi.spi.CommPort;
import org.tutti.mpi.spi.Engine;
import org.tutti.mpi.spi.Memory;

/// The collective operations of one communicator: checks what can be checked on this rank alone, describes the
/// call, lets the engine run it.
final class Collectives {
    private final Mpi mpi;
    private final CommPort port;

    Collectives(Mpi mpi, CommPort port) {
        this.mpi = mpi;
        this.port = port;
    }

    void barrier(Engine engine) {
        run(engine, mpi.scratch().collective().fill("barrier", port, Kind.BARRIER, 0));
    }

    void bcast(Engine engine, Buf buf, int root) {
        checkRoot("bcast", root);
        if (!buf.isPlace()) throw missing("bcast", "buf", buf);
        if (port.rank() != root) checkWritable("bcast", buf);
        Memory memory = buf.toMemory();
        Collective c = mpi.scratch().collective().fill("bcast", port, Kind.BCAST, root);
        c.recv = memory;
        c.count = buf.count();
        c.type = buf.type();
        run(engine, c);
        if (port.rank() != root) buf.fromMemory(memory);
    }

    void reduce(Engine engine, Buf send, Buf recv, Op op, int root) {
        checkRoot("reduce", root);
        boolean atRoot = port.rank() == root;
        if (send == Buf.IN_PLACE && !atRoot) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER, "reduce", "IN_PLACE is for the root, which is rank " + root, port);
        }
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        if (atRoot) checkResult("reduce", operand, recv);
        else if (!operand.isPlace()) throw missing("reduce", "send", operand);
        checkOp("reduce", op, operand.type());
        Memory in = send.toMemory();
        Memory out = atRoot ? recv.toMemory() : Memory.NONE;
        run(engine, reduction("reduce", Kind.REDUCE, root, send, in, out, operand, op));
        if (atRoot) recv.fromMemory(out);
    }

    void allreduce(Engine engine, Buf send, Buf recv, Op op) {
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        checkResult("allreduce", operand, recv);
        checkOp("allreduce", op, operand.type());
        Memory in = send.toMemory();
        Memory out = recv.toMemory();
        run(engine, reduction("allreduce", Kind.ALLREDUCE, 0, send, in, out, operand, op));
        recv.fromMemory(out);
    }

    double allreduce(Engine engine, double value, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_DOUBLE, 0, value);
        scalar(engine, s, Datatype.DOUBLE, op);
        return s.scalarOut.get(JAVA_DOUBLE, 0);
    }

    long allreduce(Engine engine, long value, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_LONG, 0, value);
        scalar(engine, s, Datatype.LONG, op);
        return s.scalarOut.get(JAVA_LONG, 0);
    }

    int allreduce(Engine engine, int value, Op op) {
        Scratch s = mpi.scratch();
        s.scalarIn.set(JAVA_INT, 0, value);
        scalar(engine, s, Datatype.INT, op);
        return s.scalarOut.get(JAVA_INT, 0);
    }

    private void scalar(Engine engine, Scratch s, Datatype type, Op op) {
        checkOp("allreduce", op, type);
        Collective c = s.collective().fill("allreduce", port, Kind.ALLREDUCE, 0);
        c.send = s.scalarInMemory;
        c.recv = s.scalarOutMemory;
        c.count = 1;
        c.type = type;
        c.op = op;
        run(engine, c);
    }

    void gather(Engine engine, Buf send, Buf recv, int root) {
        checkRoot("gather", root);
        boolean atRoot = port.rank() == root;
        if (!atRoot) {
            if (!send.isPlace()) throw missing("gather", "send", send);
            Collective c = mpi.scratch().collective().fill("gather", port, Kind.GATHER, root);
            c.send = send.toMemory();
            c.count = send.count();
            c.type = send.type();
            run(engine, c);
            return;
        }
        blocks(engine, "gather", Kind.GATHER, root, send, recv);
    }

    void allgather(Engine engine, Buf send, Buf recv) {
        blocks(engine, "allgather", Kind.ALLGATHER, 0, send, recv);
    }

    /// A rank that receives blocks from all.
    private void blocks(Engine engine, String operation, Kind kind, int root, Buf send, Buf recv) {
        if (!recv.isPlace()) throw missing(operation, "recv", recv);
        if (send == Buf.NONE) throw missing(operation, "send", send);
        checkWritable(operation, recv);
        Blocks blocks = recv.blocks();
        long each = blockCount(operation, recv, blocks);
        if (send != Buf.IN_PLACE) {
            long mine = blocks == null ? each : blocks.count(port.rank());
            if (send.count() != mine || send.type() != recv.type()) {
                throw MpiException.argument(
                        send.type() != recv.type() ? ErrorClass.ERR_TYPE : ErrorClass.ERR_COUNT,
                        operation,
                        "send holds " + send + " but this rank's block in recv is " + mine + " " + recv.type(),
                        port);
            }
        }
        Memory in = send.toMemory();
        Memory out = recv.toMemory();
        Collective c = mpi.scratch().collective().fill(operation, port, kind, root);
        c.inPlace = send == Buf.IN_PLACE;
        c.send = in;
        c.recv = out;
        c.count = blocks == null ? each : blocks.count(port.rank());
        c.recvCount = each;
        c.type = recv.type();
        c.recvType = recv.type();
        c.blocks = blocks;
        run(engine, c);
        recv.fromMemory(out);
    }

    /// Elements of each block; 0 when the blocks say it themselves.
    private long blockCount(String operation, Buf recv, @Nullable Blocks blocks) {
        int size = port.size();
        if (blocks == null) {
            if (recv.count() % size == 0) return recv.count() / size;
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT,
                    operation,
                    "recv holds " + recv.count() + " elements, which is no multiple of the " + size
                            + " ranks; use blocks(…) for blocks of different size",
                    port);
        }
        if (blocks.counts().length != size) {
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT,
                    operation,
                    "recv has " + blocks.counts().length + " blocks for " + size + " ranks",
                    port);
        }
        return 0;
    }

    private Collective reduction(
            String operation, Kind kind, int root, Buf send, Memory in, Memory out, Buf operand, Op op) {
        Collective c = mpi.scratch().collective().fill(operation, port, kind, root);
        c.inPlace = send == Buf.IN_PLACE;
        c.send = in;
        c.recv = out;
        c.count = operand.count();
        c.type = operand.type();
        c.op = op;
        return c;
    }

    private static void run(Engine engine, Collective c) {
        engine.run(c);
        Throwable why = c.failure();
        if (why != null) throw Mpi.asRuntime(why);
    }

    private void checkRoot(String operation, int root) {
        if (root >= 0 && root < port.size()) return;
        throw MpiException.argument(
                ErrorClass.ERR_ROOT,
                operation,
                "root=" + root + " is no rank of " + port.name() + ", which has ranks 0 to " + (port.size() - 1),
                port);
    }

    private void checkOp(String operation, Op op, Datatype type) {
        if (op.supports(type)) return;
        throw MpiException.argument(
                ErrorClass.ERR_OP,
                operation,
                op.name() + " is not defined for " + type + "; see the table at Op",
                port);
    }

    private void checkResult(String operation, Buf operand, Buf recv) {
        if (!operand.isPlace()) throw missing(operation, operand == recv ? "recv" : "send", operand);
        if (!recv.isPlace()) throw missing(operation, "recv", recv);
        checkWritable(operation, recv);
        if (operand.type() != recv.type()) {
            throw MpiException.argument(
                    ErrorClass.ERR_TYPE, operation, "send is " + operand + " but recv is " + recv, port);
        }
        if (recv.lengthBytes() < operand.lengthBytes()) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    operation,
                    "recv holds " + recv.lengthBytes() + " bytes but count=" + operand.count() + " of " + operand.type()
                            + " needs " + operand.lengthBytes(),
                    port);
        }
    }

    private void checkWritable(String operation, Buf buf) {
        if (buf.isReadOnly()) {
            throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, "the receive buffer is read-only", port);
        }
    }

    private MpiException missing(String operation, String what, Buf got) {
        return MpiException.argument(
                ErrorClass.ERR_BUFFER,
                operation,
                what + " is " + got + " on a rank that must have a buffer there",
                port);
    }
}
