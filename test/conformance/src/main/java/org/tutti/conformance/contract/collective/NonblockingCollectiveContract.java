package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;

/// MPI 4.1, section 6.12. All forms of an operation are tested by the contract of that operation.
public final class NonblockingCollectiveContract {
    private NonblockingCollectiveContract() {}

    /// A call of one of the twelve kinds, with the expected result.
    private static final class Call {
        private final int[] out;
        private final int[] in;
        private final int number;
        private final int root;

        Call(Trial t, int number) {
            this.number = number;
            root = number % t.size();
            out = new int[2 * t.size()];
            in = new int[2 * t.size()];
            for (int i = 0; i < out.length; i++) out[i] = 10 * t.rank() + i + number;
        }

        private Buf one(int[] x) {
            return buf(x, 0, 2);
        }

        Request start(Trial t) {
            Comm w = t.world();
            boolean atRoot = t.rank() == root;
            return switch (number % 12) {
                case 0 -> w.ibarrier();
                case 1 -> {
                    if (atRoot) System.arraycopy(out, 0, in, 0, out.length);
                    yield w.ibcast(buf(in), root);
                }
                case 2 -> w.igather(one(out), atRoot ? buf(in) : Buf.NONE, root);
                case 3 -> w.iscatter(atRoot ? buf(out) : Buf.NONE, one(in), root);
                case 4 -> w.iallgather(one(out), buf(in));
                case 5 -> w.ialltoall(buf(out), buf(in));
                case 6 -> w.ireduce(buf(out), atRoot ? buf(in) : Buf.NONE, Op.SUM, root);
                case 7 -> w.iallreduce(buf(out), buf(in), Op.SUM);
                case 8 -> w.ireduceScatterBlock(buf(out), one(in), Op.SUM);
                case 9 -> w.ireduceScatter(buf(out).blocks(counts(t)), one(in), Op.SUM);
                case 10 -> w.iscan(buf(out), buf(in), Op.SUM);
                default -> w.iexscan(buf(out), buf(in), Op.SUM);
            };
        }

        private static int[] counts(Trial t) {
            int[] counts = new int[t.size()];
            java.util.Arrays.fill(counts, 2);
            return counts;
        }

        void check(Trial t) {
            int me = t.rank();
            boolean atRoot = me == root;
            for (int i = 0; i < in.length; i++) {
                int from = i / 2;
                int expected = switch (number % 12) {
                    case 1 -> 10 * root + i + number;
                    case 2 -> atRoot ? 10 * from + i % 2 + number : 0;
                    case 3 -> i < 2 ? 10 * root + 2 * me + i + number : 0;
                    case 4 -> 10 * from + i % 2 + number;
                    case 5 -> 10 * from + 2 * me + i % 2 + number;
                    case 6 -> atRoot ? sum(t.size(), i) : 0;
                    case 7 -> sum(t.size(), i);
                    case 8, 9 -> i < 2 ? sum(t.size(), 2 * me + i) : 0;
                    case 10 -> sum(me + 1, i);
                    case 11 -> sum(me, i);
                    default -> 0;
                };
                Check.same(expected, in[i], "call " + number + ", element " + i);
            }
        }

        private int sum(int ranks, int i) {
            return 10 * (ranks * (ranks - 1) / 2) + ranks * (i + number);
        }
    }

    /// Every rank awaits the requests in a different order.
    @Contract
    public static void concurrentCallsCompleteInAnyOrder(Trial t) {
        for (int round = 0; round < 4; round++) {
            List<Call> calls = new ArrayList<>();
            List<Request> requests = new ArrayList<>();
            for (int i = 0; i < 36; i++) {
                Call c = new Call(t, i + round);
                calls.add(c);
                requests.add(c.start(t));
            }
            int step = 5 + 6 * ((t.rank() + round) % 3);
            for (int k = 0; k < 36; k++) requests.get((k * step + round) % 36).await();
            for (Call c : calls) c.check(t);
        }
    }

    /// Blocking collective calls and messages complete while nonblocking collective calls are active.
    @Contract
    public static void mixesWithBlockingCallsAndMessages(Trial t) {
        int n = t.size();
        try (Requests requests = t.mpi().requests()) {
            List<Call> calls = new ArrayList<>();
            int[] got = {-1};
            requests.add(t.world().irecv(buf(got), t.left(), 3));
            for (int i = 0; i < 24; i++) {
                Call c = new Call(t, i);
                calls.add(c);
                requests.add(c.start(t));
                if (i % 4 == 1) Check.same((long) n * i, t.world().allreduce((long) i, Op.SUM), "sum between");
                if (i % 4 == 3) t.world().barrier();
            }
            t.world().send(buf(new int[] {t.rank()}), t.right(), 3);
            requests.awaitAll();
            for (Call c : calls) c.check(t);
            Check.same(t.left(), got[0], "the message");
        }
    }

    @Contract
    public static void completeByTest(Trial t) {
        for (int i = 0; i < 24; i++) {
            Call c = new Call(t, i);
            Request r = c.start(t);
            while (!r.test()) Thread.onSpinWait();
            c.check(t);
            Check.that(r.test(), "complete and not complete");
            r.await();
        }
    }

    /// Calls on two communicators do not match each other.
    @Contract
    public static void onTwoCommunicators(Trial t) {
        try (OwnedComm other = t.world().dup()) {
            long[] a = {t.rank()};
            long[] b = {1};
            Request first;
            Request second;
            if (t.rank() % 2 == 0) {
                first = t.world().iallreduce(Buf.IN_PLACE, buf(a), Op.SUM);
                second = other.iallreduce(Buf.IN_PLACE, buf(b), Op.SUM);
            } else {
                second = other.iallreduce(Buf.IN_PLACE, buf(b), Op.SUM);
                first = t.world().iallreduce(Buf.IN_PLACE, buf(a), Op.SUM);
            }
            second.await();
            first.await();
            Check.same(t.size() * (t.size() - 1L) / 2, a[0], "sum of ranks");
            Check.same(t.size(), b[0], "sum of ones");
        }
    }

    /// The barrier ends when all ranks have started it, and not before.
    @Contract(minRanks = 2)
    public static void barrierWaitsForTheLast(Trial t) throws InterruptedException {
        for (int late = 0; late < t.size(); late++) {
            int next = (late + 1) % t.size();
            if (t.rank() == late) {
                t.world().recv(buf(new int[1]), next, 8); // rank `next` has tested the barrier
                t.world().ibarrier().await();
            } else {
                Request r = t.world().ibarrier();
                if (t.rank() == next) {
                    // long enough for a faulty barrier to complete
                    Thread.sleep(20);
                    Check.that(!r.test(), "the barrier ended before rank " + late + " began it");
                    t.world().send(buf(new int[1]), late, 8);
                }
                r.await();
            }
        }
    }

    @Contract
    public static void longVectors(Trial t) {
        int n = t.size();
        double[] a = new double[120_000];
        double[] b = new double[120_000];
        double[] all = new double[n * 20_000];
        java.util.Arrays.fill(a, t.rank() + 1);
        java.util.Arrays.fill(b, t.rank() == 0 ? 3 : 0);
        Request sum = t.world().iallreduce(Buf.IN_PLACE, buf(a), Op.SUM);
        Request copy = t.world().ibcast(buf(b), 0);
        double[] mine = new double[20_000];
        java.util.Arrays.fill(mine, t.rank());
        Request together = t.world().iallgather(buf(mine), buf(all));
        together.await();
        copy.await();
        sum.await();
        for (int i = 0; i < a.length; i += 997) {
            Check.that(a[i] == n * (n + 1) / 2.0 && b[i] == 3, "element " + i);
        }
        for (int i = 0; i < all.length; i += 97) Check.same(i / 20_000, (long) all[i], "element " + i + " of all");
    }

    /// Rank 1 starts 149 broadcasts as the root before rank 0 starts the first broadcast, of which rank 0 is
    /// the root. Later calls may complete first.
    @Contract
    public static void laterCallsMayCompleteFirst(Trial t) {
        if (t.size() == 1) return;
        Comm w = t.world();
        int calls = 150;
        int[][] data = new int[calls][1];
        if (t.rank() == 0) w.recv(buf(new int[1]), 1, 7);
        List<Request> all = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            int root = i == 0 ? 0 : 1;
            if (t.rank() == root) data[i][0] = i + 1;
            all.add(w.ibcast(buf(data[i]), root));
        }
        if (t.rank() == 1) {
            for (Request r : all) r.test();
            w.send(buf(new int[1]), 0, 7);
        }
        for (Request r : all) r.await();
        for (int i = 0; i < calls; i++) Check.same(i + 1, data[i][0], "call " + i);
        for (int i = 0; i < calls; i++) {
            int[] more = {t.rank() == i % 2 ? i : -1};
            w.bcast(buf(more), i % 2);
            Check.same(i, more[0], "call " + i + " afterwards");
        }
    }

    /// Wrong arguments are reported immediately, and the call is not started.
    @Contract
    public static void wrongArguments(Trial t) {
        String end = " (" + t.where() + ")";
        String ranks = " is not a rank of WORLD, which has ranks 0 to " + (t.size() - 1) + end;
        Check.rejects(
                ErrorClass.ERR_ROOT, "ibcast: root=99" + ranks, () -> t.world().ibcast(buf(new int[1]), 99));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "iscan: recv is NONE on a rank that must pass a buffer" + end,
                () -> t.world().iscan(buf(new int[1]), Buf.NONE, Op.SUM));
        Check.rejects(
                ErrorClass.ERR_OP,
                "ireduceScatterBlock: BAND is not defined for DOUBLE; see the table at Op" + end,
                () -> t.world().ireduceScatterBlock(Buf.IN_PLACE, buf(new double[t.size()]), Op.BAND));
        t.world().barrier();
    }
}
