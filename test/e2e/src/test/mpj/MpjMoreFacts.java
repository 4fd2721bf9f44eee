// The second part of MpjFacts.

import java.util.Arrays;
import mpi.*;

class MpjMoreFacts extends MpjFacts {
    /// Returns `n` numbers: `first`, `first + step`, …
    static int[] row(int n, int first, int step) {
        int[] row = new int[n];
        for (int i = 0; i < n; i++) row[i] = first + i * step;
        return row;
    }

    static void collectives() throws Exception {
        show("Bcast", () -> {
            int[] a = me == n - 1 ? new int[] {1, 2, 3} : new int[3];
            world.Bcast(a, 1, 2, MPI.INT, n - 1);
            same(a[2], 3);
            boolean[] b = {me == 0};
            world.Bcast(b, 0, 1, MPI.BOOLEAN, 0);
            check(b[0]);
        });
        show("Gather and Scatter ignore the same arguments as MPI", () -> {
            int[] all = me == 0 ? new int[2 * n + 1] : null;
            world.Gather(new int[] {me, -me}, 0, 2, MPI.INT, all, 1, 2, MPI.INT, 0);
            if (me == 0) same(all[2 * n], 1 - n);
            int[] part = new int[2];
            world.Scatter(all, 1, 2, MPI.INT, part, 0, 2, MPI.INT, 0);
            same(part[1], -me);
        });
        show("Gatherv and Scatterv", () -> {
            int[] counts = row(n, 1, 1), displs = new int[n];
            for (int i = 1; i < n; i++) displs[i] = displs[i - 1] + counts[i - 1] + 1;
            int[] all = new int[n * (n + 1) / 2 + n + 1];
            int[] mine = new int[me + 1];
            Arrays.fill(mine, me + 1);
            world.Gatherv(mine, 0, me + 1, MPI.INT, all, 0, counts, displs, MPI.INT, 0);
            if (me == 0) {
                same(all[displs[n - 1]], n);
                same(all[displs[n - 1] + n - 1], n);
                if (n > 1) same(all[displs[1] - 1], 0);
            }
            int[] back = new int[me + 1];
            world.Scatterv(all, 0, counts, displs, MPI.INT, back, 0, me + 1, MPI.INT, 0);
            same(back[me], me + 1);
        });
        show("displacements count elements of the array", () -> {
            Datatype pair = Datatype.Contiguous(2, MPI.INT);
            int[] all = new int[3 * n];
            world.Gatherv(new int[] {me, 9}, 0, 1, pair, all, 0, row(n, 1, 0), row(n, 0, 3), pair, 0);
            if (me == 0) same(Arrays.toString(Arrays.copyOfRange(all, 3 * n - 3, 3 * n)), "[" + (n - 1) + ", 9, 0]");
            int[] in = new int[2];
            world.Scatterv(all, 0, row(n, 1, 0), row(n, 0, 3), pair, in, 0, 2, MPI.INT, 0);
            same(in[0], me);
        });
        show("Allgather and Allgatherv", () -> {
            double[] all = new double[n];
            world.Allgather(new double[] {me}, 0, 1, MPI.DOUBLE, all, 0, 1, MPI.DOUBLE);
            same(all[n - 1], n - 1.0);
            world.Allgatherv(new double[] {me * 2}, 0, 1, MPI.DOUBLE, all, 0, row(n, 1, 0), row(n, n - 1, -1), MPI.DOUBLE);
            same(all[0], 2.0 * (n - 1));
        });
        show("Alltoall and Alltoallv", () -> {
            int[] in = new int[n];
            world.Alltoall(row(n, 10 * me, 1), 0, 1, MPI.INT, in, 0, 1, MPI.INT);
            same(in[n - 1], 10 * (n - 1) + me);
            world.Alltoallv(
                    row(n, 10 * me, 1), 0, row(n, 1, 0), row(n, 0, 1), MPI.INT, in, 0, row(n, 1, 0), row(n, n - 1, -1), MPI.INT);
            same(in[0], 10 * (n - 1) + me);
        });
        show("objects with displacements", () -> {
            String[] all = new String[2 * n], one = new String[1];
            world.Gatherv(new String[] {"g" + me}, 0, 1, MPI.OBJECT, all, 0, row(n, 1, 0), row(n, 1, 2), MPI.OBJECT, 0);
            if (me == 0) same(all[2 * n - 1], "g" + (n - 1));
            world.Scatterv(all, 0, row(n, 1, 0), row(n, 1, 2), MPI.OBJECT, one, 0, 1, MPI.OBJECT, 0);
            same(one[0], "g" + me);
            world.Allgatherv(one, 0, 1, MPI.OBJECT, all, 0, row(n, 1, 0), row(n, 0, 2), MPI.OBJECT);
            same(all[0], "g0");
        });
        show("one array for send and receive", () -> {
            int[] a = {me, me};
            world.Allreduce(a, 0, a, 0, 2, MPI.INT, MPI.SUM);
            same(a[1], n * (n - 1) / 2);
            int[] v = row(n, 10 * me, 1);
            world.Alltoallv(v, 0, row(n, 1, 0), row(n, 0, 1), MPI.INT, v, 0, row(n, 1, 0), row(n, n - 1, -1), MPI.INT);
            same(v[0], 10 * (n - 1) + me);
            int[] all = new int[n];
            all[me] = me + 1;
            world.Allgather(all, me, 1, MPI.INT, all, 0, 1, MPI.INT);
            same(Arrays.toString(all), Arrays.toString(row(n, 1, 1)));
        });
    }

    static int sum(int from, int to) {
        int sum = 0;
        for (int i = from; i <= to; i++) sum += i;
        return sum;
    }

    static void reductions() throws Exception {
        show("Reduce with a buffer only at the root", () -> {
            long[] out = {me, 1}, in = me == n - 1 ? new long[2] : null;
            world.Reduce(out, 0, in, 0, 2, MPI.LONG, MPI.SUM, n - 1);
            if (me == n - 1) same(in[0], (long) sum(0, n - 1));
        });
        show("numbers, bits and truths", () -> {
            int[] in = new int[1];
            world.Allreduce(new int[] {me + 1}, 0, in, 0, 1, MPI.INT, MPI.PROD);
            same(in[0], n == 1 ? 1 : n == 2 ? 2 : n == 3 ? 6 : 24);
            world.Allreduce(new int[] {1 << me}, 0, in, 0, 1, MPI.INT, MPI.BOR);
            same(in[0], (1 << n) - 1);
            world.Allreduce(new int[] {me}, 0, in, 0, 1, MPI.INT, MPI.MIN);
            same(in[0], 0);
            boolean[] b = new boolean[1];
            world.Allreduce(new boolean[] {me == 0}, 0, b, 0, 1, MPI.BOOLEAN, MPI.LOR);
            check(b[0]);
            world.Allreduce(new boolean[] {me == 0}, 0, b, 0, 1, MPI.BOOLEAN, MPI.LAND);
            same(b[0], n == 1);
            byte[] bytes = new byte[1];
            world.Allreduce(new byte[] {(byte) (me == 0 ? -1 : 1)}, 0, bytes, 0, 1, MPI.BYTE, MPI.MAX);
            same(bytes[0], (byte) (n == 1 ? -1 : 1));
        });
        show("the maximum and the index", () -> {
            int[] in = new int[2];
            world.Allreduce(new int[] {-me, me}, 0, in, 0, 1, MPI.INT2, MPI.MAXLOC);
            same(Arrays.toString(in), "[0, 0]");
            world.Allreduce(new int[] {7, n - me}, 0, in, 0, 1, MPI.INT2, MPI.MAXLOC);
            same(Arrays.toString(in), "[7, 1]");
            double[] two = new double[4];
            world.Allreduce(new double[] {me, me, 0.0 - me, me}, 0, two, 0, 2, MPI.DOUBLE2, MPI.MINLOC);
            same(Arrays.toString(two), "[0.0, 0.0, " + (n == 1 ? "0.0" : 1.0 - n) + ", " + (n - 1.0) + "]");
            refused(() -> world.Allreduce(in, 0, in, 0, 2, MPI.INT, MPI.MAXLOC), "MPI.MAXLOC is for pairs");
        });
        show("a function of the program's, in rank order", () -> {
            Op first = new Op(
                    new User_function() {
                        public void Call(Object in, int io, Object inout, int oo, int count, Datatype type) {
                            System.arraycopy((long[]) in, io, (long[]) inout, oo, count);
                        }
                    },
                    false);
            long[] out = {me + 1, 1}, in = new long[2];
            world.Allreduce(out, 0, in, 0, 2, MPI.LONG, first);
            same(in[0], 1L);
            Op last = new Op(
                    new User_function() {
                        public void Call(Object in, int io, Object inout, int oo, int count, Datatype type) {}
                    },
                    false);
            world.Allreduce(out, 0, in, 0, 2, MPI.LONG, last);
            same(in[0], (long) n);
            world.Reduce(out, 0, in, 0, 2, MPI.LONG, last, 0);
            if (me == 0) same(in[0], (long) n);
        });
        show("a function receives elements in the layout of the type", () -> {
            Datatype gap = Datatype.Vector(2, 1, 2, MPI.INT);
            Op add = new Op(
                    new User_function() {
                        public void Call(Object in, int io, Object inout, int oo, int count, Datatype type) {
                            int[] x = (int[]) in, y = (int[]) inout;
                            for (int i = 0; i < count; i++) {
                                int at = i * type.Extent();
                                y[oo + at] += x[io + at];
                                y[oo + at + 2] += x[io + at + 2];
                            }
                        }
                    },
                    true);
            int[] in = {0, 5, 0, 0, 5, 0};
            world.Allreduce(new int[] {me, 0, 1, me, 0, 1}, 0, in, 0, 2, gap, add);
            same(Arrays.toString(in), "[" + sum(0, n - 1) + ", 5, " + n + ", " + sum(0, n - 1) + ", 5, " + n + "]");
        });
        show("Scan and Reduce_scatter", () -> {
            int[] in = new int[1];
            world.Scan(new int[] {me}, 0, in, 0, 1, MPI.INT, MPI.SUM);
            same(in[0], sum(0, me));
            int[] part = new int[me + 1];
            world.Reduce_scatter(row(n * (n + 1) / 2, 0, 1), 0, part, 0, row(n, 1, 1), MPI.INT, MPI.SUM);
            same(part[me], n * (sum(1, me) + me));
        });
    }

    static void communicators() throws Exception {
        show("Split without some ranks", () -> {
            Intracomm half = world.Split(me % 2, -me);
            same(half.Size(), (n + (1 - me % 2)) / 2);
            same(half.Rank(), half.Size() - 1 - me / 2);
            int[] sum = new int[1];
            half.Allreduce(new int[] {1}, 0, sum, 0, 1, MPI.INT, MPI.SUM);
            same(sum[0], half.Size());
            Intracomm none = world.Split(me == 0 ? MPI.UNDEFINED : 1, 0);
            check(none != null);
            same(none.Rank(), me == 0 ? -1 : me - 1);
            if (me == 0) refused(() -> none.Barrier(), "is not in the communicator");
        });
        show("Create", () -> {
            Intracomm first = world.Create(world.Group().Incl(new int[] {0}));
            same(first.Rank(), me == 0 ? 0 : -1);
            first.Free();
        });
        show("groups", () -> {
            Group all = world.Group(), back = all.Range_incl(new int[][] {{n - 1, 0, -1}});
            same(all.Size(), n);
            same(all.Rank(), me);
            same(back.Rank(), n - 1 - me);
            same(Group.Compare(all, back), n == 1 ? MPI.IDENT : MPI.SIMILAR);
            Group one = all.Excl(row(n - 1, 1, 1));
            same(one.Size(), 1);
            same(one.Rank(), me == 0 ? 0 : MPI.UNDEFINED);
            same(Group.Union(one, all).Size(), n);
            same(Group.Intersection(one, back).Size(), 1);
            same(Group.Difference(all, one).Size(), n - 1);
            same(Group.Compare(Group.Difference(one, all), MPI.GROUP_EMPTY), MPI.IDENT);
            same(Group.Translate_ranks(all, new int[] {n - 1}, one)[0], n == 1 ? 0 : MPI.UNDEFINED);
            same(all.Range_excl(new int[][] {{0, n - 1, 1}}).Size(), 0);
        });
        show("comparison of communicators", () -> {
            same(Comm.Compare(world, world), MPI.IDENT);
            Intracomm copy = (Intracomm) world.clone();
            same(Intracomm.Compare(world, copy), MPI.CONGRUENT);
            same(Comm.Compare(world, world.Split(0, -me)), n == 1 ? MPI.CONGRUENT : MPI.SIMILAR);
            if (n > 1) same(Comm.Compare(world, MPI.COMM_SELF), MPI.UNEQUAL);
            Request r = copy.Irecv(new int[1], 0, 1, MPI.INT, before, 5);
            world.Sendrecv(new int[1], 0, 1, MPI.INT, next, 5, new int[1], 0, 1, MPI.INT, before, 5);
            check(r.Test() == null);
            world.Barrier();
            copy.Send(new int[1], 0, 1, MPI.INT, next, 5);
            r.Wait();
        });
        show("a grid ends at -1", () -> {
            Cartcomm line = world.Create_cart(new int[] {n}, new boolean[1], false);
            ShiftParms s = line.Shift(0, 1);
            same(s.rank_source, me == 0 ? -1 : me - 1);
            same(s.rank_dest, me == n - 1 ? -1 : me + 1);
            int[] in = {-5};
            line.Sendrecv(new int[] {me}, 0, 1, MPI.INT, s.rank_dest, 1, in, 0, 1, MPI.INT, s.rank_source, 1);
            same(in[0], me == 0 ? -5 : me - 1);
            line.Send(in, 0, 1, MPI.INT, -1, 0);
            same(line.Recv(in, 0, 1, MPI.INT, -1, 0).source, MPI.PROC_NULL);
            same(line.Topo_test(), MPI.CART);
            same(world.Topo_test(), MPI.UNDEFINED);
            ShiftParms round = world.Create_cart(new int[] {n}, new boolean[] {true}, true).Shift(0, 1);
            same(round.rank_dest, next);
        });
        show("coordinates", () -> {
            int[] dims = {5, 5};
            Cartcomm.Dims_create(n, dims);
            same(dims[0] * dims[1], n);
            Cartcomm grid = world.Create_cart(dims, new boolean[] {true, false}, false);
            CartParms p = grid.Get();
            check(p == grid.Get());
            same(Arrays.toString(p.dims), Arrays.toString(dims));
            check(p.periods[0] && !p.periods[1]);
            same(grid.Rank(p.coords), me);
            same(Arrays.toString(grid.Coords(me)), Arrays.toString(p.coords));
            same(grid.Sub(new boolean[] {false, true}).Size(), dims[1]);
            same(grid.Map(new int[] {1}, new boolean[1]), me == 0 ? 0 : -1);
            Cartcomm one = world.Create_cart(new int[] {1}, new boolean[1], false);
            same(one == null, me > 0);
        });
        show("a graph", () -> {
            int[] index = row(n, 1, 1), edges = new int[n];
            for (int i = 0; i < n; i++) edges[i] = (i + 1) % n;
            Graphcomm graph = world.Create_graph(index, edges, false);
            same(Arrays.toString(graph.Neighbours(me)), "[" + next + "]");
            same(graph.Topo_test(), MPI.GRAPH);
            same(graph.Get().index.length, n);
            same(graph.Get().edges[n - 1], 0);
            same(graph.Map(index, edges), me);
        });
        show("two groups", () -> {
            if (n == 1) return;
            Intracomm half = world.Split(me % 2, me);
            Intercomm both = world.Create_intercomm(half, 0, 1 - me % 2, 4);
            check(both.Test_inter() && !world.Test_inter());
            same(both.Size(), half.Size());
            same(both.Remote_size(), n - half.Size());
            same(both.Remote_group().Size(), both.Remote_size());
            if (both.Rank() == 0) {
                int[] in = new int[1];
                both.Sendrecv(new int[] {me}, 0, 1, MPI.INT, 0, 1, in, 0, 1, MPI.INT, 0, 1);
                same(in[0], 1 - me);
            }
            Intracomm all = both.Merge(me % 2 == 1);
            same(all.Size(), n);
            same(all.Rank(), me % 2 == 0 ? me / 2 : (n + 1) / 2 + me / 2);
        });
        show("attributes", () -> {
            check((Integer) world.Attr_get(MPI.TAG_UB) >= 32767);
            same(world.Attr_get(MPI.HOST), MPI.PROC_NULL);
            same(world.Attr_get(MPI.IO), MPI.ANY_SOURCE);
            refused(() -> world.Attr_get(99), "no attribute 99");
            refused(() -> world.Attr_delete(99), "no attribute 99");
        });
    }

    static void environment() throws Exception {
        show("a clock with fractions", () -> {
            double t = MPI.Wtime();
            Thread.sleep(2);
            double passed = MPI.Wtime() - t;
            check(passed > 0.001);
            check(MPI.Wtick() > 0 && MPI.Wtick() < 0.001);
        });
        show("names and ranks", () -> {
            check(!MPI.Get_processor_name().isEmpty());
            same(MPI.COMM_SELF.Size(), 1);
            same(MPI.COMM_NULL.Rank(), -1);
            same(MPI.queryThread(), MPI.THREAD_MULTIPLE);
            check(MPI.isMainThread());
        });
        show("objects and numbers in one collective call are refused", () -> {
            refused(() -> world.Alltoall(new int[n], 0, 1, MPI.INT, new Object[n], 0, 1, MPI.OBJECT));
        });
        show("error handlers have no effect", () -> {
            MPI.Errorhandler_set(MPI.ERRORS_RETURN);
            check(MPI.Errorhandler_get() == null);
            refused(() -> world.Send(new int[1], 0, 1, MPI.INT, n, 0));
        });
    }
}
