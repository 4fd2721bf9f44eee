/*
 * A manager starts five workers, sends the number of intervals to each, and adds up the results: the area under 4 /
 * (1 + x²), which is pi. Manager and workers are two worlds, connected by an intercommunicator.
 *
 *     ./tutti run -n 1 --engine shm examples/SpawnPi.java
 *
 *     5 workers find 3.141601
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static void main(String[] args) {
    try (Mpi mpi = Mpi.init()) {
        Intercomm workers = mpi.self().spawn(5, own -> work(own));
        int[] n = {100};
        workers.bcast(buf(n), Comm.ROOT);
        double[] pi = {0};
        workers.reduce(Buf.NONE, buf(pi), Op.SUM, Comm.ROOT);
        IO.println("%d workers find %.6f".formatted(workers.remoteSize(), pi[0]));
        workers.disconnect();
    }
}

/** Runs in each worker process. */
static void work(String[] args) {
    try (Mpi mpi = Mpi.init()) {
        Intercomm manager = mpi.parent();
        int[] n = {0};
        manager.bcast(buf(n), 0);
        double h = 1.0 / n[0];
        double sum = 0;
        for (int i = manager.rank(); i < n[0]; i += manager.size()) {
            double x = h * (i + 0.5);
            sum += 4.0 / (1.0 + x * x);
        }
        manager.reduce(buf(new double[] {sum * h}), Buf.NONE, Op.SUM, 0);
        manager.disconnect();
    }
}
