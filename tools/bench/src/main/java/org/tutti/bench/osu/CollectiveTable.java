package org.tutti.bench.osu;

import java.util.List;
import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.IterationPlan;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;

/// Measures a collective operation for every size, one row for each. If requested, each measurement is followed
/// by one call with verified data.
abstract class CollectiveTable {
    final BenchMemory memory;
    final Comm world;
    final BenchOptions options;
    final Report report;
    private final boolean countsWrong;

    /// @param countsWrong whether every row contains the number of wrong elements, even if not requested
    CollectiveTable(BenchMemory memory, BenchOptions options, Report report, boolean countsWrong) {
        this.memory = memory;
        this.world = memory.mpi().world();
        this.options = options;
        this.report = report;
        this.countsWrong = countsWrong;
    }

    /// Returns a new table with all columns.
    abstract OsuTable table();

    /// Returns the values of a row.
    abstract List<Object> measure(CollectiveUnderTest call, long bytes, IterationPlan pace);

    /// Executes one call, in the form that is measured: blocking or nonblocking.
    abstract void once(CollectiveUnderTest call);

    /// Returns whether all verified data was correct.
    final boolean run() {
        OsuTable table = table();
        IterationPlan pace = new IterationPlan(world, world.size(), options);
        boolean right = true;
        for (long bytes : options.sizes()) {
            report.now(options.test().isSized() ? bytes + " bytes" : "");
            CollectiveUnderTest call = CollectiveUnderTest.of(memory, options, bytes);
            List<Object> row = measure(call, bytes, pace);
            if (options.check() || countsWrong) {
                long wrong = wrong(call);
                right &= wrong == 0;
                if (countsWrong) row.add(wrong);
                if (options.check()) row.add(wrong == 0 ? "Pass" : "Fail");
            }
            table.row(bytes, row);
            memory.free();
        }
        return right;
    }

    /// Returns the number of wrong elements on all ranks.
    private long wrong(CollectiveUnderTest call) {
        call.prepare().run();
        world.barrier();
        once(call);
        return world.allreduce(call.wrong().getAsLong(), Op.SUM);
    }
}
