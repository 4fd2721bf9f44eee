package org.tutti.bench.mpi4py;

import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.IterationPlan;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.Storage;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;

/// Half the round-trip time of a message to rank 1: mean and standard deviation over the round trips, which are
/// measured one by one. Other ranks wait.
final class PingPongTest {
    private static final int TAG = 0;
    private static final int BLOCK = 1024;
    private static final double MEGA = 1e6;

    private PingPongTest() {}

    /// One round trip.
    private interface Turn {
        void run();
    }

    static void run(BenchMemory memory, BenchOptions options, Report report) {
        Comm world = memory.mpi().world();
        String format = "%10d%18.2f";
        if (options.header() && !options.quiet()) {
            report.text("# MPI PingPong Test");
            report.text("# Size [B]  Bandwidth [MB/s]"
                    + (options.stats() ? " | Time Mean [s] \u00b1 StdDev [s]  Samples" : ""));
        }
        if (options.stats()) format += " | %.7e \u00b1 %.4e %8d";
        report.table(options.quiet() ? "" : format, "bytes", "mb_s", "mean_s", "stddev_s", "samples");
        IterationPlan pace = new IterationPlan(world, 2, options);
        for (long bytes : options.sizes()) {
            report.now(bytes + " bytes");
            world.barrier();
            if (world.rank() > 1) continue;
            Turn turn = turn(memory, options, bytes);
            int times = options.steps().loop(bytes, options.iterations());
            warm(pace, turn, options, bytes);
            measure(turn, bytes, times, report);
            memory.free();
        }
        world.barrier();
    }

    private static void warm(IterationPlan pace, Turn turn, BenchOptions options, long bytes) {
        if (options.warmup() == BenchOptions.UNSAID) pace.warm(n -> warm(turn, n), bytes);
        else warm(turn, options.steps().skip(bytes, options.warmup()));
    }

    private static void warm(Turn turn, int times) {
        double[] unused = new double[BLOCK];
        for (int left = times; left > 0; left -= BLOCK) loop(turn, unused, Math.min(left, BLOCK));
    }

    private static void measure(Turn turn, long bytes, int times, Report report) {
        double[] seconds = new double[times];
        loop(turn, seconds, times);
        double sum = 0, squares = 0;
        for (double s : seconds) sum += s;
        double mean = times == 0 ? Double.NaN : sum / times;
        for (double s : seconds) squares += (s - mean) * (s - mean);
        double deviation = times > 1 ? Math.sqrt(squares / (times - 1)) : 0;
        report.row(bytes, bytes / mean / MEGA, mean, deviation, times);
    }

    private static void loop(Turn turn, double[] seconds, int times) {
        for (int i = 0; i < times; i++) {
            long start = System.nanoTime();
            turn.run();
            seconds[i] = (System.nanoTime() - start) / 2e9;
        }
    }

    private static Turn turn(BenchMemory memory, BenchOptions options, long bytes) {
        Comm world = memory.mpi().world();
        int other = 1 - world.rank();
        boolean first = world.rank() == 0;
        if (options.storage() == Storage.OBJECT) {
            byte[] value = new byte[Math.toIntExact(bytes)];
            return first
                    ? () -> {
                        world.sendObject(value, other, TAG);
                        world.recvObject(byte[].class, other, TAG);
                    }
                    : () -> {
                        world.recvObject(byte[].class, other, TAG);
                        world.sendObject(value, other, TAG);
                    };
        }
        Buf out = memory.data(options.type(), bytes).buf();
        Buf in = memory.data(options.type(), bytes).buf();
        return first
                ? () -> {
                    world.send(out, other, TAG);
                    world.recv(in, other, TAG);
                }
                : () -> {
                    world.recv(in, other, TAG);
                    world.send(out, other, TAG);
                };
    }
}
