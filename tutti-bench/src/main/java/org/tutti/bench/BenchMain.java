package org.tutti.bench;

import org.tutti.bench.measure.Report;
import org.tutti.bench.mpi4py.Mpi4py;
import org.tutti.bench.osu.Osu;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Mpi;

/// The program that every rank of `tutti bench` runs; [Bench] starts it and reads what rank 0 tells.
public final class BenchMain {
    private BenchMain() {}

    public static void main(String[] args) {
        BenchOptions options = BenchOptions.of(args);
        boolean right;
        try (Mpi mpi = Mpi.init(args)) {
            Report report = new Report(mpi);
            boolean osu = options.test().family().isOsu();
            right = osu ? Osu.run(mpi, options, report) : Mpi4py.run(mpi, options, report);
        }
        if (!right) System.exit(1);
    }
}
