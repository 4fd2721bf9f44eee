// examples/ScatterComputeGather.java for Open MPI's Java bindings.

import mpi.*;

public class OpenMpiScatterGather {
    static final int PART = 1000;

    public static void main(String[] args) throws MPIException {
        MPI.Init(args);
        int me = MPI.COMM_WORLD.getRank(), n = MPI.COMM_WORLD.getSize();
        double[] data = me == 0 ? new double[n * PART] : null, part = new double[PART];
        for (int i = 0; me == 0 && i < data.length; i++) data[i] = (double) i * i;

        MPI.COMM_WORLD.scatter(data, PART, MPI.DOUBLE, part, PART, MPI.DOUBLE, 0);
        for (int i = 0; i < PART; i++) part[i] = Math.sqrt(part[i]);
        MPI.COMM_WORLD.gather(part, PART, MPI.DOUBLE, data, PART, MPI.DOUBLE, 0);
        if (me == 0) System.out.println(data.length + " roots, the last is " + data[data.length - 1]);
        MPI.Finalize();
    }
}
