package org.tutti.bench.osu;

import java.util.List;
import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.IterationPlan;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;

/// A collective operation on data of every size, a row for each: measured first, then called once more on data
/// that is looked at, if that was asked for.
abstract class CollectiveTable {
    final BenchMemory memory;
    final Comm world;
    final BenchOptions options;
    final Report report;
    private final boolean countsWrong;

    /// @param countsWrong whether every row has the number of wrong elements, asked for or not
    CollectiveTable(BenchMemory memory, BenchOptions options, Report report, boolean countsWrong) {
        this.memory = memory;
        this.world = memory.mpi().world();
        this.options = options;
        this.report = report;
        this.countsWrong = countsWrong;
    }

    /// With all columns, and begun.
    abstract OsuTable table();

    /// The figures of a row.
    abstract List<Object> measure(CollectiveUnderTest call, long bytes, IterationPlan pace);

    /// One call, in the form that is measured.
    abstract void once(CollectiveUnderTest call);

    /// Whether all that was looked at was right.
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

    /// On all ranks together.
    private long wrong(CollectiveUnderTest call) {
        call.prepare().run();
        world.barrier();
        once(call);
        return world.allreduce(call.wrong().getAsLong(), Op.SUM);
    }
}
