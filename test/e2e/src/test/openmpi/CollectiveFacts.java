// Facts about collective calls of Open MPI's Java bindings, for OpenMpiJavaTest. Rank 0 prints a line for each
// fact that holds.

import java.nio.*;
import java.util.*;
import mpi.*;

public class CollectiveFacts extends OpenMpiFacts {
    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        begin();

        fact("bcastOfEveryForm", () -> {
            int[] x = {me == n - 1 ? 5 : 0};
            w.bcast(x, 1, MPI.INT, n - 1);
            same(x[0], 5);
            IntBuffer b = MPI.newIntBuffer(1).put(0, me == 0 ? 6 : 0);
            w.iBcast(b, 1, MPI.INT, 0).waitFor();
            same(b.get(0), 6);
            boolean[] flags = {me == 0, !(me == 0)};
            w.bcast(flags, 2, MPI.BOOLEAN, 0);
            same(flags, new boolean[] {true, false});
            char[] text = me == 0 ? "hello".toCharArray() : new char[5];
            w.bcast(text, 5, MPI.CHAR, 0);
            same(new String(text), "hello");
        });
        fact("gatherAndScatter", () -> {
            int[] all = me == 0 ? new int[2 * n] : null;
            w.gather(new int[] {me, -me}, 2, MPI.INT, all, 2, MPI.INT, 0);
            if (me == 0) for (int r = 0; r < n; r++) same(all[2 * r], r);
            int[] mine = new int[2];
            w.scatter(all, 2, MPI.INT, mine, 2, MPI.INT, 0);
            same(mine, new int[] {me, -me});
        });
        fact("gatherInPlaceIsAllAtTheRoot", () -> {
            int[] x = me == 0 ? new int[n] : new int[] {me};
            w.gather(x, 1, MPI.INT, 0);
            if (me == 0) for (int r = 0; r < n; r++) same(x[r], r);
            if (me == 0) for (int r = 0; r < n; r++) x[r] = 10 * r;
            w.scatter(x, 1, MPI.INT, 0);
            same(x[0], 10 * me);
        });
        fact("gathervAndScatterv", () -> {
            int[] counts = new int[n], at = new int[n];
            for (int r = 0; r < n; r++) {
                counts[r] = r + 1;
                at[r] = r == 0 ? 0 : at[r - 1] + counts[r - 1] + 1;
            }
            int size = at[n - 1] + n;
            double[] mine = new double[me + 1];
            Arrays.fill(mine, me);
            double[] all = new double[size];
            Arrays.fill(all, -1);
            w.gatherv(mine, me + 1, MPI.DOUBLE, all, counts, at, MPI.DOUBLE, 0);
            if (me == 0) {
                for (int r = 0; r < n; r++) for (int i = 0; i < counts[r]; i++) same(all[at[r] + i], (double) r);
                for (int r = 1; r < n; r++) same(all[at[r] - 1], -1.0);
            }
            double[] back = new double[me + 1];
            w.scatterv(me == 0 ? all : null, me == 0 ? counts : null, me == 0 ? at : null, MPI.DOUBLE, back, me + 1, MPI.DOUBLE, 0);
            same(back, mine);
        });
        fact("gathervHasAFormForTheRootAndOneForTheRest", () -> {
            int[] counts = new int[n], at = new int[n];
            Arrays.fill(counts, 1);
            for (int r = 0; r < n; r++) at[r] = r;
            int[] x = me == 0 ? new int[n] : new int[] {me};
            if (me == 0) w.gatherv(x, counts, at, MPI.INT, 0);
            else w.gatherv(x, 1, MPI.INT, 0);
            if (me == 0) for (int r = 0; r < n; r++) same(x[r], r);
            if (me == 0) w.scatterv(x, counts, at, MPI.INT, 0);
            else w.scatterv(x, 1, MPI.INT, 0);
            same(x[0], me);
        });
        fact("allGatherOfEveryForm", () -> {
            long[] all = new long[n];
            w.allGather(new long[] {me}, 1, MPI.LONG, all, 1, MPI.LONG);
            for (int r = 0; r < n; r++) same(all[r], (long) r);
            int[] own = new int[n];
            own[me] = me;
            w.allGather(own, 1, MPI.INT);
            for (int r = 0; r < n; r++) same(own[r], r);
            int[] counts = new int[n], at = new int[n];
            Arrays.fill(counts, 1);
            for (int r = 0; r < n; r++) at[r] = n - 1 - r;
            int[] back = new int[n];
            w.allGatherv(new int[] {me}, 1, MPI.INT, back, counts, at, MPI.INT);
            for (int r = 0; r < n; r++) same(back[at[r]], r);
            int[] place = new int[n];
            place[at[me]] = me;
            w.allGatherv(place, counts, at, MPI.INT);
            same(place, back);
        });
        fact("oneArrayMayBeBothBuffers", () -> {
            int[] x = new int[n];
            x[0] = me;
            w.allGather(x, 1, MPI.INT, x, 1, MPI.INT);
            for (int r = 0; r < n; r++) same(x[r], r);
            int[] sum = {me, 1};
            w.allReduce(sum, sum, 2, MPI.INT, MPI.SUM);
            same(sum, new int[] {n * (n - 1) / 2, n});
        });
        fact("allToAllOfEveryForm", () -> {
            int[] out = new int[n], in = new int[n];
            for (int r = 0; r < n; r++) out[r] = 100 * me + r;
            w.allToAll(out, 1, MPI.INT, in, 1, MPI.INT);
            for (int r = 0; r < n; r++) same(in[r], 100 * r + me);
            int[] ones = new int[n], at = new int[n], bytes = new int[n];
            Arrays.fill(ones, 1);
            for (int r = 0; r < n; r++) {
                at[r] = r;
                bytes[r] = 4 * r;
            }
            int[] inv = new int[n];
            w.allToAllv(out, ones, at, MPI.INT, inv, ones, at, MPI.INT);
            same(inv, in);
            Datatype[] types = new Datatype[n];
            Arrays.fill(types, MPI.INT);
            int[] inw = new int[n];
            w.allToAllw(out, ones, bytes, types, inw, ones, bytes, types);
            same(inw, in);
            IntBuffer b = MPI.newIntBuffer(n).put(out), c = MPI.newIntBuffer(n);
            w.allToAllw(b, ones, bytes, types, c, ones, bytes, types);
            same(c.get(n - 1), in[n - 1]);
        });
        fact("reduceOfEveryForm", () -> {
            double[] sum = me == 0 ? new double[1] : null;
            w.reduce(new double[] {me}, sum, 1, MPI.DOUBLE, MPI.SUM, 0);
            if (me == 0) same(sum[0], n * (n - 1) / 2.0);
            int[] x = {me + 1};
            w.reduce(x, 1, MPI.INT, MPI.PROD, 0);
            int product = 1;
            for (int r = 1; r <= n; r++) product *= r;
            if (me == 0) same(x[0], product);
            else same(x[0], me + 1);
        });
        fact("allReduceOfEveryType", () -> {
            byte[] b = {(byte) (me == 0 ? -1 : 1)};
            w.allReduce(b, 1, MPI.BYTE, MPI.MAX);
            same(b[0], (byte) -1);
            boolean[] f = {me == 0, true, false};
            w.allReduce(f, 3, MPI.BOOLEAN, MPI.MAX);
            same(f, new boolean[] {true, true, false});
            boolean[] g = {me == 0};
            w.allReduce(g, 1, MPI.BOOLEAN, MPI.LAND);
            same(g[0], n == 1);
            char[] c = {(char) ('a' + me)};
            w.allReduce(c, 1, MPI.CHAR, MPI.MIN);
            same(c[0], 'a');
            short[] s = {(short) me};
            w.allReduce(s, 1, MPI.SHORT, MPI.SUM);
            same(s[0], (short) (n * (n - 1) / 2));
            float[] fl = {me};
            w.allReduce(fl, 1, MPI.FLOAT, MPI.MAX);
            same(fl[0], (float) (n - 1));
            long[] l = {1L << me};
            w.allReduce(l, 1, MPI.LONG, MPI.BOR);
            same(l[0], (1L << n) - 1);
        });
        fact("rawMemoryIsReducedByType", () -> {
            byte[] bytes = new byte[8];
            ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putDouble(0, me + .5);
            w.allReduce(bytes, 1, MPI.DOUBLE, MPI.SUM);
            same(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getDouble(0), n * (n - 1) / 2.0 + n / 2.0);
        });
        fact("reduceScatterOfEveryForm", () -> {
            int[] x = new int[n], one = new int[1], counts = new int[n];
            for (int r = 0; r < n; r++) x[r] = r + me;
            Arrays.fill(counts, 1);
            int want = n * me + n * (n - 1) / 2;
            w.reduceScatter(x, one, counts, MPI.INT, MPI.SUM);
            same(one[0], want);
            one[0] = 0;
            w.reduceScatterBlock(x, one, 1, MPI.INT, MPI.SUM);
            same(one[0], want);
            int[] y = x.clone();
            w.reduceScatter(y, counts, MPI.INT, MPI.SUM);
            same(y[0], want);
            y = x.clone();
            w.reduceScatterBlock(y, 1, MPI.INT, MPI.SUM);
            same(y[0], want);
        });
        fact("scans", () -> {
            int[] x = {me + 1}, got = new int[1];
            w.scan(x, got, 1, MPI.INT, MPI.SUM);
            same(got[0], (me + 1) * (me + 2) / 2);
            w.exScan(x, got, 1, MPI.INT, MPI.SUM);
            if (me > 0) same(got[0], me * (me + 1) / 2);
            w.scan(x, 1, MPI.INT, MPI.SUM);
            same(x[0], (me + 1) * (me + 2) / 2);
            int[] y = {me + 1};
            w.exScan(y, 1, MPI.INT, MPI.SUM);
            if (me > 0) same(y[0], me * (me + 1) / 2);
        });
        fact("nonblockingCollectives", () -> {
            IntBuffer s = MPI.newIntBuffer(n), r = MPI.newIntBuffer(n);
            for (int i = 0; i < n; i++) s.put(i, 10 * me + i);
            w.iBarrier().waitFor();
            w.iAllGather(s, 1, MPI.INT, r, 1, MPI.INT).waitFor();
            for (int i = 0; i < n; i++) same(r.get(i), 10 * i);
            w.iAllToAll(s, 1, MPI.INT, r, 1, MPI.INT).waitFor();
            for (int i = 0; i < n; i++) same(r.get(i), 10 * i + me);
            w.iGather(s, 1, MPI.INT, r, 1, MPI.INT, 0).waitFor();
            if (me == 0) for (int i = 0; i < n; i++) same(r.get(i), 10 * i);
            w.iScatter(s, 1, MPI.INT, r, 1, MPI.INT, 0).waitFor();
            same(r.get(0), me);
            w.iAllReduce(s, r, 1, MPI.INT, MPI.SUM).waitFor();
            same(r.get(0), 10 * n * (n - 1) / 2);
            w.iReduce(s, r, 1, MPI.INT, MPI.MAX, 0).waitFor();
            if (me == 0) same(r.get(0), 10 * (n - 1));
            w.iScan(s, r, 1, MPI.INT, MPI.MAX).waitFor();
            same(r.get(0), 10 * me);
            w.iExScan(s, r, 1, MPI.INT, MPI.MAX).waitFor();
            if (me > 0) same(r.get(0), 10 * (me - 1));
        });
        fact("nonblockingCollectivesInPlace", () -> {
            IntBuffer x = MPI.newIntBuffer(n);
            x.put(me, me);
            w.iAllGather(x, 1, MPI.INT).waitFor();
            for (int i = 0; i < n; i++) same(x.get(i), i);
            x.put(0, 1);
            w.iAllReduce(x, 1, MPI.INT, MPI.SUM).waitFor();
            same(x.get(0), n);
            w.iScan(x, 1, MPI.INT, MPI.SUM).waitFor();
            same(x.get(0), n * (me + 1));
            x.put(0, 1);
            w.iReduce(x, 1, MPI.INT, MPI.SUM, 0).waitFor();
            if (me == 0) same(x.get(0), n);
            for (int i = 0; i < n; i++) x.put(i, 1);
            w.iReduceScatterBlock(x, 1, MPI.INT, MPI.SUM).waitFor();
            same(x.get(0), n);
        });
        fact("aRootThatIsNoneIsAnError", () -> code(MPI.ERR_ROOT, () -> w.bcast(new int[1], 1, MPI.INT, n)));
        fact("anOperationIsNotForEveryType", () -> code(MPI.ERR_OP, () -> w.allReduce(new double[1], 1, MPI.DOUBLE, MPI.BOR)));
        fact("blocksThatCannotBeAreSaid", () -> {
            int[] counts = new int[n], at = new int[n];
            int[] one = {1}, all = new int[n];
            fails(ArrayIndexOutOfBoundsException.class, () -> w.allGatherv(one, 1, MPI.INT, all, new int[0], at, MPI.INT));
            counts[0] = -1;
            code(MPI.ERR_COUNT, () -> w.allGatherv(one, 1, MPI.INT, all, counts, at, MPI.INT));
            counts[0] = 1;
            at[0] = -1;
            fails(ArrayIndexOutOfBoundsException.class, () -> w.allGatherv(one, 1, MPI.INT, all, counts, at, MPI.INT));
        });
        fact("reduceLocalCombinesHere", () -> {
            int[] in = {1, 2}, inOut = {3, 4};
            Comm.reduceLocal(in, inOut, 2, MPI.INT, MPI.SUM);
            same(inOut, new int[] {4, 6});
        });
        fact("collectivesBetweenTwoGroups", () -> {
            if (n < 2) return;
            Intracomm half = w.split(me % 2, me);
            Intercomm both = w.createIntercomm(half, 0, 1 - me % 2, 7);
            same(both.isInter(), true);
            same(both.getRemoteSize(), me % 2 == 0 ? n / 2 : (n + 1) / 2);
            same(both.getRemoteGroup().getSize(), both.getRemoteSize());
            int[] x = {me == 0 ? 77 : -1};
            int root = me % 2 == 1 ? 0 : me == 0 ? MPI.ROOT : MPI.PROC_NULL;
            both.bcast(x, 1, MPI.INT, root);
            if (me % 2 == 1) same(x[0], 77);
            int[] sum = new int[1];
            both.allReduce(new int[] {me}, sum, 1, MPI.INT, MPI.SUM);
            int want = 0;
            for (int r = 0; r < n; r++) if (r % 2 != me % 2) want += r;
            same(sum[0], want);
            Intracomm merged = both.merge(me % 2 == 1);
            same(merged.getSize(), n);
            same(Intercomm.getParent().isNull(), true);
            merged.free();
            both.free();
            half.free();
        });
        MPI.Finalize();
    }
}
