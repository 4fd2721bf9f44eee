package org.tutti.bench.mpi4py;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.futures.RankPool;
import org.tutti.futures.Tasks;
import org.tutti.mpi.Mpi;

/// Tasks that receive and return bytes, on all ranks but 0: mean and standard deviation of the time of a number
/// of tasks.
final class PoolTasks {
    /// The minimum warm-up time of a size, unless `-s` specifies the number of warm-up iterations.
    private static final double WARM_NANOS = 0.5e9;

    private PoolTasks() {}

    static boolean run(Mpi mpi, BenchOptions options, Report report) {
        Boolean right = RankPool.call(mpi.world(), 0, pool -> lead(pool, options, report));
        return right == null || right;
    }

    private static boolean lead(RankPool pool, BenchOptions options, Report report) {
        String format = "%10d%18.2f";
        if (options.header() && !options.quiet()) {
            report.text("# MPI Futures Test, workers: " + pool.workerCount() + ", tasks: " + options.tasks()
                    + ", in a message: " + (options.chunk() == 0 ? "automatic" : options.chunk()));
            report.text("# Size [B]          Tasks/s"
                    + (options.stats() ? " | Time Mean [s] \u00b1 StdDev [s]  Samples" : ""));
        }
        if (options.stats()) format += " | %.7e \u00b1 %.4e %8d";
        report.table(options.quiet() ? "" : format, "bytes", "tasks_s", "mean_s", "stddev_s", "samples");
        Tasks tasks = options.chunk() == 0 ? pool : pool.withChunkSize(options.chunk());
        boolean right = true;
        for (long bytes : options.sizes()) right &= measure(tasks, bytes, options, report);
        return right;
    }

    private static boolean measure(Tasks pool, long bytes, BenchOptions options, Report report) {
        report.now(bytes + " bytes");
        byte[] value = new byte[Math.toIntExact(bytes)];
        Arrays.fill(value, (byte) 42);
        List<byte[]> values = Collections.nCopies(options.tasks(), value);
        boolean right = pool.map(x -> x, List.of(value)).stream().allMatch(x -> Arrays.equals(x, value));
        long begin = System.nanoTime();
        boolean unsaid = options.warmup() == BenchOptions.UNSAID;
        for (int i = 0; unsaid ? System.nanoTime() - begin < WARM_NANOS : i < options.warmup(); i++) once(pool, values);
        double[] seconds = new double[options.iterations()];
        for (int i = 0; i < seconds.length; i++) seconds[i] = once(pool, values);
        double mean = Arrays.stream(seconds).average().orElse(Double.NaN);
        double squares =
                Arrays.stream(seconds).map(s -> (s - mean) * (s - mean)).sum();
        double deviation = seconds.length > 1 ? Math.sqrt(squares / (seconds.length - 1)) : 0;
        report.row(bytes, options.tasks() / mean, mean, deviation, seconds.length);
        if (!right) report.text("the returned data differs from the sent data");
        return right;
    }

    private static double once(Tasks pool, List<byte[]> values) {
        long start = System.nanoTime();
        for (byte[] result : pool.map(x -> x, values)) if (result == null) throw new AssertionError("no bytes");
        return (System.nanoTime() - start) / 1e9;
    }
}
