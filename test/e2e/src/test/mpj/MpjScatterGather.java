// examples/ScatterComputeGather.java for the API of MPJ Express.

import mpi.*;

public class MpjScatterGather {
    static final int PART = 1000;

    public static void main(String[] args) throws MPIException {
        MPI.Init(args);
        int me = MPI.COMM_WORLD.Rank(), n = MPI.COMM_WORLD.Size();
        double[] data = new double[me == 0 ? n * PART : 0], part = new double[PART];
        for (int i = 0; i < data.length; i++) data[i] = (double) i * i;

        MPI.COMM_WORLD.Scatter(data, 0, PART, MPI.DOUBLE, part, 0, PART, MPI.DOUBLE, 0);
        for (int i = 0; i < PART; i++) part[i] = Math.sqrt(part[i]);
        MPI.COMM_WORLD.Gather(part, 0, PART, MPI.DOUBLE, data, 0, PART, MPI.DOUBLE, 0);
        if (me == 0) System.out.println(data.length + " roots, the last is " + data[data.length - 1]);
        MPI.Finalize();
    }
}
