package org.tutti.bench.osu;

import java.util.ArrayList;
import java.util.List;
import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.IterationPlan;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Op;
import org.tutti.mpi.Request;

/// The overlap of a nonblocking collective operation with computation. First the operation is measured without
/// computation, from start to wait; then with computation of the same length between start and wait, and with
/// calls of `test` in between if requested (Tutti's ranks make progress inside calls). Overlap is the fraction
/// of the operation's time that does not add to the time of the computation.
final class Overlaps extends CollectiveTable {
    private static final int ALL = 100;
    private static final int MOST_WARMUP = 2000;
    private static final double NANOS_OF_MICRO = 1e3;

    /// Steps of computation between two reads of the clock.
    private static final int STEPS = 50;

    /// Sums over the iterations of a loop, in nanoseconds.
    private long overall, start, compute, test, await;

    private double junk = 1;

    Overlaps(BenchMemory memory, BenchOptions options, Report report) {
        super(memory, options, report, false);
    }

    @Override
    List<Object> measure(CollectiveUnderTest call, long bytes, IterationPlan pace) {
        int times = pace.warm(n -> loop(call, n, 0), bytes);
        world.barrier();
        loop(call, times, 0);
        double pure = mean(overall, times);
        long nanos = (long) (pure * NANOS_OF_MICRO);
        loop(call, Math.min(times, MOST_WARMUP), nanos); // also compiles the code of the overlap
        loop(call, times, nanos);
        return figures(pure, times);
    }

    @Override
    void once(CollectiveUnderTest call) {
        call.start().get().await();
    }

    /// @param nanos the computation time in each iteration
    private void loop(CollectiveUnderTest call, int times, long nanos) {
        overall = start = compute = test = await = 0;
        for (int i = 0; i < times; i++) {
            long begin = System.nanoTime();
            Request request = call.start().get();
            long started = System.nanoTime();
            if (nanos > 0) computeAndTest(request, started, nanos);
            long computed = System.nanoTime();
            request.await();
            long end = System.nanoTime();
            overall += end - begin;
            start += started - begin;
            compute += computed - started;
            await += end - computed;
            world.barrier();
        }
    }

    /// Computes for `nanos` in total, excluding the time of the calls of `test`.
    private void computeAndTest(Request request, long from, long nanos) {
        int parts = options.tests() + 1;
        long testing = 0, now = from;
        for (int part = 1; part <= parts; part++) {
            long until = from + testing + nanos * part / parts;
            while (now < until) {
                work();
                now = System.nanoTime();
            }
            if (part == parts) break;
            request.test();
            long after = System.nanoTime();
            testing += after - now;
            now = after;
        }
        test += testing;
    }

    private void work() {
        double x = junk;
        for (int i = 0; i < STEPS; i++) x = x * 1.000001 + 1e-9;
        junk = x > 1e9 ? 1 : x;
    }

    @Override
    OsuTable table() {
        OsuTable table = new OsuTable(
                memory,
                options,
                report,
                CollectiveTitle.ofNonblocking(options.test().kind()));
        table.line("# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait").line("");
        if (options.test().isSized()) table.line("# Datatype: " + options.type() + ".");
        table.column("Overall(us)", "overall_us").column("Compute(us)", "compute_us");
        if (options.full()) {
            table.column("Coll. Init(us)", "init_us")
                    .column("MPI_Test(us)", "test_us")
                    .column("MPI_Wait(us)", "wait_us");
        }
        table.column("Pure Comm.(us)", "pure_us").column("Overlap(%)", "overlap_percent");
        if (options.full()) table.wholeColumn("Iterations", "iterations");
        if (options.check()) table.wordColumn("Validation", "validation");
        return table.begin();
    }

    private List<Object> figures(double pure, int times) {
        double all = mean(overall, times), computing = mean(compute - test, times);
        List<Object> figures = new ArrayList<>(List.of(all, computing));
        double starting = mean(start, times), testing = mean(test, times), waiting = mean(await, times);
        if (options.full()) figures.addAll(List.of(starting, testing, waiting));
        figures.add(pure);
        figures.add(Math.clamp(ALL - (all - computing) / pure * ALL, 0, ALL));
        if (options.full()) figures.add(times);
        return figures;
    }

    /// Returns the microseconds per iteration, mean over the ranks.
    private double mean(long nanos, int times) {
        return world.allreduce(nanos / 1e3 / times, Op.SUM) / world.size();
    }
}
