package org.tutti.bench;

import org.tutti.bench.kernels.Kernels;
import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.Report;
import org.tutti.bench.mpi4py.Mpi4py;
import org.tutti.bench.osu.Osu;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Mpi;

/// The program that every rank of `tutti bench` runs; [Bench] starts it and parses the output of rank 0.
public final class BenchMain {
    private BenchMain() {}

    public static void main(String[] args) {
        BenchOptions options = BenchOptions.of(args);
        boolean right;
        try (Mpi mpi = Mpi.init()) {
            right = run(mpi, options);
        }
        if (!right) System.exit(1);
    }

    /// Runs one measurement in a job that may run several. Collective over all ranks. Returns whether all
    /// checked data was correct, on all ranks.
    public static boolean run(Mpi mpi, BenchOptions options) {
        if (options.test().isKernel()) {
            Kernels.run(mpi, options, new Report(mpi));
            return true;
        }
        try (BenchMemory memory = BenchMemory.open(mpi, options.storage())) {
            Report report = new Report(mpi);
            if (memory.isOfDevices()) report.device(memory.words());
            return options.test().family().isOsu()
                    ? Osu.run(memory, options, report)
                    : Mpi4py.run(memory, options, report);
        }
    }
}
