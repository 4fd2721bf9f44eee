package org.tutti.bench.kernels;

import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.BenchTest;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// Runs a kernel, checks the result and reports the time.
public final class Kernels {
    private static final double MILLI = 1e3, MICRO = 1e6;

    private Kernels() {}

    /// Runs a kernel and reports a table with a single row. Collective over all ranks.
    public static void run(Mpi mpi, BenchOptions options, Report report) {
        BenchTest test = options.test();
        int iterations = options.iterations();
        report.text("# Tutti " + test.word() + " Kernel, " + mpi.world().size() + " ranks, " + mpi.engineDescription());
        report.text("# Total(ms)   Per Iteration(us)    Iterations          Checksum");
        report.table("%11.2f%20.3f%14d  %s", "total_ms", "each_us", "iterations", "checksum");
        report.now("");
        KernelResult result = run(mpi, test, iterations);
        report.row(result.seconds() * MILLI, result.seconds() * MICRO / iterations, iterations, hex(result.checksum()));
    }

    /// Runs a kernel once. Collective over all ranks.
    ///
    /// @throws IllegalStateException on all ranks if the result is wrong
    public static KernelResult run(Mpi mpi, BenchTest test, int iterations) {
        return run(mpi, test, iterations, 1);
    }

    /// Runs a kernel with data reduced by the factor `divisor` in each dimension, for tests.
    static KernelResult run(Mpi mpi, BenchTest test, int iterations, int divisor) {
        Comm world = mpi.world();
        try (ApplicationKernel kernel = of(mpi, test, divisor)) {
            world.barrier();
            long start = System.nanoTime();
            kernel.run(iterations);
            double seconds = world.allreduce((System.nanoTime() - start) / 1e9, Op.MAX);
            long checksum = world.allreduce(kernel.checksum(), Op.SUM);
            long expected = world.allreduce(kernel.expected(iterations), Op.SUM);
            verify(test, checksum, expected, iterations, world.size());
            return new KernelResult(seconds, checksum);
        }
    }

    static void verify(BenchTest test, long checksum, long expected, int iterations, int ranks) {
        if (checksum == expected) return;
        throw new IllegalStateException(test.word() + ": checksum " + hex(checksum) + " is wrong, expected "
                + hex(expected) + " after " + iterations + " iterations on " + ranks + " ranks");
    }

    /// Formats a checksum as C does: `0x` and 16 hexadecimal digits.
    public static String hex(long checksum) {
        return "0x%016x".formatted(checksum);
    }

    private static ApplicationKernel of(Mpi mpi, BenchTest test, int divisor) {
        return switch (test) {
            case PIPELINE -> new Pipeline(mpi, divisor);
            case GLOBAL_SUM -> new GlobalSum(mpi);
            case STENCIL -> new Stencil(mpi, divisor);
            case TRANSPOSE_EXCHANGE -> new TransposeExchange(mpi, divisor);
            case TRANSPOSE_ALLTOALL -> new TransposeAlltoall(mpi, divisor);
            case TRANSPOSE_PUT -> new TransposePut(mpi, divisor);
            case TRANSPOSE_SHARED -> new TransposeShared(mpi, divisor);
            case SPARSE -> new SparseProduct(mpi, divisor);
            case RANDOM_ACCESS -> new RandomAccess(mpi, divisor);
            case PARTICLES -> new Particles(mpi, divisor);
            default -> throw new IllegalArgumentException(test.word() + " is not a kernel");
        };
    }
}
