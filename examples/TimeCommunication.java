/*
 * Measures the cost of communication: compared with computation, for small calls and a large call, and by message
 * size.
 *
 * The counterpart of "Performance Monitoring" and of "Minimize Communication" in "MPI + GPU". For reliable figures
 * use ./tutti bench.
 *
 *     ./tutti run -n 2 examples/TimeCommunication.java
 *
 *     computation … s, communication … s: … % is communication
 *     200 sums of one number: … µs; one sum of 200 numbers: … µs
 *          bytes   µs one way       MB/s
 *              8        …
 *            128        …
 *           2048        …
 *          32768        …
 *         524288        …
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static final int ROUNDS = 200;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        if (world.size() < 2) throw new IllegalArgumentException("this takes at least 2 ranks: tutti run -n 2 …");
        computationAndCommunication(world);
        manySmallOrOneLarge(world);
        bySize(world);
    }
}

void computationAndCommunication(Comm world) {
    double computing = 0, communicating = 0, result = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = Mpi.wtime();
        for (int i = 1; i <= 50_000; i++) result += 1.0 / i;
        double middle = Mpi.wtime();
        result = world.allreduce(result, Op.MAX);
        computing += middle - start;
        communicating += Mpi.wtime() - middle;
    }
    if (world.rank() == 0) {
        IO.println("computation %.4f s, communication %.4f s: %.1f %% is communication"
                .formatted(computing, communicating, 100 * communicating / (computing + communicating)));
    }
}

void manySmallOrOneLarge(Comm world) {
    double[] numbers = new double[ROUNDS];
    double start = Mpi.wtime();
    for (int i = 0; i < ROUNDS; i++) numbers[i] = world.allreduce((double) i, Op.SUM);
    double middle = Mpi.wtime();
    world.allreduce(buf(numbers), Op.SUM);
    double end = Mpi.wtime();
    if (world.rank() == 0) {
        IO.println("%d sums of one number: %.0f µs; one sum of %d numbers: %.0f µs"
                .formatted(ROUNDS, 1e6 * (middle - start), ROUNDS, 1e6 * (end - middle)));
    }
}

/// Ranks 0 and 1 exchange a message; the one-way time is half of the round trip.
void bySize(Comm world) {
    int me = world.rank();
    if (me == 0) IO.println("     bytes   µs one way       MB/s");
    for (int bytes = 8; bytes <= 1 << 20; bytes *= 16) {
        Buf message = buf(new byte[bytes]);
        world.barrier();
        double start = 0;
        for (int round = -ROUNDS; round < ROUNDS; round++) {
            if (round == 0) start = Mpi.wtime(); // the previous rounds were for warm-up
            if (me == 0) world.send(message, 1);
            if (me < 2) world.recv(message, 1 - me);
            if (me == 1) world.send(message, 0);
        }
        double seconds = (Mpi.wtime() - start) / (2 * ROUNDS);
        if (me == 0) IO.println("%10d %12.2f %10.1f".formatted(bytes, 1e6 * seconds, 1e-6 * bytes / seconds));
    }
}
