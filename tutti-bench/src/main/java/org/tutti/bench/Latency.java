package org.tutti.bench;

import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// Half the time of a message to rank 1 and back, as `osu_latency`. Other ranks wait.
final class Latency {
    /// Two ranks that never pause leave two cores little time for the compiler; after this it is done.
    private static final int FIRST_WARMUP = 300_000;

    private Latency() {}

    static void run(Mpi mpi, BenchOptions options) {
        Comm world = mpi.world();
        if (world.rank() == 0) {
            OsuTable table = new OsuTable(System.out, "Tutti latency test, " + mpi.engineDescription(), "Latency (us)");
            for (long bytes = options.minBytes(); bytes <= options.maxBytes(); bytes = next(bytes)) {
                table.row(bytes, measure(mpi, options, bytes));
            }
        } else if (world.rank() == 1) {
            for (long bytes = options.minBytes(); bytes <= options.maxBytes(); bytes = next(bytes)) {
                measure(mpi, options, bytes);
            }
        }
        world.barrier();
    }

    static long next(long bytes) {
        return bytes == 0 ? 1 : 2 * bytes;
    }

    private static double measure(Mpi mpi, BenchOptions options, long bytes) {
        Buf out = Data.bytes(mpi, options.buffer(), bytes);
        Buf in = Data.bytes(mpi, options.buffer(), bytes);
        return measure(mpi, options, bytes, out, in);
    }

    /// The same of any message that is `bytes` long.
    static double measure(Mpi mpi, BenchOptions options, long bytes, Buf out, Buf in) {
        pingPong(mpi.world(), out, in, bytes == options.minBytes() ? FIRST_WARMUP : options.warmup(bytes));
        int iterations = options.iterations(bytes);
        long start = System.nanoTime();
        pingPong(mpi.world(), out, in, iterations);
        return (System.nanoTime() - start) / 2e3 / iterations;
    }

    private static void pingPong(Comm world, Buf out, Buf in, int times) {
        boolean first = world.rank() == 0;
        for (int i = 0; i < times; i++) {
            if (first) {
                world.send(out, 1, 1);
                world.recv(in, 1, 1);
            } else {
                world.recv(in, 0, 1);
                world.send(out, 0, 1);
            }
        }
    }
}
