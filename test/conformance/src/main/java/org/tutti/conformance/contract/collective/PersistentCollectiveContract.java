package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.PersistentRequest;

/// MPI 4.1, section 6.13. All forms of an operation are tested by the contract of that operation.
public final class PersistentCollectiveContract {
    private static final int TIMES = 5;

    private PersistentCollectiveContract() {}

    /// All requests are created first, then started and awaited in different orders, with new data each time.
    @Contract
    public static void restartSendsNewData(Trial t) {
        int n = t.size();
        int me = t.rank();
        int root = n - 1;
        boolean atRoot = me == root;
        long[] out = new long[n];
        long[] in = new long[n];
        long[] down = new long[1];
        long[] up = new long[n];
        long[] part = new long[1];
        long[] sum = new long[n];
        int[] ones = new int[n];
        Arrays.fill(ones, 1);
        PersistentRequest[] all = {
            t.world().barrierInit(),
            t.world().scatterInit(atRoot ? buf(out) : Buf.NONE, buf(down), root),
            t.world().gatherInit(buf(out, 0, 1), atRoot ? buf(up) : Buf.NONE, root),
            t.world().alltoallInit(buf(out), buf(in)),
            t.world().reduceScatterInit(buf(out).blocks(ones), buf(part), Op.SUM),
            t.world().scanInit(buf(out), buf(sum), Op.SUM),
        };
        for (int time = 0; time < TIMES; time++) {
            for (int r = 0; r < n; r++) out[r] = 100L * me + r + 1000L * time;
            for (PersistentRequest r : all) r.start();
            if (time == 2) t.world().barrier();
            for (int i = 0; i < all.length; i++) all[(i * 5 + me) % all.length].await();
            Check.same(100L * root + me + 1000L * time, down[0], "scatter " + time);
            for (int r = 0; r < n; r++) {
                Check.same(100L * r + me + 1000L * time, in[r], "alltoall " + time);
                if (atRoot) Check.same(100L * r + 1000L * time, up[r], "gather " + time);
                long expected = 100L * me * (me + 1) / 2 + (me + 1L) * (r + 1000L * time);
                Check.same(expected, sum[r], "scan " + time);
            }
            Check.same(100L * n * (n - 1) / 2 + n * (me + 1000L * time), part[0], "reduceScatter " + time);
        }
        for (PersistentRequest r : all) r.close();
    }

    /// Requests match in the order of creation, regardless of the order of the starts on each rank.
    @Contract
    public static void startOrderMayDifferBetweenRanks(Trial t) {
        int n = t.size(), me = t.rank();
        int[] first = new int[1], second = new int[1], sums = new int[1], all = new int[n], scan = new int[1];
        PersistentRequest[] requests = {
            t.world().bcastInit(buf(first), 0),
            t.world().bcastInit(buf(second), 0),
            t.world().allreduceInit(Buf.IN_PLACE, buf(sums), Op.SUM),
            t.world().barrierInit(),
            t.world().allgatherInit(buf(new int[] {me}), buf(all)),
            t.world().scanInit(Buf.IN_PLACE, buf(scan), Op.SUM),
        };
        for (int time = 0; time < TIMES; time++) {
            first[0] = me == 0 ? 10 + time : -1;
            second[0] = me == 0 ? 20 + time : -1;
            sums[0] = time;
            scan[0] = 1;
            Arrays.fill(all, -1);
            for (int i = 0; i < requests.length; i++) requests[(i + me + time) % requests.length].start();
            for (int i = 0; i < requests.length; i++) requests[(i * 5 + me) % requests.length].await();
            Check.same(10 + time, first[0], "first bcast " + time);
            Check.same(20 + time, second[0], "second bcast " + time);
            Check.same((long) n * time, sums[0], "allreduce " + time);
            Check.same(me + 1, scan[0], "scan " + time);
            for (int r = 0; r < n; r++) Check.same(r, all[r], "allgather " + time);
        }
        for (PersistentRequest r : requests) r.close();
    }

    /// The same test for neighborhood collectives, and for collectives between two groups.
    @Contract(minRanks = 2)
    public static void startOrderMayDifferForNeighborsAndGroups(Trial t) {
        int n = t.size(), me = t.rank(), side = me % 2;
        int[] one = new int[2], two = new int[2], up = {-1}, down = {-1};
        try (var ring = t.world().cartesian(new int[] {n}, new boolean[] {true});
                OwnedComm half = t.world().split(side);
                Intercomm both = half.intercomm(0, t.world(), 1 - side, 3)) {
            int root = side == 1 ? 0 : half.rank() == 0 ? Comm.ROOT : Comm.PROC_NULL;
            boolean gives = root == Comm.ROOT;
            PersistentRequest[] requests = {
                ring.neighborAllgatherInit(buf(new int[] {me}), buf(one)),
                ring.neighborAllgatherInit(buf(new int[] {100 + me}), buf(two)),
                both.bcastInit(root == Comm.PROC_NULL ? Buf.NONE : buf(up), root),
                both.bcastInit(root == Comm.PROC_NULL ? Buf.NONE : buf(down), root),
            };
            for (int time = 0; time < TIMES; time++) {
                up[0] = gives ? time : -1;
                down[0] = gives ? -time : -1;
                for (int i = 0; i < 4; i++) requests[(i + me) % 4].start();
                for (int i = 0; i < 4; i++) requests[(i + 2 * me) % 4].await();
                Check.same(t.left(), one[0], "first left neighbor");
                Check.same(t.right(), one[1], "first right neighbor");
                Check.same(100 + t.left(), two[0], "second left neighbor");
                Check.same(100 + t.right(), two[1], "second right neighbor");
                if (side == 1) Check.same(time, up[0], "first bcast from the other group");
                if (side == 1) Check.same(-time, down[0], "second bcast from the other group");
            }
            for (PersistentRequest r : requests) r.close();
        }
    }

    /// Booleans, matrix rows and pairs are packed at every start.
    @Contract
    public static void dataInPieces(Trial t) {
        boolean[] flags = new boolean[9];
        double[][] rows = new double[3][2];
        double[] values = new double[1];
        int[] places = new int[1];
        try (PersistentRequest any = t.world().allreduceInit(Buf.IN_PLACE, buf(flags), Op.LOR);
                PersistentRequest give = t.world().bcastInit(buf(rows), 0);
                PersistentRequest best = t.world().allreduceInit(Buf.IN_PLACE, buf(values, places), Op.MAXLOC)) {
            for (int time = 0; time < TIMES; time++) {
                Arrays.fill(flags, false);
                flags[(t.rank() + time) % 9] = true;
                for (double[] row : rows) Arrays.fill(row, t.rank() == 0 ? time : -1);
                values[0] = (t.rank() + time) % t.size();
                places[0] = t.rank();
                any.start();
                give.start();
                best.start();
                best.await();
                give.await();
                any.await();
                for (int i = 0; i < 9; i++) {
                    boolean expected = (i - time + 9) % 9 < t.size();
                    Check.that(flags[i] == expected, "flag " + i + " at time " + time);
                }
                Check.that(rows[2][1] == time && rows[0][0] == time, "rows at time " + time);
                Check.that(values[0] == t.size() - 1, "largest value at time " + time);
                Check.same(Math.floorMod(t.size() - 1 - time, t.size()), places[0], "index at time " + time);
            }
        }
    }

    @Contract
    public static void inPlaceRestartUsesTheResult(Trial t) {
        long[] x = {1};
        try (PersistentRequest r = t.world().allreduceInit(Buf.IN_PLACE, buf(x), Op.SUM)) {
            long expected = 1;
            for (int time = 0; time < TIMES; time++) {
                r.start();
                r.await();
                expected *= t.size();
                Check.same(expected, x[0], "sum of sums");
            }
        }
    }

    /// The vectors are longer than a slice of the reduction.
    @Contract
    public static void longVectors(Trial t) {
        int n = t.size();
        double[] x = new double[150_000];
        double[] y = new double[150_000];
        try (PersistentRequest r = t.world().allreduceInit(buf(x), buf(y), Op.SUM)) {
            for (int time = 0; time < 3; time++) {
                Arrays.fill(x, t.rank() + time);
                r.start();
                r.await();
                double expected = n * (n - 1) / 2.0 + n * time;
                for (int i = 0; i < y.length; i += 331) Check.that(y[i] == expected, "element " + i + ", " + time);
            }
        }
    }

    @Contract
    public static void wrongUseOfRequests(Trial t) {
        String end = " (" + t.where() + ")";
        int[] x = new int[3];
        try (PersistentRequest r = t.world().bcastInit(buf(x), 0)) {
            r.await(); // an inactive request is complete
            r.start();
            Check.rejects(
                    ErrorClass.ERR_REQUEST,
                    "bcastInit: the request is already active; await it before the next start" + end,
                    r::start);
            r.await();
        }
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "alltoallInit: recv is NONE on a rank that must pass a buffer" + end,
                () -> t.world().alltoallInit(buf(x), Buf.NONE));
        OwnedComm dup = t.world().dup();
        PersistentRequest late = dup.barrierInit();
        dup.close();
        Check.fails(ErrorClass.ERR_COMM, late::start);
        late.close();
    }
}
