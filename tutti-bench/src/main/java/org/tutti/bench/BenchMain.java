package org.tutti.bench;

import org.tutti.mpi.Mpi;

/// The program that every rank of `tutti bench` runs; see [BenchOptions] for its arguments.
public final class BenchMain {
    private BenchMain() {}

    public static void main(String[] args) {
        BenchOptions options = BenchOptions.of(args);
        try (Mpi mpi = Mpi.init(args)) {
            switch (options.what()) {
                case "latency" -> Latency.run(mpi, options);
                case "column" -> Column.run(mpi, options);
                case "allreduce" -> Allreduce.run(mpi, options);
                default -> throw new IllegalArgumentException("no measurement is called " + options.what());
            }
        }
    }
}
