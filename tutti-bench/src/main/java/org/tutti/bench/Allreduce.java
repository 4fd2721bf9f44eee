package org.tutti.bench;

import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// Time of an allreduce of floats by sum, mean over the ranks, with a barrier between calls, as `osu_allreduce`.
final class Allreduce {
    private Allreduce() {}

    static void run(Mpi mpi, BenchOptions options) {
        Comm world = mpi.world();
        OsuTable table = null;
        if (world.rank() == 0) {
            String title = "Tutti allreduce test, " + world.size() + " ranks, " + mpi.engineDescription();
            table = new OsuTable(System.out, title, "Avg Latency (us)");
        }
        long smallest = Math.max(options.minBytes(), Datatype.FLOAT.bytes());
        for (long bytes = smallest; bytes <= options.maxBytes(); bytes *= 2) {
            double micros = measure(mpi, options, bytes, bytes == smallest);
            if (table != null) table.row(bytes, micros);
        }
    }

    private static double measure(Mpi mpi, BenchOptions options, long bytes, boolean first) {
        Comm world = mpi.world();
        long count = bytes / Datatype.FLOAT.bytes();
        Buf send = Data.floats(mpi, options.buffer(), count);
        Buf recv = Data.floats(mpi, options.buffer(), count);
        int warmup = first ? options.warmup(options.minBytes()) : options.warmup(bytes);
        loop(world, send, recv, warmup);
        int iterations = options.iterations(bytes);
        double mine = loop(world, send, recv, iterations) / 1e3 / iterations;
        return world.allreduce(mine, Op.SUM) / world.size();
    }

    /// Nanoseconds inside allreduce.
    private static double loop(Comm world, Buf send, Buf recv, int times) {
        long inside = 0;
        for (int i = 0; i < times; i++) {
            world.barrier();
            long start = System.nanoTime();
            world.allreduce(send, recv, Op.SUM);
            inside += System.nanoTime() - start;
        }
        return inside;
    }
}
