/*
 * π as the area under 4 / (1 + x²) from 0 to 1, in slices distributed over all ranks.
 *
 * The computation of manager.py and worker.py in "Towards Python MPI for Artificial Intelligence and Deep Learning
 * Research": one rank broadcasts the number of slices, and gets the sum of the results. There the manager starts the
 * workers; here all ranks are started together.
 *
 *     ./tutti run -n 4 examples/Pi.java
 *
 *     rank 0 adds up 2500000 of 10000000 slices
 *     rank 1 adds up 2500000 of 10000000 slices
 *     rank 2 adds up 2500000 of 10000000 slices
 *     rank 3 adds up 2500000 of 10000000 slices
 *     pi is about 3.1415926536, error …, … s
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main(String[] args) {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        int[] slices = new int[1];
        if (me == 0) slices[0] = args.length > 0 ? Integer.parseInt(args[0]) : 10_000_000;
        world.bcast(buf(slices), 0);

        double start = Mpi.wtime();
        double width = 1.0 / slices[0], heights = 0;
        int count = 0;
        for (int i = me; i < slices[0]; i += n) {
            double x = (i + 0.5) * width;
            heights += 4 / (1 + x * x);
            count++;
        }
        IO.println("rank " + me + " adds up " + count + " of " + slices[0] + " slices");

        double[] area = {heights * width};
        world.reduce(buf(area), Op.SUM, 0); // in place: rank 0 has the sum afterwards
        double seconds = Mpi.wtime() - start;

        if (me == 0) {
            double error = Math.abs(area[0] - Math.PI);
            IO.println("pi is about %.10f, error %.1e, %.3f s".formatted(area[0], error, seconds));
        }
    }
}
