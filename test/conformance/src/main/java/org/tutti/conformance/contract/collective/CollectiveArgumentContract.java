package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.ClosedComm;
import org.tutti.conformance.trial.CollectiveCall;
import org.tutti.conformance.trial.CollectiveCall.Shape;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;

/// Wrong arguments of collective operations: the rank that passed the argument reports it before data is sent.
/// The blocking, the nonblocking and the persistent form have the same error text. This rank is the root unless
/// stated otherwise.
public final class CollectiveArgumentContract {
    private CollectiveArgumentContract() {}

    private static final List<CollectiveCall> CALLS = CollectiveCall.all();

    @Contract
    public static void invalidRoots(Trial t) {
        int n = t.size();
        Buf x = buf(new double[n]);
        for (CollectiveCall c : CALLS) {
            if (!c.shape().hasRoot()) continue;
            for (int root : new int[] {n, -1, Comm.PROC_NULL, Integer.MIN_VALUE}) {
                String text = ": root=" + root + " is not a rank of WORLD, which has ranks 0 to " + (n - 1) + " ("
                        + t.where() + ")";
                Check.rejects(
                        ErrorClass.ERR_ROOT,
                        c.operation() + text,
                        () -> c.call(t.world(), x, buf(new double[n]), Op.SUM, root));
            }
        }
    }

    @Contract
    public static void operationsUndefinedForTheType(Trial t) {
        int n = t.size();
        String end = "; see the table at Op (" + t.where() + ")";
        for (CollectiveCall c : CALLS) {
            if (!c.shape().hasOp()) continue;
            Check.rejects(
                    ErrorClass.ERR_OP,
                    c.operation() + ": BXOR is not defined for DOUBLE" + end,
                    () -> call(t, c, operand(c, new double[n]), buf(new double[n]), Op.BXOR));
            Check.rejects(
                    ErrorClass.ERR_OP,
                    c.operation() + ": hypot is not defined for INT" + end,
                    () -> call(t, c, operand(c, new int[n]), buf(new int[n]), Op.ofDouble("hypot", Math::hypot)));
            Check.rejects(
                    ErrorClass.ERR_OP,
                    c.operation() + ": MINLOC is not defined for INT; pass pairs: buf(values, places) (" + t.where()
                            + ")",
                    () -> call(t, c, operand(c, new int[n]), buf(new int[n]), Op.MINLOC));
        }
        Check.rejects(
                ErrorClass.ERR_OP,
                "allreduce: BAND is not defined for DOUBLE" + end,
                () -> t.world().allreduce(1.0, Op.BAND));
        Check.rejects(
                ErrorClass.ERR_OP,
                "reduce: SUM is not defined for BOOLEAN" + end,
                () -> t.world().reduce(buf(new boolean[1]), Op.SUM, t.rank()));
    }

    @Contract
    public static void missingBuffers(Trial t) {
        int n = t.size();
        String end = " on a rank that must pass a buffer (" + t.where() + ")";
        for (CollectiveCall c : CALLS) {
            if (c.shape() == Shape.BARRIER || c.shape() == Shape.ALLTOALLW) continue;
            Buf data = operand(c, new int[n]);
            String to = c.shape() == Shape.BCAST ? "buf" : "recv";
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    c.operation() + ": " + to + " is NONE" + end,
                    () -> call(t, c, data, Buf.NONE));
            if (c.shape() != Shape.SCATTER) {
                Check.rejects(
                        ErrorClass.ERR_BUFFER,
                        c.operation() + ": " + to + " is IN_PLACE" + end,
                        () -> call(t, c, data, Buf.IN_PLACE));
            }
            if (c.shape() == Shape.BCAST) continue;
            Buf recv = buf(new int[c.shape() == Shape.SCATTER ? 1 : n]);
            Check.rejects(
                    ErrorClass.ERR_BUFFER, c.operation() + ": send is NONE" + end, () -> call(t, c, Buf.NONE, recv));
        }
    }

    @Contract
    public static void readOnlyReceiveBuffers(Trial t) {
        int n = t.size();
        String text = ": the receive buffer is read-only (" + t.where() + ")";
        Buf readOnly = buf(MemorySegment.ofArray(new int[n]).asReadOnly(), Datatype.INT);
        for (CollectiveCall c : CALLS) {
            if (c.shape() == Shape.BARRIER || c.shape() == Shape.ALLTOALLW) continue;
            if (c.shape() == Shape.BCAST) {
                if (n == 1) continue; // the root only reads it
                Check.rejects(
                        ErrorClass.ERR_BUFFER,
                        c.operation() + text,
                        () -> c.call(t.world(), readOnly, readOnly, Op.SUM, t.right()));
                continue;
            }
            Check.rejects(
                    ErrorClass.ERR_BUFFER, c.operation() + text, () -> call(t, c, operand(c, new int[n]), readOnly));
        }
    }

    @Contract
    public static void differentTypes(Trial t) {
        int n = t.size();
        String where = " (" + t.where() + ")";
        for (CollectiveCall c : CALLS) {
            Buf send = operand(c, new int[n]);
            String text = switch (c.shape()) {
                case BARRIER, BCAST, ALLTOALLW -> "";
                case GATHER, ALLGATHER -> "send holds 1 INT but this rank's block in recv is 1 FLOAT";
                case SCATTER -> "recv holds " + n + " FLOAT but this rank's block in send is 1 INT";
                case ALLTOALL, REDUCE, REDUCE_ON_ALL, REDUCE_SCATTER_BLOCK, REDUCE_SCATTER ->
                    "send is " + send + " but recv is " + n + " FLOAT";
            };
            if (text.isEmpty()) continue;
            boolean gathers = c.shape() == Shape.GATHER || c.shape() == Shape.ALLGATHER;
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    c.operation() + ": " + text + where,
                    () -> call(t, c, gathers ? buf(new int[1]) : send, buf(new float[n])));
        }
    }

    @Contract
    public static void contradictoryCounts(Trial t) {
        int n = t.size();
        String where = " (" + t.where() + ")";
        for (CollectiveCall c : CALLS) {
            switch (c.shape()) {
                case BARRIER, BCAST, ALLTOALLW -> {}
                case GATHER, ALLGATHER ->
                    Check.rejects(
                            ErrorClass.ERR_COUNT,
                            c.operation()
                                    + ": send holds 3 INT but this rank's block in recv is 2 INT; use recv.blocks(…) for"
                                    + " blocks of different size" + where,
                            () -> call(t, c, buf(new int[3]), buf(new int[2 * n])));
                case SCATTER ->
                    Check.rejects(
                            ErrorClass.ERR_COUNT,
                            c.operation()
                                    + ": recv holds 3 INT but this rank's block in send is 2 INT; use send.blocks(…) for"
                                    + " blocks of different size" + where,
                            () -> call(t, c, buf(new int[2 * n]), buf(new int[3])));
                case ALLTOALL -> {
                    Check.rejects(
                            ErrorClass.ERR_COUNT,
                            c.operation() + ": this rank's block for itself is 2 INT in send but 1 in recv" + where,
                            () -> call(t, c, buf(new int[2 * n]), buf(new int[n])));
                    Buf blocks = buf(new int[n]).blocks(ones(n));
                    String cure = "; pass blocks(…) for send and recv, or for neither" + where;
                    Check.rejects(
                            ErrorClass.ERR_ARG,
                            c.operation() + ": send has blocks and recv has none" + cure,
                            () -> call(t, c, blocks, buf(new int[n])));
                    Check.rejects(
                            ErrorClass.ERR_ARG,
                            c.operation() + ": recv has blocks and send has none" + cure,
                            () -> call(t, c, buf(new int[n]), blocks));
                }
                case REDUCE, REDUCE_ON_ALL ->
                    Check.rejects(
                            ErrorClass.ERR_BUFFER,
                            c.operation() + ": recv holds 24 FLOAT but send holds 32 FLOAT" + where,
                            () -> call(t, c, buf(new float[32]), buf(new float[24])));
                case REDUCE_SCATTER_BLOCK -> {
                    Check.rejects(
                            ErrorClass.ERR_BUFFER,
                            c.operation() + ": recv holds 1 INT but this rank's block of the result is 2 INT" + where,
                            () -> call(t, c, buf(new int[2 * n]), buf(new int[1])));
                    Check.rejects(
                            ErrorClass.ERR_COUNT,
                            c.operation() + ": send has blocks; use reduceScatter for blocks of different size" + where,
                            () -> call(t, c, buf(new int[n]).blocks(ones(n)), buf(new int[1])));
                }
                case REDUCE_SCATTER -> {
                    Check.rejects(
                            ErrorClass.ERR_BUFFER,
                            c.operation() + ": recv holds 0 INT but this rank's block of the result is 1 INT" + where,
                            () -> call(t, c, operand(c, new int[n]), buf(new int[0])));
                    Check.rejects(
                            ErrorClass.ERR_COUNT,
                            c.operation()
                                    + ": send has no blocks; pass blocks(…), or use reduceScatterBlock for equal blocks"
                                    + where,
                            () -> call(t, c, buf(new int[n]), buf(new int[1])));
                    long[] later = new long[n];
                    Arrays.setAll(later, r -> r + 1);
                    Check.rejects(
                            ErrorClass.ERR_COUNT,
                            c.operation()
                                    + ": block 0 of send is at displacement=1 but must be at 0, because the blocks of"
                                    + " a reduce-scatter are contiguous" + where,
                            () -> call(
                                    t,
                                    c,
                                    buf(new int[n + 1])
                                            .blocks(
                                                    Arrays.stream(ones(n))
                                                            .asLongStream()
                                                            .toArray(),
                                                    later),
                                    buf(new int[1])));
                }
            }
        }
    }

    /// Tests the buffer that has one block for each rank.
    @Contract
    public static void wrongNumberOfBlocks(Trial t) {
        int n = t.size();
        String where = " (" + t.where() + ")";
        for (CollectiveCall c : CALLS) {
            boolean sends = c.shape() == Shape.SCATTER || c.shape().hasOp();
            boolean takesBlocks = c.shape() != Shape.REDUCE_SCATTER_BLOCK;
            switch (c.shape()) {
                case BARRIER, BCAST, ALLTOALLW, REDUCE, REDUCE_ON_ALL -> {}
                case SCATTER, GATHER, ALLGATHER, ALLTOALL, REDUCE_SCATTER_BLOCK, REDUCE_SCATTER -> {
                    String name = c.operation() + (sends ? ": send" : ": recv");
                    Buf blocks = buf(new int[n + 1]).blocks(ones(n + 1));
                    if (takesBlocks) {
                        Check.rejects(
                                ErrorClass.ERR_COUNT,
                                name + " has " + (n + 1) + " blocks for " + n + " ranks" + where,
                                () -> call(t, c, sends ? blocks : buf(new int[1]), sends ? buf(new int[1]) : blocks));
                    }
                    if (n == 1 || c.shape() == Shape.REDUCE_SCATTER) continue;
                    Buf uneven = buf(new int[2 * n - 1]);
                    Check.rejects(
                            ErrorClass.ERR_COUNT,
                            name + " holds " + (2 * n - 1) + " elements, not a multiple of the " + n
                                    + " ranks; use blocks(…) for blocks of different size" + where,
                            () -> call(t, c, sends ? uneven : buf(new int[1]), sends ? buf(new int[1]) : uneven));
                }
            }
        }
    }

    @Contract(minRanks = 2)
    public static void inPlaceOffTheRoot(Trial t) {
        String text = ": IN_PLACE is allowed only on the root, rank " + t.right() + " (" + t.where() + ")";
        for (CollectiveCall c : CALLS) {
            if (!c.shape().hasRoot() || c.shape() == Shape.BCAST) continue;
            boolean scatters = c.shape() == Shape.SCATTER;
            Buf x = buf(new int[1]);
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    c.operation() + text,
                    () -> c.call(
                            t.world(), scatters ? x : Buf.IN_PLACE, scatters ? Buf.IN_PLACE : x, Op.SUM, t.right()));
        }
    }

    @Contract
    public static void closedCommunicators(Trial t) {
        ClosedComm closed = ClosedComm.of(t);
        for (CollectiveCall c : CALLS) {
            Check.rejects(
                    ErrorClass.ERR_COMM,
                    c.operation() + closed.rejection(),
                    () -> c.call(closed.comm(), buf(new int[1]), buf(new int[1]), Op.SUM, 0));
        }
    }

    @Contract
    public static void communicatorsWithoutRanks(Trial t) {
        String text = ": this rank passed UNDEFINED to split and is not in any part (" + t.where() + ")";
        try (OwnedComm none = t.world().split(Comm.UNDEFINED)) {
            for (CollectiveCall c : CALLS) {
                Check.rejects(
                        ErrorClass.ERR_COMM,
                        c.operation() + text,
                        () -> c.call(none, buf(new int[1]), buf(new int[1]), Op.SUM, 0));
            }
        }
    }

    private static void call(Trial t, CollectiveCall c, Buf send, Buf recv) {
        call(t, c, send, recv, Op.SUM);
    }

    private static void call(Trial t, CollectiveCall c, Buf send, Buf recv, Op op) {
        c.call(t.world(), send, recv, op, t.rank());
    }

    private static Buf operand(CollectiveCall c, int[] data) {
        return c.shape() == Shape.REDUCE_SCATTER ? buf(data).blocks(ones(data.length)) : buf(data);
    }

    private static Buf operand(CollectiveCall c, double[] data) {
        return c.shape() == Shape.REDUCE_SCATTER ? buf(data).blocks(ones(data.length)) : buf(data);
    }

    private static int[] ones(int n) {
        int[] ones = new int[n];
        Arrays.fill(ones, 1);
        return ones;
    }
}
