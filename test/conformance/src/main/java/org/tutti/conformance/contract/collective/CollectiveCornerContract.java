package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.Request;

/// Corner cases of collective calls that test suites of MPI check. MPI 4.1, chapter 6.
public final class CollectiveCornerContract {
    private CollectiveCornerContract() {}

    /// Calls without elements complete. The sum afterwards fails if a rank has skipped one of the calls.
    @Contract
    public static void callsWithoutElements(Trial t) {
        Comm w = t.world();
        int n = t.size();
        Buf none = buf(new double[0]);
        w.bcast(none, n - 1);
        w.gather(none, none, 0);
        w.scatter(none, none, n - 1);
        w.allgather(none, none);
        w.alltoall(none, none);
        w.reduce(none, none, Op.SUM, 0);
        w.allreduce(none, Op.MAX);
        w.reduceScatterBlock(none, none, Op.SUM);
        w.reduceScatter(none.blocks(new int[n]), none, Op.SUM);
        w.scan(none, none, Op.SUM);
        w.exscan(none, none, Op.SUM);
        w.allreduce(none, none, Op.ofDouble("first", (a, b) -> a));
        List<Request> all = new ArrayList<>();
        all.add(w.ibcast(none, 0));
        all.add(w.iallgather(none, none));
        all.add(w.iallreduce(none, none, Op.SUM));
        all.add(w.ireduceScatterBlock(none, none, Op.SUM));
        all.add(w.ibarrier());
        for (Request r : all.reversed()) r.await();
        Check.same(n, w.allreduce(1, Op.SUM), "sum afterwards");
    }

    /// Five calls of the same kind are active together and are awaited in reverse order.
    @Contract
    public static void callsAwaitedInReverseOrder(Trial t) {
        Comm w = t.world();
        int n = t.size(), calls = 5;
        int[][] sums = new int[calls][1], all = new int[calls][n], roots = new int[calls][1];
        List<Request> started = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            roots[i][0] = t.rank() == i % n ? 7 * i : -1;
            started.add(w.iallreduce(buf(new int[] {i + t.rank()}), buf(sums[i]), Op.SUM));
            started.add(w.iallgather(buf(new int[] {10 * i + t.rank()}), buf(all[i])));
            started.add(w.ibcast(buf(roots[i]), i % n));
        }
        for (Request r : started.reversed()) r.await();
        for (int i = 0; i < calls; i++) {
            Check.same((long) n * i + n * (n - 1L) / 2, sums[i][0], "sum of call " + i);
            Check.same(7L * i, roots[i][0], "broadcast " + i);
            for (int r = 0; r < n; r++) Check.same(10L * i + r, all[i][r], "part of call " + i);
        }
    }

    /// The ranks pass different types with the same type signature.
    @Contract
    public static void equalSignaturesOfDifferentTypes(Trial t) {
        Comm w = t.world();
        int[] x = new int[12];
        Datatype four = Datatype.INT.contiguous(4), spread = Datatype.INT.vector(4, 1, 3);
        Buf mine = switch (t.rank() % 3) {
            case 0 -> buf(x, 0, 4);
            case 1 -> buf(x, 0, 1, four);
            default -> buf(x, 0, 1, spread);
        };
        int step = t.rank() % 3 == 2 ? 3 : 1;
        if (t.rank() == 0) for (int i = 0; i < 4; i++) x[i] = i + 1;
        w.bcast(mine, 0);
        for (int i = 0; i < 4; i++) Check.same(i + 1, x[i * step], "element " + i);
        int[] all = new int[4 * t.size()];
        w.gather(mine, t.rank() == 0 ? buf(all) : Buf.NONE, 0);
        if (t.rank() == 0) for (int i = 0; i < all.length; i++) Check.same(i % 4 + 1, all[i], "gathered element " + i);
        w.allgather(mine, buf(all, 0, t.size(), four));
        for (int i = 0; i < all.length; i++) Check.same(i % 4 + 1, all[i], "element of all " + i);
    }

    /// Only the last rank contributes data, or only the last rank receives data.
    @Contract
    public static void blocksOnASingleRank(Trial t) {
        Comm w = t.world();
        int n = t.size(), last = n - 1;
        int[] counts = new int[n];
        counts[last] = 3;
        int[] all = new int[3];
        w.allgather(buf(t.rank() == last ? new int[] {4, 5, 6} : new int[0]), buf(all).blocks(counts));
        Check.same("[4, 5, 6]", Arrays.toString(all), "allgather");
        int[] mine = new int[t.rank() == last ? 3 : 0];
        w.reduceScatter(buf(new int[] {1, 2, 3}).blocks(counts), buf(mine), Op.SUM);
        if (t.rank() == last) for (int i = 0; i < 3; i++) Check.same((long) n * (i + 1), mine[i], "sum " + i);
        int[] got = new int[t.rank() == last ? 3 : 0];
        w.scatter(t.rank() == 0 ? buf(new int[] {7, 8, 9}).blocks(counts) : Buf.NONE, buf(got), 0);
        if (t.rank() == last) Check.same("[7, 8, 9]", Arrays.toString(got), "scatter");
        int[] into = new int[n];
        int[] fromAll = new int[n], toLast = new int[n];
        toLast[last] = 1;
        if (t.rank() == last) Arrays.fill(fromAll, 1);
        w.alltoall(
                buf(new int[] {t.rank()}).blocks(toLast),
                buf(t.rank() == last ? into : new int[0]).blocks(fromAll));
        if (t.rank() == last) for (int r = 0; r < n; r++) Check.same(r, into[r], "alltoall from " + r);
    }

    /// Every reduction combines in rank order if the operation is not commutative.
    @Contract
    public static void nonCommutativeOperation(Trial t) {
        Comm w = t.world();
        int n = t.size(), me = t.rank();
        Op first = Op.ofInt("first", (a, b) -> a), second = Op.ofInt("second", (a, b) -> b);
        Check.same(0, w.allreduce(me, first), "first of all");
        Check.same(n - 1, w.allreduce(me, second), "last of all");
        Check.same(0, w.scan(me, first), "first of a scan");
        Check.same(me, w.scan(me, second), "last of a scan");
        var before = w.exscan(me, second);
        Check.same(me == 0, before.isEmpty(), "exscan of rank 0");
        if (me > 0) Check.same(me - 1, before.getAsInt(), "last of an exscan");
        int[] own = new int[1], all = new int[n];
        Arrays.fill(all, me);
        w.reduceScatterBlock(buf(all), buf(own), second);
        Check.same(n - 1, own[0], "last of a reduce-scatter");
        for (int root = 0; root < n; root++) {
            int[] x = {me};
            w.reduce(buf(x), second, root);
            if (me == root) Check.same(n - 1, x[0], "last at root " + root);
        }
    }
}
