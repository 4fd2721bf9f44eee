/*
 * Computes while messages are in progress.
 *
 * The counterpart of "Overlap Computation and Communication" in "MPI + GPU": start a send and a receive, do other
 * work, wait at the end. The work tests the requests at intervals, so that the messages make progress.
 *
 *     ./tutti run -n 3 examples/NonblockingOverlap.java
 *
 *     rank 0 worked for … ms, waited for … ms: 1000000 numbers from rank 2, the first is 2.0
 *     rank 1 worked for … ms, waited for … ms: 1000000 numbers from rank 0, the first is 0.0
 *     rank 2 worked for … ms, waited for … ms: 1000000 numbers from rank 1, the first is 1.0
 *     pi is about 3.14159
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static final int NUMBERS = 1_000_000, PIECES = 100;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size(), right = (me + 1) % n, left = (me + n - 1) % n;

        double[] out = new double[NUMBERS], in = new double[NUMBERS];
        Arrays.fill(out, me);
        double start = Mpi.wtime(), pi = 0;

        try (Requests requests = mpi.requests()) {
            Request receive = requests.add(world.irecv(buf(in), left));
            requests.add(world.isend(buf(out), right));

            for (int piece = 0; piece < PIECES; piece++) {
                pi += work(piece); // does not use `in` and `out`, which the messages use until the wait
                requests.testAll(); // never waits
            }
            double worked = Mpi.wtime();
            requests.awaitAll();
            double waited = Mpi.wtime() - worked;
            Status status = receive.await(); // is complete by now
            IO.println("rank %d worked for %.1f ms, waited for %.1f ms: %d numbers from rank %d, the first is %s"
                    .formatted(me, 1e3 * (worked - start), 1e3 * waited, status.count(), status.source(), in[0]));
        }

        // Collective operations can be nonblocking, too: the mean of the ranks' results.
        double[] mean = {pi / n};
        Request sum = world.iallreduce(Buf.IN_PLACE, buf(mean), Op.SUM);
        sum.await();
        if (me == 0) IO.println("pi is about %.5f".formatted(mean[0]));
    }
}

/// Returns the sum of 10,000 terms of the series 4 - 4/3 + 4/5 - 4/7 … = π.
static double work(int piece) {
    double sum = 0;
    for (int i = piece * 10_000; i < (piece + 1) * 10_000; i++) sum += (i % 2 == 0 ? 4.0 : -4.0) / (2 * i + 1);
    return sum;
}
