/*
 * One rank fails, all ranks agree on the failure, and all stop together.
 *
 * The counterpart of "Error Handling" in "MPI + GPU". A rank that returns early or throws an exception ends the
 * whole job immediately. An allreduce after each step distributes the failure to all ranks, which then finish
 * in an orderly way, here by printing a line.
 *
 *     ./tutti run -n 4 examples/AgreeOnErrors.java
 *
 *     rank 2 failed in step 3: cannot open part-2
 *     rank 0 stops after step 3 because of rank 2
 *     rank 1 stops after step 3 because of rank 2
 *     rank 2 stops after step 3 because of rank 2
 *     rank 3 stops after step 3 because of rank 2
 */

import org.tutti.mpi.*;

static final int NONE = -1;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank();

        for (int step = 1; step <= 10; step++) {
            int failed = NONE;
            try {
                compute(me, step);
            } catch (IOException e) {
                IO.println("rank " + me + " failed in step " + step + ": " + e.getMessage());
                failed = me;
            }
            // All ranks call this, including a failed rank. The result is the highest failed rank, or NONE.
            failed = world.allreduce(failed, Op.MAX);
            if (failed != NONE) {
                IO.println("rank " + me + " stops after step " + step + " because of rank " + failed);
                return; // mpi.abort(1) would end the job immediately instead, with exit code 1
            }
        }
    }
}

static void compute(int me, int step) throws IOException {
    if (me == 2 && step == 3) throw new IOException("cannot open part-2");
}
