package org.tutti.conformance.contract.window;

import static org.tutti.mpi.Buf.buf;

import java.util.function.IntBinaryOperator;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Group;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Window;
import org.tutti.mpi.Window.Assert;
import org.tutti.mpi.Window.LockType;

/// Wrong arguments of window calls: the calling rank detects the error before any access, with the given text.
public final class WindowArgumentContract {
    private WindowArgumentContract() {}

    private static String at(Trial t) {
        return " (rank " + t.rank() + " of " + t.size() + ", W)";
    }

    private static Window window(Trial t, long bytes, int unit) {
        Window w = Window.allocate(t.world(), bytes, unit);
        w.setName("W");
        return w;
    }

    @Contract
    public static void impossibleWindows(Trial t) {
        Check.rejects(
                ErrorClass.ERR_ARG,
                "allocate: bytes=-1 is negative (" + t.where() + ")",
                () -> Window.allocate(t.world(), -1));
        Check.rejects(
                ErrorClass.ERR_DISP,
                "shared: unitBytes=0 is not positive (" + t.where() + ")",
                () -> Window.shared(t.world(), 8, 0));
    }

    @Contract
    public static void impossibleLayouts(Trial t) {
        try (Window w = window(t, 8, 8)) {
            Check.rejects(ErrorClass.ERR_COUNT, "at: count=-1 is negative" + at(t), () -> w.at(0, 0, -1, Datatype.INT));
            Check.rejects(
                    ErrorClass.ERR_COUNT,
                    "at: " + Long.MAX_VALUE + " INT would exceed 2^63 - 1 bytes" + at(t),
                    () -> w.at(0, 0, Long.MAX_VALUE, Datatype.INT));
            w.lockAll();
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "fetchAndAdd: the value is one LONG but the target is 2 INT; use at(target, displacement)" + at(t),
                    () -> w.at(0, 0, 2, Datatype.INT).fetchAndAdd(1L));
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "compareAndSwap: the value is one INT but the target is 1 LONG; pass a value of that type, such as 1L"
                            + at(t),
                    () -> w.at(0, 0, 1, Datatype.LONG).compareAndSwap(0, 1));
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "fetchAndAdd: the value is one INT but the target is 1 LONG; pass a value of that type, such as 1L"
                            + at(t),
                    () -> w.at(0, 0, 1, Datatype.LONG).fetchAndAdd(1));
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "fetchAndOp: the value is one LONG but the target is 1 INT; pass a value of that type" + at(t),
                    () -> w.at(0, 0, 1, Datatype.INT).fetchAndOp(1L, Op.SUM));
            w.at(t.rank(), 0, 1, Datatype.LONG).fetchAndAdd(1L);
            w.unlockAll();
        }
    }

    @Contract
    public static void nullBuffers(Trial t) {
        Buf data = buf(new long[1]);
        try (Window w = window(t, 8, 8)) {
            w.lockAll();
            Check.rejects(ErrorClass.ERR_BUFFER, "put: the buffer is null" + at(t), () -> w.put(none(), 0));
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "getAccumulate: result is null" + at(t),
                    () -> w.at(0, 0).getAccumulate(data, none(), Op.SUM));
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "compareAndSwap: compare is null" + at(t),
                    () -> w.compareAndSwap(data, none(), data, 0, 0));
            w.unlockAll();
        }
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // a mistake that a program can contain
    private static <T> T none() {
        return null;
    }

    @Contract(minRanks = 2)
    public static void invalidTargets(Trial t) {
        try (Window w = window(t, 8, 8)) {
            String none = "target=" + t.size() + " is not a rank of W, which has ranks 0 to " + (t.size() - 1) + at(t);
            w.lockAll();
            Check.rejects(ErrorClass.ERR_RANK, "put: " + none, () -> w.put(buf(new long[1]), t.size()));
            Check.rejects(ErrorClass.ERR_RANK, "rget: " + none, () -> w.rget(buf(new long[1]), t.size(), 0));
            Check.rejects(ErrorClass.ERR_RANK, "flush: " + none, () -> w.flush(t.size()));
            Check.rejects(
                    ErrorClass.ERR_RANK, "sizeBytes: " + none.replace("target", "rank"), () -> w.sizeBytes(t.size()));
            w.unlockAll();
            Check.rejects(ErrorClass.ERR_RANK, "lock: " + none, () -> w.lock(t.size()));
            try (OwnedComm half = t.world().split(t.rank() % 2, 0);
                    Window ofHalf = Window.allocate(half, 8)) {
                ofHalf.setName("H");
                Group all = t.world().group();
                Check.rejects(
                        ErrorClass.ERR_GROUP,
                        "post: " + all + " has ranks that are not in H: " + all.difference(half.group()) + " (rank "
                                + half.rank() + " of " + half.size() + ", H)",
                        () -> ofHalf.post(all));
            }
        }
    }

    @Contract
    public static void accessesOutsideTheTargetsMemory(Trial t) {
        try (Window w = window(t, 64, 8)) {
            int r = t.right();
            String window = " the window of rank " + r + " (64 bytes)", of = window + at(t);
            String counted = "; displacements at rank " + r + " are in units of 8 bytes" + at(t);
            w.lockAll();
            Check.rejects(
                    ErrorClass.ERR_RMA_RANGE,
                    "put: 72 bytes at disp=0 (unit 8) end 8 bytes past the end of" + of,
                    () -> w.put(buf(new double[9]), r));
            Check.rejects(
                    ErrorClass.ERR_RMA_RANGE,
                    "get: 4 bytes at disp=8 (unit 8) end 4 bytes past the end of" + window + counted,
                    () -> w.get(buf(new int[1]), r, 8));
            Check.rejects(
                    ErrorClass.ERR_RMA_RANGE,
                    "put: 1 byte at disp=8 (unit 8) ends 1 byte past the end of" + window + counted,
                    () -> w.put(buf(new byte[1]), r, 8));
            Check.rejects(
                    ErrorClass.ERR_RMA_RANGE,
                    "accumulate: 8 bytes at disp=" + Long.MAX_VALUE + " (unit 8) end after byte 2^63 - 1 in" + window
                            + counted,
                    () -> w.accumulate(buf(new long[1]), r, Long.MAX_VALUE, Op.SUM));
            Check.rejects(
                    ErrorClass.ERR_RMA_RANGE,
                    "put: 12 bytes at disp=0 (unit 8) begin 8 bytes before" + of,
                    () -> w.at(r, 0, 1, Datatype.INT.vector(2, 1, -2)).put(buf(new int[2])));
            Check.rejects(
                    ErrorClass.ERR_DISP, "put: disp=-1 is negative" + at(t), () -> w.put(buf(new long[1]), r, -1));
            // the last byte of the window
            w.put(buf(new byte[1]), r, 7);
            w.put(buf(new byte[0]), r, 8);
            w.unlockAll();
            w.fence();
            // a refused access does not count: the window can be closed afterwards
            Check.fails(ErrorClass.ERR_RMA_RANGE, () -> w.put(buf(new double[9]), r));
        }
    }

    @Contract
    public static void contradictoryData(Trial t) {
        try (Window w = window(t, 64, 1)) {
            int r = t.right();
            w.lockAll();
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "put: the buffer is NONE; pass a buffer without blocks" + at(t),
                    () -> w.put(Buf.NONE, r));
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "get: the buffer is IN_PLACE; pass a buffer without blocks" + at(t),
                    () -> w.get(Buf.IN_PLACE, r));
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "put: the buffer is of LONG but the target is of DOUBLE" + at(t),
                    () -> w.at(r, 0, 1, Datatype.DOUBLE).put(buf(new long[1])));
            Datatype twice = Datatype.INT.vector(2, 1, 0);
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "accumulate: the target's type contains bytes twice, so the result would depend on the order; avoid the overlap"
                            + at(t),
                    () -> w.at(r, 0, 1, twice).accumulate(buf(new int[2]), Op.SUM));
            Check.rejects(
                    ErrorClass.ERR_TRUNCATE,
                    "put: the buffer has 16 bytes and does not fit into the target of 8" + at(t),
                    () -> w.at(r, 0, 1, Datatype.LONG).put(buf(new long[2])));
            Check.rejects(
                    ErrorClass.ERR_TRUNCATE,
                    "get: the target has 16 bytes and does not fit into the buffer of 8" + at(t),
                    () -> w.at(r, 0, 2, Datatype.LONG).get(buf(new long[1])));
            Check.rejects(
                    ErrorClass.ERR_TRUNCATE,
                    "getAccumulate: the buffer has 16 bytes and does not fit into result of 8" + at(t),
                    () -> w.getAccumulate(buf(new long[2]), buf(new long[1]), r, 0, Op.SUM));
            w.unlockAll();
        }
    }

    @Contract
    public static void unsupportedAtomicAccesses(Trial t) {
        IntBinaryOperator f = Math::max;
        try (Window w = window(t, 64, 1)) {
            int r = t.right();
            w.lockAll();
            Check.rejects(
                    ErrorClass.ERR_OP,
                    "accumulate: BAND is not defined for DOUBLE; see the table at Op" + at(t),
                    () -> w.accumulate(buf(new double[1]), r, Op.BAND));
            Check.rejects(
                    ErrorClass.ERR_OP,
                    "accumulate: most is user-defined or in rank order; pass a predefined operation" + at(t),
                    () -> w.accumulate(buf(new int[1]), r, Op.ofInt("most", f)));
            Check.rejects(
                    ErrorClass.ERR_OP,
                    "accumulate: NO_OP has no effect; use it with getAccumulate or fetchAndOp" + at(t),
                    () -> w.accumulate(buf(new int[1]), r, Op.NO_OP));
            Datatype mixed = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, Datatype.INT, Datatype.DOUBLE);
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "accumulate: " + mixed
                            + " consists of several types; atomic accesses need elements of one predefined type"
                            + at(t),
                    () -> w.accumulate(buf(new byte[16], 0, 1, mixed), r, Op.REPLACE));
            Check.rejects(
                    ErrorClass.ERR_COUNT,
                    "fetchAndOp: 2 INT is not one element of a predefined type; use getAccumulate for more" + at(t),
                    () -> w.fetchAndOp(buf(new int[2]), buf(new int[2]), r, 0, Op.SUM));
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "compareAndSwap: DOUBLE is neither an integer nor BOOLEAN" + at(t),
                    () -> w.compareAndSwap(buf(new double[1]), buf(new double[1]), buf(new double[1]), r, 0));
            w.unlockAll();
            Check.rejects(
                    ErrorClass.ERR_OP,
                    "allreduce: REPLACE is not defined for INT; see the table at Op (" + t.where() + ")",
                    () -> t.world().allreduce(buf(new int[1]), Op.REPLACE));
        }
    }

    /// MPI 4.1, section 12.3.4. Adjacent memory is allowed, and so is an overlap with memory that the operation
    /// does not read.
    @Contract
    public static void overlappingOriginAndResult(Trial t) {
        try (Window w = window(t, 64, 8)) {
            int r = t.right();
            String both = ": the buffer and result overlap in memory; pass two buffers" + at(t);
            long[] x = {1, 2, 3, 4};
            w.lockAll();
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "getAccumulate" + both,
                    () -> w.getAccumulate(buf(x, 0, 2), buf(x, 1, 2), r, 0, Op.SUM));
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "rgetAccumulate" + both,
                    () -> w.at(r, 0, 4, Datatype.LONG).rgetAccumulate(buf(x), buf(x), Op.SUM));
            Buf one = buf(x, 3, 1);
            Check.rejects(ErrorClass.ERR_BUFFER, "fetchAndOp" + both, () -> w.fetchAndOp(one, one, r, 0, Op.SUM));
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "compareAndSwap" + both,
                    () -> w.compareAndSwap(one, buf(x, 0, 1), one, r, 0));
            w.compareAndSwap(buf(new long[] {7}), one, one, r, 0); // compared value and result may be equal
            w.getAccumulate(buf(x, 0, 2), buf(x, 2, 2), r, 4, Op.SUM);
            w.getAccumulate(one, one, r, 6, Op.NO_OP);
            w.unlockAll();
        }
    }

    @Contract
    public static void accessesOutsideEpochs(Trial t) {
        Window w = window(t, 64, 1);
        int me = t.rank();
        String call = "; call fence(), lock(" + me + "), lockAll() or start(group) first" + at(t);
        Buf one = buf(new byte[1]);
        Check.rejects(ErrorClass.ERR_RMA_SYNC, "put: no epoch is open at rank " + me + call, () -> w.put(one, me));
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "flush: no passive epoch is open at rank " + me + "; call lock(" + me + ") or lockAll() first" + at(t),
                () -> w.flush(me));
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "flushAll: no passive epoch is open; call lock(target) or lockAll() first" + at(t),
                w::flushAll);
        w.fence();
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "rput: no passive epoch is open at rank " + me + "; call lock(" + me + ") or lockAll() first" + at(t),
                () -> w.rput(one, me, 0));
        w.put(one, me);
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "lock: the epoch of a fence is open, because accesses followed it; call fence() first" + at(t),
                () -> w.lock(me));
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "fence: NOPRECEDE was passed, but there were accesses since the last fence" + at(t),
                () -> w.fence(Assert.NOPRECEDE));
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "close: there were accesses since the last fence; call fence() first" + at(t),
                w::close);
        w.fence(Assert.NOSUCCEED);
        Check.rejects(ErrorClass.ERR_RMA_SYNC, "put: no epoch is open at rank " + me + call, () -> w.put(one, me));
        w.close();
    }

    @Contract
    public static void nestedEpochs(Trial t) {
        Window w = window(t, 64, 1);
        int me = t.rank();
        String locked = "; open: lock at " + me, open = locked + "; call unlock(" + me + ") first" + at(t);
        w.lock(me, LockType.SHARED);
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC, "lock: an epoch at rank " + me + " is open already" + open, () -> w.lock(me));
        Check.rejects(ErrorClass.ERR_RMA_SYNC, "lockAll: an epoch is open" + open, w::lockAll);
        Check.rejects(ErrorClass.ERR_RMA_SYNC, "fence: an epoch is open" + open, w::fence);
        Check.rejects(ErrorClass.ERR_RMA_SYNC, "free: an epoch is open" + open, w::free);
        Check.rejects(ErrorClass.ERR_RMA_SYNC, "unlockAll: lockAll() was not called" + locked + at(t), w::unlockAll);
        w.unlock(me);
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "unlock: rank " + me + " is not locked by lock(" + me + ")" + at(t),
                () -> w.unlock(me));
        Check.rejects(ErrorClass.ERR_RMA_SYNC, "complete: start(group) was not called" + at(t), w::complete);
        Check.rejects(ErrorClass.ERR_RMA_SYNC, "await: post(group) was not called" + at(t), w::await);
        Group own = w.group().incl(me);
        w.post(own);
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "post: an exposure is open already; open: post to " + me + "; call await() first" + at(t),
                () -> w.post(own));
        w.start(own);
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "lockAll: an epoch is open; open: start at " + me + " and post to " + me + "; call complete() first"
                        + at(t),
                w::lockAll);
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "lock: an epoch at rank " + me + " is open already; open: start at " + me + " and post to " + me
                        + "; call complete() first" + at(t),
                () -> w.lock(me));
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "close: an epoch is open; open: start at " + me + " and post to " + me
                        + "; call complete() and await() first" + at(t),
                w::close);
        w.complete();
        w.await();
        w.lockAll();
        Check.rejects(
                ErrorClass.ERR_RMA_SYNC,
                "lock: an epoch at rank " + me + " is open already; open: lockAll; call unlockAll() first" + at(t),
                () -> w.lock(me));
        w.unlockAll();
        if (t.size() > 1) {
            for (int r = 0; r < 2; r++) w.lock(r, LockType.SHARED);
            Check.rejects(
                    ErrorClass.ERR_RMA_SYNC,
                    "fence: an epoch is open; open: lock at 0, 1; call unlock(target) for each first" + at(t),
                    w::fence);
            for (int r = 0; r < 2; r++) w.unlock(r);
        }
        w.close();
    }
}
