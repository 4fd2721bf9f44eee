package org.tutti.bench.mpi4py;

import java.util.List;
import java.util.Locale;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// Every rank prints a greeting, in rank order.
final class HelloWorld {
    private HelloWorld() {}

    static void run(Mpi mpi, BenchOptions options, Report report) {
        Comm world = mpi.world();
        int width = Integer.toString(world.size() - 1).length();
        String text = String.format(
                Locale.ROOT,
                "Hello, World! I am process %" + width + "d of %d on %s.",
                world.rank(),
                world.size(),
                mpi.processorName());
        List<String> all = world.gatherObject(text, 0);
        if (all != null && !options.quiet()) all.forEach(report::text);
    }
}
