package org.tutti.bench.osu;

import java.util.ArrayList;
import java.util.List;
import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.IterationPlan;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.BenchTest;
import org.tutti.bench.plan.Family;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// `osu_latency`, `osu_bw`, `osu_bibw`, `osu_multi_lat`, `osu_mbw_mr`, `osu_put_latency` and similar tests: of
/// the ranks that take part, rank r of the first half communicates with rank r of the second half. The other
/// ranks wait.
final class Pairs {
    private static final double MEGA = 1e6;

    private final BenchMemory memory;
    private final Mpi mpi;
    private final Comm world;
    private final BenchOptions options;
    private final BenchTest test;
    private final Report report;
    private final int pairs;

    Pairs(BenchMemory memory, BenchOptions options, Report report) {
        this.memory = memory;
        this.mpi = memory.mpi();
        this.world = mpi.world();
        this.options = options;
        this.test = options.test();
        this.report = report;
        this.pairs = test.family() == Family.PAIRS ? world.size() / 2 : 1;
    }

    boolean run() {
        OsuTable table = table();
        IterationPlan pace = new IterationPlan(world, 2 * pairs, options);
        boolean right = true;
        for (long bytes : options.sizes()) {
            report.now(test.isSized() ? bytes + " bytes" : "");
            MessageExchange exchange = world.rank() < 2 * pairs ? exchange(bytes) : null;
            double nanos = 0;
            int times = 1;
            if (exchange != null) {
                times = pace.warm(exchange, bytes);
                if (pairs > 1) world.barrier();
                long start = System.nanoTime();
                exchange.run(times);
                nanos = (double) (System.nanoTime() - start) / times;
            } else if (pairs > 1) {
                world.barrier();
            }
            long wrong = options.check() ? world.allreduce(exchange == null ? 0 : exchange.wrong(), Op.SUM) : 0;
            right &= wrong == 0;
            List<Object> row = new ArrayList<>(figures(bytes, nanos, times));
            if (options.check()) row.add(wrong == 0 ? "Pass" : "Fail");
            table.row(bytes, row);
            if (exchange != null) exchange.close();
            memory.free();
        }
        world.barrier();
        return right;
    }

    private MessageExchange exchange(long bytes) {
        boolean first = world.rank() < pairs;
        int peer = first ? world.rank() + pairs : world.rank() - pairs;
        return switch (test) {
            case BW, MBW_MR -> Stream.of(memory, options, peer, bytes, first, false);
            case BIBW -> Stream.of(memory, options, peer, bytes, first, true);
            case COLUMN -> LatencyTest.ofColumn(memory, options, peer, first, bytes);
            case OBJECT -> LatencyTest.ofMap(mpi, peer, first);
            case PUT_LATENCY, GET_LATENCY, PUT_BW, GET_BW, ACC_LATENCY, GET_ACC_LATENCY, FOP_LATENCY, CAS_LATENCY ->
                new AccessTest(memory, options, first, bytes);
            default -> LatencyTest.of(memory, options, peer, first, bytes);
        };
    }

    private OsuTable table() {
        OsuTable table = new OsuTable(memory, options, report, title());
        if (test == BenchTest.MBW_MR) {
            table.line("# [ pairs: " + pairs + " ] [ window size: " + options.window() + " ]");
        }
        if (test.isSized())
            table.line("# Datatype: " + (test == BenchTest.COLUMN ? "DOUBLE, strided" : options.type()) + ".");
        switch (test) {
            case BW, BIBW, PUT_BW, GET_BW -> table.column("Bandwidth (MB/s)", "mb_s");
            case MBW_MR -> table.column("MB/s", "mb_s").column("Messages/s", "messages_s");
            default -> table.column("Avg Latency(us)", "avg_us");
        }
        if (test == BenchTest.MULTI_LAT && options.full()) {
            table.column("Min Latency(us)", "min_us").column("Max Latency(us)", "max_us");
        }
        if (options.full()) table.wholeColumn("Iterations", "iterations");
        if (options.check()) table.wordColumn("Validation", "validation");
        return table.begin();
    }

    private String title() {
        return switch (test) {
            case BW -> "MPI Bandwidth";
            case BIBW -> "MPI Bi-Directional Bandwidth";
            case MULTI_LAT -> "MPI Multi Latency";
            case MBW_MR -> "MPI Multiple Bandwidth / Message Rate";
            case COLUMN -> "MPI Latency of a Column";
            case OBJECT -> "MPI Latency of a Map";
            case PUT_LATENCY -> "MPI_Put Latency";
            case GET_LATENCY -> "MPI_Get Latency";
            case PUT_BW -> "MPI_Put Bandwidth";
            case GET_BW -> "MPI_Get Bandwidth";
            case ACC_LATENCY -> "MPI_Accumulate Latency";
            case GET_ACC_LATENCY -> "MPI_Get_accumulate Latency";
            case FOP_LATENCY -> "MPI_Fetch_and_op Latency";
            case CAS_LATENCY -> "MPI_Compare_and_swap Latency";
            default -> "MPI Latency";
        };
    }

    /// Returns the printed values of a size.
    ///
    /// @param nanos the time of an iteration, on this rank
    private List<Object> figures(long bytes, double nanos, int times) {
        List<Object> figures = new ArrayList<>();
        if (test.isBandwidth()) {
            double slowest = pairs == 1 ? nanos : world.allreduce(nanos, Op.MAX);
            double messages = (double) options.window() * pairs * (test == BenchTest.BIBW ? 2 : 1) / (slowest / 1e9);
            figures.add(bytes * messages / MEGA);
            if (test == BenchTest.MBW_MR) figures.add(messages);
        } else {
            // an iteration is a round trip of two messages, or a single access
            double micros = nanos / (test.family() == Family.ONE_SIDED ? 1e3 : 2e3);
            boolean sends = world.rank() < pairs;
            figures.add(pairs == 1 ? micros : world.allreduce(sends ? micros : 0, Op.SUM) / pairs);
            if (test == BenchTest.MULTI_LAT && options.full()) {
                figures.add(world.allreduce(sends ? micros : Double.MAX_VALUE, Op.MIN));
                figures.add(world.allreduce(sends ? micros : 0, Op.MAX));
            }
        }
        if (options.full()) figures.add(times);
        return figures;
    }
}
