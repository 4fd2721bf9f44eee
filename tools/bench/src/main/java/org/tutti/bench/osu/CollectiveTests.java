package org.tutti.bench.osu;

import java.util.ArrayList;
import java.util.List;
import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.IterationPlan;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.TestKind;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;

/// The time of a collective operation: each rank's mean over the iterations, then the mean, minimum and maximum
/// over the ranks. Each call is followed by a barrier, which is not measured. Allreduce also has nccl-tests'
/// columns: the bandwidth that each rank's connection needs with an optimal algorithm, and the number of wrong
/// elements of a result.
final class CollectiveTests extends CollectiveTable {
    private static final String LATENCY = "%s Latency(us)";

    private final boolean allreduce;
    private long insideNanos;

    CollectiveTests(BenchMemory memory, BenchOptions options, Report report) {
        boolean allreduce = options.test().kind() == TestKind.ALLREDUCE;
        super(memory, options, report, allreduce);
        this.allreduce = allreduce;
    }

    @Override
    List<Object> measure(CollectiveUnderTest call, long bytes, IterationPlan pace) {
        Runnable operation = call.run();
        int times = pace.warm(n -> loop(operation, n), bytes);
        world.barrier();
        loop(operation, times);
        return figures(bytes, insideNanos / 1e3 / times, times);
    }

    @Override
    void once(CollectiveUnderTest call) {
        call.run().run();
    }

    private void loop(Runnable operation, int times) {
        Comm comm = world;
        long inside = 0;
        for (int i = 0; i < times; i++) {
            long start = System.nanoTime();
            operation.run();
            inside += System.nanoTime() - start;
            comm.barrier();
        }
        insideNanos = inside;
    }

    @Override
    OsuTable table() {
        OsuTable table = new OsuTable(
                memory, options, report, CollectiveTitle.of(options.test().kind()));
        if (options.test().isSized()) table.line("# Datatype: " + options.type() + ".");
        table.column(LATENCY.formatted("Avg"), "avg_us");
        if (options.full()) {
            table.column(LATENCY.formatted("Min"), "min_us")
                    .column(LATENCY.formatted("Max"), "max_us")
                    .wholeColumn("Iterations", "iterations");
        }
        if (allreduce) table.column("busbw(GB/s)", "busbw_gb_s").wholeColumn("#wrong", "wrong");
        if (options.check()) table.wordColumn("Validation", "validation");
        return table.begin();
    }

    private List<Object> figures(long bytes, double micros, int times) {
        List<Object> figures = new ArrayList<>();
        double mean = world.allreduce(micros, Op.SUM) / world.size();
        figures.add(mean);
        if (options.full()) {
            figures.add(world.allreduce(micros, Op.MIN));
            figures.add(world.allreduce(micros, Op.MAX));
            figures.add(times);
        }
        if (allreduce) {
            double n = world.size();
            figures.add(bytes / (mean * 1e3) * 2 * (n - 1) / n);
        }
        return figures;
    }
}
