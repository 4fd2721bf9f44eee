// examples/HaloExchange.java for Open MPI's Java bindings, with a grid communicator. A part of an array is sent
// as a slice of a buffer.

import java.nio.DoubleBuffer;
import mpi.*;

public class OpenMpiHalo {
    static final int CELLS = 120, STEPS = 100;

    public static void main(String[] args) throws MPIException {
        MPI.Init(args);
        int[] dims = new int[1];
        CartComm.createDims(MPI.COMM_WORLD.getSize(), dims);
        CartComm ring = MPI.COMM_WORLD.createCart(dims, new boolean[] {true}, false);
        int me = ring.getTopo().getCoord(0), n = ring.getSize();
        ShiftParms shift = ring.shift(0, 1);
        int left = shift.getRankSource(), right = shift.getRankDest();

        int first = CELLS * me / n, cells = CELLS * (me + 1) / n - first;
        DoubleBuffer heat = MPI.newDoubleBuffer(cells + 2), next = MPI.newDoubleBuffer(cells + 2);
        if (me == 0) heat.put(1, 1000);
        for (int step = 0; step < STEPS; step++) {
            ring.sendRecv(MPI.slice(heat, cells), 1, MPI.DOUBLE, right, 0, heat, 1, MPI.DOUBLE, left, 0);
            ring.sendRecv(MPI.slice(heat, 1), 1, MPI.DOUBLE, left, 1, MPI.slice(heat, cells + 1), 1, MPI.DOUBLE, right, 1);
            for (int i = 1; i <= cells; i++) {
                next.put(i, heat.get(i) + 0.25 * (heat.get(i - 1) - 2 * heat.get(i) + heat.get(i + 1)));
            }
            DoubleBuffer swap = heat;
            heat = next;
            next = swap;
        }
        double[] sum = new double[1], max = new double[1];
        for (int i = 1; i <= cells; i++) {
            sum[0] += heat.get(i);
            max[0] = Math.max(max[0], heat.get(i));
        }
        ring.allReduce(sum, 1, MPI.DOUBLE, MPI.SUM);
        ring.allReduce(max, 1, MPI.DOUBLE, MPI.MAX);
        if (me == 0) System.out.printf(java.util.Locale.ROOT, "heat %.3f, warmest %.3f%n", sum[0], max[0]);
        MPI.Finalize();
    }
}
