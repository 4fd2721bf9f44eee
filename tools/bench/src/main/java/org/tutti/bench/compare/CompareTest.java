package org.tutti.bench.compare;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.plan.BenchTest;
import org.tutti.bench.plan.Family;

/// The tests of a comparison, with default sizes.
public enum CompareTest {
    LATENCY(BenchTest.LATENCY, true, 8),
    BW(BenchTest.BW, true, 64 << 10, 1 << 20, 4 << 20),
    ALLREDUCE(BenchTest.ALLREDUCE, true, 8, 64 << 10, 4 << 20),
    BCAST(BenchTest.BCAST, true, 8, 64 << 10, 4 << 20),
    ALLGATHER(BenchTest.ALLGATHER, true, 8, 64 << 10, 4 << 20),
    ALLTOALL(BenchTest.ALLTOALL, true, 8, 64 << 10, 4 << 20),
    BIBW(BenchTest.BIBW, false, 64 << 10, 1 << 20, 4 << 20),
    REDUCE(BenchTest.REDUCE, false, 8, 64 << 10, 4 << 20),
    REDUCE_IN_PLACE(BenchTest.REDUCE_IN_PLACE, false, 8, 64 << 10, 4 << 20),
    OBJECT(BenchTest.OBJECT, true, 0),
    STARTUP(null, true, 0),
    BARRIER(BenchTest.BARRIER, false, 0),
    COMMS(BenchTest.COMMS, false, 0),
    COLUMN(BenchTest.COLUMN, false, 800, 8000, 32768),
    PUT_LATENCY(BenchTest.PUT_LATENCY, false, 8, 1 << 20),
    GET_LATENCY(BenchTest.GET_LATENCY, false, 8, 1 << 20),
    ACC_LATENCY(BenchTest.ACC_LATENCY, false, 8, 1 << 20),
    FOP_LATENCY(BenchTest.FOP_LATENCY, false, 0),
    CAS_LATENCY(BenchTest.CAS_LATENCY, false, 0),
    IO_WRITE(BenchTest.IO_WRITE, false, 8, 64, 4096, 1 << 24),
    IO_READ(BenchTest.IO_READ, false, 8, 64, 4096, 1 << 24),
    IO_WRITE_AT(BenchTest.IO_WRITE_AT, false, 8, 65536),
    IO_READ_AT(BenchTest.IO_READ_AT, false, 8, 65536),
    IO_WRITE_SHARED(BenchTest.IO_WRITE_SHARED, false, 8),
    IO_OPEN(BenchTest.IO_OPEN, false, 0),
    PIPELINE(BenchTest.PIPELINE),
    GLOBAL_SUM(BenchTest.GLOBAL_SUM),
    STENCIL(BenchTest.STENCIL),
    TRANSPOSE_EXCHANGE(BenchTest.TRANSPOSE_EXCHANGE),
    TRANSPOSE_ALLTOALL(BenchTest.TRANSPOSE_ALLTOALL),
    TRANSPOSE_PUT(BenchTest.TRANSPOSE_PUT),
    TRANSPOSE_SHARED(BenchTest.TRANSPOSE_SHARED),
    SPARSE(BenchTest.SPARSE),
    RANDOM_ACCESS(BenchTest.RANDOM_ACCESS),
    PARTICLES(BenchTest.PARTICLES);

    private static final int START_RANKS = 4;
    private static final List<Integer> COLLECTIVE_RANKS = List.of(2, 4, 8);

    private final @Nullable BenchTest bench;
    private final boolean isDefault;
    private final List<Long> sizes;

    CompareTest(@Nullable BenchTest bench, boolean isDefault, long... sizes) {
        this.bench = bench;
        this.isDefault = isDefault;
        this.sizes = Arrays.stream(sizes).boxed().toList();
    }

    CompareTest(BenchTest kernel) {
        this(kernel, false, 0);
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// Returns null for an unknown name.
    public static @Nullable CompareTest named(String word) {
        for (CompareTest t : values()) if (t.word().equals(word)) return t;
        return null;
    }

    /// Returns the default tests.
    public static List<CompareTest> defaults() {
        return Arrays.stream(values()).filter(t -> t.isDefault).toList();
    }

    public static List<CompareTest> kernels() {
        return Arrays.stream(values()).filter(CompareTest::isKernel).toList();
    }

    /// Returns the test that ranks run.
    BenchTest bench() {
        if (bench == null) throw new IllegalStateException(word() + " is measured from outside");
        return bench;
    }

    public boolean isKernel() {
        return bench != null && bench.isKernel();
    }

    boolean isCollective() {
        return bench != null && bench.family().isCollective();
    }

    /// Whether the yardstick, to which ratios refer, is the C program over the faster of the libraries;
    /// otherwise it is the C program over Open MPI, if installed.
    boolean takesTheBetter() {
        return isCollective() || isKernel() || bench != null && bench.family() == Family.FILE;
    }

    boolean isSized() {
        return bench != null && bench.isSized();
    }

    boolean isBandwidth() {
        return bench != null && bench.isBandwidth();
    }

    String unit() {
        return isBandwidth() ? "MB/s" : isKernel() ? "ms" : this == STARTUP ? "s" : "us";
    }

    List<Long> sizes(List<Long> wanted) {
        return isSized() && !wanted.isEmpty() ? wanted : sizes;
    }

    /// Returns the numbers of ranks of the test.
    ///
    /// @param wanted the numbers for collective operations and kernels; empty for the default of each test
    List<Integer> ranks(List<Integer> wanted) {
        if (isCollective()) return wanted.isEmpty() ? COLLECTIVE_RANKS : wanted;
        if (isKernel() && !wanted.isEmpty()) return wanted;
        return List.of(this == STARTUP ? START_RANKS : 2);
    }
}
