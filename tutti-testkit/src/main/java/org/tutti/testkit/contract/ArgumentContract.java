package org.tutti.testkit.contract;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Group;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.testkit.trial.Check;
import org.tutti.testkit.trial.Contract;
import org.tutti.testkit.trial.Sending;
import org.tutti.testkit.trial.Trial;

/// Wrong arguments: found on the rank that passed them, before anything is sent, said in these words.
public final class ArgumentContract {
    private ArgumentContract() {}

    @Contract
    public static void ranksThatAreNone(Trial t) {
        Comm w = t.world();
        int n = t.size();
        Buf x = buf(new int[1]);
        String ranks = " is no rank of WORLD, which has ranks 0 to " + (n - 1) + " (" + t.where() + ")";
        Check.rejects(ErrorClass.ERR_RANK, "send: dest=" + n + ranks, () -> w.send(x, n));
        Check.rejects(ErrorClass.ERR_RANK, "send: dest=-1" + ranks, () -> w.send(x, Comm.ANY_SOURCE));
        Check.rejects(ErrorClass.ERR_RANK, "isend: dest=-7" + ranks, () -> w.isend(x, -7, 1));
        Check.rejects(ErrorClass.ERR_RANK, "recv: source=" + n + ranks, () -> w.recv(x, n));
        Check.rejects(ErrorClass.ERR_RANK, "irecv: source=-3" + ranks, () -> w.irecv(x, -3));
        Check.rejects(ErrorClass.ERR_RANK, "sendrecv: dest=" + n + ranks, () -> w.sendrecv(x, n, x, 0));
        Check.rejects(ErrorClass.ERR_RANK, "sendrecv: source=" + n + ranks, () -> w.sendrecv(x, 0, x, n));
        Check.rejects(ErrorClass.ERR_RANK, "probe: source=" + n + ranks, () -> w.probe(n, 0));
        Check.rejects(ErrorClass.ERR_RANK, "iprobe: source=" + n + ranks, () -> w.iprobe(n, 0));
        for (Sending way : Sending.values()) {
            Check.rejects(ErrorClass.ERR_RANK, way.word() + ": dest=" + n + ranks, () -> way.begin(w, x, n, 0));
        }
        Check.rejects(ErrorClass.ERR_RANK, "recvInit: source=" + n + ranks, () -> w.recvInit(x, n, 0));
        Check.rejects(ErrorClass.ERR_RANK, "mprobe: source=-3" + ranks, () -> w.mprobe(-3, 0));
        Check.rejects(ErrorClass.ERR_RANK, "improbe: source=" + n + ranks, () -> w.improbe(n, 0));
        Check.rejects(ErrorClass.ERR_RANK, "sendrecvReplace: dest=" + n + ranks, () -> w.sendrecvReplace(x, n, 0));
        Check.rejects(ErrorClass.ERR_RANK, "sendrecvReplace: source=" + n + ranks, () -> w.sendrecvReplace(x, 0, n));
        Check.rejects(ErrorClass.ERR_RANK, "sendObject: dest=" + n + ranks, () -> w.sendObject("x", n));
        Check.rejects(ErrorClass.ERR_RANK, "recvObject: source=" + n + ranks, () -> w.recvObject(String.class, n));
        Check.rejects(ErrorClass.ERR_RANK, "isendObject: dest=-5" + ranks, () -> w.isendObject("x", -5));
        Check.rejects(ErrorClass.ERR_RANK, "ssendObject: dest=" + n + ranks, () -> w.ssendObject("x", n));
        Check.rejects(ErrorClass.ERR_RANK, "issendObject: dest=" + n + ranks, () -> w.issendObject("x", n));
        Check.rejects(ErrorClass.ERR_RANK, "irecvObject: source=" + n + ranks, () -> w.irecvObject(String.class, n));
        Check.rejects(
                ErrorClass.ERR_RANK,
                "sendrecvObject: dest=" + n + ranks,
                () -> w.sendrecvObject("x", n, String.class, 0));
    }

    @Contract
    public static void tagsOutOfRange(Trial t) {
        Comm w = t.world();
        Buf x = buf(new int[1]);
        String bounds = " is not in 0 to " + w.tagUpperBound() + " (" + t.where() + ")";
        Check.rejects(ErrorClass.ERR_TAG, "send: tag=-1" + bounds, () -> w.send(x, 0, Comm.ANY_TAG));
        Check.rejects(ErrorClass.ERR_TAG, "recv: tag=-2" + bounds, () -> w.recv(x, 0, -2));
        Check.rejects(ErrorClass.ERR_TAG, "isend: tag=-9" + bounds, () -> w.isend(x, 0, -9));
        Check.rejects(ErrorClass.ERR_TAG, "send: tag=-9" + bounds, () -> w.send(x, Comm.PROC_NULL, -9));
        for (Sending way : Sending.values()) {
            Check.rejects(ErrorClass.ERR_TAG, way.word() + ": tag=-1" + bounds, () -> way.begin(w, x, 0, Comm.ANY_TAG));
        }
        Check.rejects(ErrorClass.ERR_TAG, "recvInit: tag=-2" + bounds, () -> w.recvInit(x, 0, -2));
        Check.rejects(ErrorClass.ERR_TAG, "probe: tag=-2" + bounds, () -> w.probe(0, -2));
        Check.rejects(ErrorClass.ERR_TAG, "mprobe: tag=-2" + bounds, () -> w.mprobe(0, -2));
        Check.rejects(ErrorClass.ERR_TAG, "improbe: tag=-2" + bounds, () -> w.improbe(0, -2));
        Check.rejects(ErrorClass.ERR_TAG, "sendrecvReplace: tag=-2" + bounds, () -> w.sendrecvReplace(x, 0, 0, 0, -2));
        if (w.tagUpperBound() < Integer.MAX_VALUE) {
            int tag = w.tagUpperBound() + 1;
            Check.rejects(ErrorClass.ERR_TAG, "send: tag=" + tag + bounds, () -> w.send(x, 0, tag));
        }
    }

    @Contract
    public static void rootsThatAreNone(Trial t) {
        Comm w = t.world();
        int n = t.size();
        Buf x = buf(new double[n]);
        String ranks = " is no rank of WORLD, which has ranks 0 to " + (n - 1) + " (" + t.where() + ")";
        Check.rejects(ErrorClass.ERR_ROOT, "bcast: root=" + n + ranks, () -> w.bcast(x, n));
        Check.rejects(ErrorClass.ERR_ROOT, "bcast: root=-1" + ranks, () -> w.bcast(x, -1));
        Check.rejects(ErrorClass.ERR_ROOT, "reduce: root=" + n + ranks, () -> w.reduce(x, Buf.NONE, Op.SUM, n));
        Check.rejects(ErrorClass.ERR_ROOT, "gather: root=-2" + ranks, () -> w.gather(x, x, Comm.PROC_NULL));
    }

    @Contract
    public static void operationsThatTheTypeHasNot(Trial t) {
        Comm w = t.world();
        String end = "; see the table at Op (" + t.where() + ")";
        Check.rejects(
                ErrorClass.ERR_OP,
                "allreduce: BXOR is not defined for DOUBLE" + end,
                () -> w.allreduce(buf(new double[1]), Op.BXOR));
        Check.rejects(
                ErrorClass.ERR_OP,
                "allreduce: LAND is not defined for FLOAT" + end,
                () -> w.allreduce(buf(new float[1]), buf(new float[1]), Op.LAND));
        Check.rejects(
                ErrorClass.ERR_OP,
                "reduce: SUM is not defined for BOOLEAN" + end,
                () -> w.reduce(buf(new boolean[1]), Op.SUM, 0));
        Check.rejects(
                ErrorClass.ERR_OP,
                "allreduce: hypot is not defined for LONG" + end,
                () -> w.allreduce(buf(new long[1]), Op.ofDouble("hypot", Math::hypot)));
        Check.rejects(
                ErrorClass.ERR_OP, "allreduce: BAND is not defined for DOUBLE" + end, () -> w.allreduce(1.0, Op.BAND));
    }

    @Contract
    public static void buffersThatDoNotFitTogether(Trial t) {
        Comm w = t.world();
        String end = " (" + t.where() + ")";
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "allreduce: recv holds 96 bytes but count=32 of FLOAT needs 128" + end,
                () -> w.allreduce(buf(new float[32]), buf(new float[24]), Op.SUM));
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "allreduce: send is 3 INT but recv is 3 FLOAT" + end,
                () -> w.allreduce(buf(new int[3]), buf(new float[3]), Op.SUM));
        int n = t.size();
        if (n > 1) {
            Check.rejects(
                    ErrorClass.ERR_COUNT,
                    "gather: recv holds " + (n + 1) + " elements, which is no multiple of the " + n
                            + " ranks; use blocks(…) for blocks of different size" + end,
                    () -> w.gather(buf(new int[1]), buf(new int[n + 1]), t.rank()));
            Check.rejects(
                    ErrorClass.ERR_COUNT,
                    "allgather: recv holds " + (2 * n - 1) + " elements, which is no multiple of the " + n
                            + " ranks; use blocks(…) for blocks of different size" + end,
                    () -> w.allgather(buf(new int[2]), buf(new int[2 * n - 1])));
        }
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "allgather: recv has " + (n + 1) + " blocks for " + n + " ranks" + end,
                () -> w.allgather(buf(new int[1]), buf(new int[n + 1]).blocks(new int[n + 1])));
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "allgather: send holds 3 INT but this rank's block in recv is 2 INT" + end,
                () -> w.allgather(buf(new int[3]), buf(new int[2 * n])));
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "gather: send holds 2 LONG but this rank's block in recv is 2 INT" + end,
                () -> w.gather(buf(new long[2]), buf(new int[2 * n]), t.rank()));
    }

    @Contract
    public static void placeholdersWhereDataMustBe(Trial t) {
        Comm w = t.world();
        String end = " (" + t.where() + ")";
        String place = "IN_PLACE is for collective operations; pass a buffer" + end;
        Check.rejects(ErrorClass.ERR_BUFFER, "send: " + place, () -> w.send(Buf.IN_PLACE, 0));
        Check.rejects(ErrorClass.ERR_BUFFER, "recv: " + place, () -> w.recv(Buf.IN_PLACE, 0));
        for (Sending way : Sending.values()) {
            Check.rejects(ErrorClass.ERR_BUFFER, way.word() + ": " + place, () -> way.begin(w, Buf.IN_PLACE, 0, 0));
        }
        Check.rejects(ErrorClass.ERR_BUFFER, "recvInit: " + place, () -> w.recvInit(Buf.IN_PLACE, 0, 0));
        Check.rejects(ErrorClass.ERR_BUFFER, "sendrecvReplace: " + place, () -> w.sendrecvReplace(Buf.IN_PLACE, 0, 0));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "bcast: buf is NONE on a rank that must have a buffer there" + end,
                () -> w.bcast(Buf.NONE, 0));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "allreduce: recv is NONE on a rank that must have a buffer there" + end,
                () -> w.allreduce(buf(new int[1]), Buf.NONE, Op.SUM));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "gather: recv is NONE on a rank that must have a buffer there" + end,
                () -> w.gather(buf(new int[1]), Buf.NONE, t.rank()));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "allgather: send is NONE on a rank that must have a buffer there" + end,
                () -> w.allgather(Buf.NONE, buf(new int[t.size()])));
        if (t.size() > 1) {
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "reduce: IN_PLACE is for the root, which is rank " + t.right() + end,
                    () -> w.reduce(Buf.IN_PLACE, buf(new int[1]), Op.SUM, t.right()));
        }
    }

    @Contract
    public static void memoryThatMayNotBeWritten(Trial t) {
        Comm w = t.world();
        String text = ": the receive buffer is read-only (" + t.where() + ")";
        Buf x = buf(new byte[8]);
        Buf segment = buf(MemorySegment.ofArray(new byte[8]).asReadOnly());
        Buf nio = buf(ByteBuffer.allocate(8).asReadOnlyBuffer());
        Check.rejects(ErrorClass.ERR_BUFFER, "recv" + text, () -> w.recv(segment, 0));
        Check.rejects(ErrorClass.ERR_BUFFER, "irecv" + text, () -> w.irecv(nio, 0));
        Check.rejects(ErrorClass.ERR_BUFFER, "sendrecv" + text, () -> w.sendrecv(x, 0, nio, 0));
        Check.rejects(ErrorClass.ERR_BUFFER, "recvInit" + text, () -> w.recvInit(segment, 0, 0));
        Check.rejects(ErrorClass.ERR_BUFFER, "sendrecvReplace" + text, () -> w.sendrecvReplace(nio, 0, 0));
        Check.rejects(ErrorClass.ERR_BUFFER, "allreduce" + text, () -> w.allreduce(x, segment, Op.MAX));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "allgather" + text,
                () -> w.allgather(buf(new byte[0]), buf(ByteBuffer.allocate(0).asReadOnlyBuffer())));
        if (t.size() > 1) Check.rejects(ErrorClass.ERR_BUFFER, "bcast" + text, () -> w.bcast(nio, t.right()));
        // to send from it is allowed
        byte[] in = new byte[8];
        w.sendrecv(segment, t.right(), buf(in), t.left());
        w.sendrecv(nio, t.right(), buf(in), t.left());
    }

    @Contract
    public static void descriptionsThatDescribeNothing(Trial t) {
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: offset=3, count=8 do not lie in an array of 10",
                () -> buf(new double[10], 3, 8));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: offset=-1, count=1 do not lie in an array of 10",
                () -> buf(new boolean[10], -1, 1));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: offset=0, count=-1 do not lie in an array of 10",
                () -> buf(new byte[10], 0, -1));
        ByteOrder wrong =
                ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: a buffer of DOUBLE in " + wrong + " order; this machine's is " + ByteOrder.nativeOrder()
                        + ": set order(ByteOrder.nativeOrder()) on the ByteBuffer before viewing it",
                () -> buf(ByteBuffer.allocateDirect(80).order(wrong).asDoubleBuffer()));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: a segment of 10 bytes is no whole number of INT elements of 4 bytes",
                () -> buf(MemorySegment.ofArray(new byte[10]), Datatype.INT));
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "blocks: block 1 with count=3 at displacement=2 does not lie in the buffer's 4 elements",
                () -> buf(new int[4]).blocks(2, 3));
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "blocks: 2 counts but 1 displacements",
                () -> buf(new int[4]).blocks(new long[] {1, 1}, new long[] {0}));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "alloc: bytes=-1 is negative (" + t.where() + ")",
                () -> t.mpi().alloc(-1));
    }

    @Contract
    public static void communicatorsThatWereClosed(Trial t) {
        OwnedComm dup = t.world().dup();
        dup.barrier();
        String next = Check.nextLine();
        dup.close();
        dup.close(); // twice is once
        String name = dup.name();
        String end = ": the communicator " + name + " was closed at " + next + " (rank " + t.rank() + " of " + t.size()
                + ", " + name + ")";
        Check.rejects(ErrorClass.ERR_COMM, "barrier" + end, dup::barrier);
        Check.rejects(ErrorClass.ERR_COMM, "send" + end, () -> dup.send(buf(new int[1]), 0));
        Check.rejects(ErrorClass.ERR_COMM, "irecv" + end, () -> dup.irecv(buf(new int[1]), 0));
        for (Sending way : Sending.values()) {
            Check.rejects(ErrorClass.ERR_COMM, way.word() + end, () -> way.begin(dup, buf(new int[1]), 0, 0));
        }
        Check.rejects(ErrorClass.ERR_COMM, "recvInit" + end, () -> dup.recvInit(buf(new int[1]), 0, 0));
        Check.rejects(ErrorClass.ERR_COMM, "mprobe" + end, () -> dup.mprobe(0, 0));
        Check.rejects(ErrorClass.ERR_COMM, "improbe" + end, () -> dup.improbe(0, 0));
        Check.rejects(ErrorClass.ERR_COMM, "sendrecvReplace" + end, () -> dup.sendrecvReplace(buf(new int[1]), 0, 0));
        Check.rejects(ErrorClass.ERR_COMM, "allreduce" + end, () -> dup.allreduce(1, Op.SUM));
        Check.rejects(ErrorClass.ERR_COMM, "split" + end, () -> dup.split(0, 0));
        Check.rejects(ErrorClass.ERR_COMM, "sendObject" + end, () -> dup.sendObject("x", 0));
        Check.rejects(ErrorClass.ERR_COMM, "group" + end, dup::group);
        Check.rejects(ErrorClass.ERR_COMM, "info" + end, dup::info);
        Check.rejects(ErrorClass.ERR_COMM, "create" + end, () -> dup.create(Group.EMPTY));
        Check.rejects(ErrorClass.ERR_COMM, "name" + end, () -> dup.name("late"));
    }

    @Contract
    public static void colorsThatAreNegative(Trial t) {
        Check.rejects(
                ErrorClass.ERR_ARG,
                "split: color=-5 is negative and not UNDEFINED (" + t.where() + ")",
                () -> t.world().split(-5, 0));
    }
}
