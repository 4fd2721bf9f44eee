// examples/HaloExchange.java for the API of MPJ Express, with a grid communicator of that API.

import mpi.*;

public class MpjHalo {
    static final int CELLS = 120, STEPS = 100;

    public static void main(String[] args) throws MPIException {
        MPI.Init(args);
        int[] dims = new int[1];
        Cartcomm.Dims_create(MPI.COMM_WORLD.Size(), dims);
        Cartcomm ring = MPI.COMM_WORLD.Create_cart(dims, new boolean[] {true}, false);
        int me = ring.Get().coords[0], n = ring.Size();
        ShiftParms shift = ring.Shift(0, 1);
        int left = shift.rank_source, right = shift.rank_dest;

        int first = CELLS * me / n, cells = CELLS * (me + 1) / n - first;
        double[] heat = new double[cells + 2], next = new double[cells + 2];
        if (me == 0) heat[1] = 1000;
        for (int step = 0; step < STEPS; step++) {
            ring.Sendrecv(heat, cells, 1, MPI.DOUBLE, right, 0, heat, 0, 1, MPI.DOUBLE, left, 0);
            ring.Sendrecv(heat, 1, 1, MPI.DOUBLE, left, 1, heat, cells + 1, 1, MPI.DOUBLE, right, 1);
            for (int i = 1; i <= cells; i++) next[i] = heat[i] + 0.25 * (heat[i - 1] - 2 * heat[i] + heat[i + 1]);
            double[] swap = heat;
            heat = next;
            next = swap;
        }
        double[] sum = new double[1], max = new double[1];
        for (int i = 1; i <= cells; i++) {
            sum[0] += heat[i];
            max[0] = Math.max(max[0], heat[i]);
        }
        ring.Allreduce(sum, 0, sum, 0, 1, MPI.DOUBLE, MPI.SUM);
        ring.Allreduce(max, 0, max, 0, 1, MPI.DOUBLE, MPI.MAX);
        if (me == 0) System.out.printf(java.util.Locale.ROOT, "heat %.3f, warmest %.3f%n", sum[0], max[0]);
        MPI.Finalize();
    }
}
