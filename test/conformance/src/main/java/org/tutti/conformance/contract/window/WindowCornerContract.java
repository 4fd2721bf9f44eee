package org.tutti.conformance.contract.window;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.Window;

/// Corner cases of windows that test suites of MPI check. MPI 4.1, chapter 12.
public final class WindowCornerContract {
    private WindowCornerContract() {}

    /// After a local flush, the program may reuse the origin buffer. After a flush, the data is at the target.
    @Contract
    public static void flushesInOneEpoch(Trial t) {
        try (Window w = Window.allocate(t.world(), 32, 4)) {
            w.lockAll();
            int[] out = {t.rank()};
            w.put(buf(out), t.right(), 0);
            w.flushLocal(t.right());
            out[0] = 100 + t.rank();
            w.put(buf(out), t.right(), 1);
            w.flushLocalAll();
            out[0] = 200 + t.rank();
            w.accumulate(buf(out), t.right(), 2L, Op.SUM);
            w.flush(t.right());
            int[] back = new int[3];
            w.get(buf(back), t.right(), 0);
            w.flushAll();
            Check.same(
                    Arrays.toString(new int[] {t.rank(), 100 + t.rank(), 200 + t.rank()}),
                    Arrays.toString(back),
                    "memory of the target");
            w.unlockAll();
            t.world().barrier();
        }
    }

    /// Epochs without an access, and accesses without an element, have no effect.
    @Contract
    public static void emptyEpochsAndEmptyAccesses(Trial t) {
        try (Window w = Window.allocate(t.world(), t.rank() == 0 ? 0 : 8, 8)) {
            for (int i = 0; i < 3; i++) w.fence();
            for (int rank = 0; rank < t.size(); rank++) {
                w.lock(rank, Window.LockType.SHARED);
                w.put(buf(new long[0]), rank, 0);
                w.get(buf(new long[0]), rank, 0);
                w.accumulate(buf(new long[0]), rank, 0L, Op.SUM);
                w.getAccumulate(buf(new long[0]), buf(new long[0]), rank, 0L, Op.NO_OP);
                w.flush(rank);
                w.unlock(rank);
            }
            w.lockAll();
            w.flushAll();
            w.sync();
            w.unlockAll();
            t.world().barrier();
            Check.same(t.rank() == 0 ? 0 : 8, w.memory().byteSize(), "memory");
            if (t.rank() > 0) Check.same(0, w.memory().get(ValueLayout.JAVA_LONG, 0), "content");
            w.fence();
        }
    }

    /// Accesses to `PROC_NULL` are complete immediately and change no buffer.
    @Contract
    public static void requestsWithProcNull(Trial t) {
        try (Window w = Window.allocate(t.world(), 8, 8)) {
            long[] x = {5}, result = {6};
            w.lockAll();
            Check.that(w.rput(buf(x), Comm.PROC_NULL, 0).test(), "rput to PROC_NULL");
            Check.that(w.rget(buf(x), Comm.PROC_NULL, 0).test(), "rget from PROC_NULL");
            Check.that(w.raccumulate(buf(x), Comm.PROC_NULL, 0L, Op.SUM).test(), "raccumulate to PROC_NULL");
            Check.that(
                    w.rgetAccumulate(buf(x), buf(result), Comm.PROC_NULL, 0L, Op.SUM)
                            .test(),
                    "rgetAccumulate with PROC_NULL");
            w.unlockAll();
            Check.same(5, x[0], "origin");
            Check.same(6, result[0], "result");
            t.world().barrier();
        }
    }

    /// Origin, result and target have different layouts.
    @Contract
    public static void fetchThroughThreeLayouts(Trial t) {
        try (Window w = Window.allocate(t.world(), 48, 8)) {
            for (int i = 0; i < 6; i++) w.memory().setAtIndex(ValueLayout.JAVA_LONG, i, 10 * t.rank() + i);
            w.fence();
            long[] add = {100, -1, 200, -1, 300}, before = new long[9];
            w.at(t.right(), 1, 1, Datatype.LONG.vector(3, 1, 2))
                    .getAccumulate(
                            buf(add, 0, 1, Datatype.LONG.vector(3, 1, 2)),
                            buf(before, 0, 1, Datatype.LONG.vector(3, 1, 4)),
                            Op.SUM);
            w.fence();
            for (int i = 0; i < 3; i++) Check.same(10 * t.right() + 1 + 2 * i, before[4 * i], "fetched element " + i);
            for (int i = 0; i < 6; i++) {
                long expected = 10L * t.rank() + i + (i % 2 == 1 ? 100 * (i / 2 + 1) : 0);
                Check.same(expected, w.memory().getAtIndex(ValueLayout.JAVA_LONG, i), "element " + i);
            }
            w.fence();
        }
    }

    /// A window returns all hints passed at creation, including unknown hints.
    @Contract
    public static void hintsOfAWindow(Trial t) {
        Map<String, String> hints = Map.of("no_locks", "false", "an_unknown_hint", "1");
        try (Window w = Window.allocate(t.world(), 8, 8, hints);
                Window plain = Window.allocate(t.world(), 8);
                Window own = Window.of(t.world(), buf(new int[2]))) {
            Check.same(hints, w.info(), "hints");
            Check.same(Map.of(), plain.info(), "hints of a window without any");
            Check.same(Map.of(), own.info(), "hints of a window on program memory");
            w.fence();
        }
    }

    /// With `NO_OP` a fetch reads atomically, and with `REPLACE` it writes, for each type of element.
    @Contract
    public static void readsAndWritesByFetches(Trial t) {
        try (Window w = Window.allocate(t.world(), 32, 8)) {
            w.lockAll();
            Check.same(0L, w.at(t.right(), 0).fetchAndOp(7L, Op.REPLACE), "previous value");
            Check.same(7L, w.at(t.right(), 0).fetchAndOp(1L, Op.NO_OP), "long");
            Check.same(0, w.at(t.right(), 1).fetchAndOp(8, Op.REPLACE), "previous value");
            Check.same(8, w.at(t.right(), 1).fetchAndOp(1, Op.NO_OP), "int");
            Check.same(0.0, w.at(t.right(), 2).fetchAndOp(1.5, Op.REPLACE), "previous value");
            Check.same(1.5, w.at(t.right(), 2).fetchAndOp(9.0, Op.NO_OP), "double");
            Check.same(0f, w.at(t.right(), 3).fetchAndOp(2.5f, Op.REPLACE), "previous value");
            Check.same(2.5f, w.at(t.right(), 3).fetchAndOp(9f, Op.NO_OP), "float");
            long[] there = {0};
            w.getAccumulate(Buf.NONE, buf(there), t.right(), 0, Op.NO_OP);
            w.flush(t.right());
            Check.same(7L, there[0], "long, without an operand");
            there[0] = 0;
            w.fetchAndOp(Buf.NONE, buf(there), t.right(), 0, Op.NO_OP);
            w.flush(t.right());
            Check.same(7L, there[0], "long, without an operand");
            w.unlockAll();
            t.world().barrier();
        }
    }
}
