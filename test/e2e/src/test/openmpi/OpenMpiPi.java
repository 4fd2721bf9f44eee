// examples/Pi.java for Open MPI's Java bindings.

import mpi.*;

public class OpenMpiPi {
    public static void main(String[] args) throws MPIException {
        args = MPI.Init(args);
        int me = MPI.COMM_WORLD.getRank(), n = MPI.COMM_WORLD.getSize();
        int[] slices = {me == 0 ? Integer.parseInt(args[0]) : 0};
        MPI.COMM_WORLD.bcast(slices, 1, MPI.INT, 0);

        double start = MPI.wtime(), width = 1.0 / slices[0], heights = 0;
        for (int i = me; i < slices[0]; i += n) {
            double x = (i + 0.5) * width;
            heights += 4 / (1 + x * x);
        }
        double[] mine = {heights * width}, area = new double[1];
        MPI.COMM_WORLD.reduce(mine, area, 1, MPI.DOUBLE, MPI.SUM, 0);
        if (me == 0 && MPI.wtime() >= start) System.out.printf(java.util.Locale.ROOT, "pi is about %.6f%n", area[0]);
        MPI.Finalize();
    }
}
