package org.tutti.bench.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The tests of `tutti bench`, in the order of the help.
public enum BenchTest {
    HELLOWORLD(Family.HELLO, "every rank prints a greeting, in order (mpi4py.bench)"),
    RINGTEST(Family.RING, "time of a message around all ranks (mpi4py.bench)"),
    PINGPONG(Family.PINGPONG, "time of a message to rank 1 and back, mean and deviation (mpi4py.bench)"),
    FUTURES(Family.FUTURES, "tasks per second of a pool, each with a message and a reply (mpi4py.bench)"),
    LATENCY(Family.PAIR, "half the time of a message to rank 1 and back"),
    BW(Family.PAIR, "bandwidth from rank 0 to rank 1, a window of messages at a time"),
    BIBW(Family.PAIR, "bandwidth in both directions at the same time"),
    COLUMN(Family.PAIR, "latency of a column of a matrix of doubles, by a vector type"),
    OBJECT(Family.PAIR, "latency of Map.of(\"a\", 7, \"b\", 3.14) as an object"),
    MULTI_LAT(Family.PAIRS, "latency of several pairs at the same time"),
    MBW_MR(Family.PAIRS, "bandwidth and messages per second of several pairs"),
    PUT_LATENCY(Family.ONE_SIDED, "time to put to rank 1's memory"),
    GET_LATENCY(Family.ONE_SIDED, "time to get from rank 1's memory"),
    PUT_BW(Family.ONE_SIDED, "bandwidth of puts to rank 1's memory, a window of them at a time"),
    GET_BW(Family.ONE_SIDED, "bandwidth of gets from rank 1's memory, a window of them at a time"),
    ACC_LATENCY(Family.ONE_SIDED, "time to add numbers to those in rank 1's memory"),
    GET_ACC_LATENCY(Family.ONE_SIDED, "time to add numbers there, and get the previous values"),
    FOP_LATENCY(Family.ONE_SIDED, "time of a fetch-and-op of one number"),
    CAS_LATENCY(Family.ONE_SIDED, "time of a compare-and-swap of one number"),
    IO_WRITE(Family.FILE, "bandwidth of a collective write, each rank's blocks of a size between the others'"),
    IO_READ(Family.FILE, "bandwidth of a collective read of such blocks"),
    IO_WRITE_AT(Family.FILE, "time of a write at an offset, different for each rank"),
    IO_READ_AT(Family.FILE, "time of a read at an offset, different for each rank"),
    IO_WRITE_SHARED(Family.FILE, "time of a write at the file pointer that all ranks share"),
    IO_OPEN(Family.FILE, "time to open a file and to close it"),
    BARRIER(TestKind.BARRIER, "time of a barrier"),
    COMMS(TestKind.COMMUNICATOR, "time to create a communicator by dup, use a barrier, and close it"),
    BCAST(TestKind.BCAST, "time of a broadcast from rank 0"),
    GATHER(TestKind.GATHER, "time to gather a message of each rank at rank 0"),
    SCATTER(TestKind.SCATTER, "time to scatter from rank 0 a message for each rank"),
    ALLGATHER(TestKind.ALLGATHER, "time to gather a message of each rank everywhere"),
    ALLTOALL(TestKind.ALLTOALL, "time of a message from each rank to each rank"),
    REDUCE(TestKind.REDUCE, "time to add numbers at rank 0"),
    REDUCE_IN_PLACE(TestKind.REDUCE_IN_PLACE, "the same with one buffer: rank 0's numbers become the sums"),
    ALLREDUCE(TestKind.ALLREDUCE, "time to add numbers everywhere, bus bandwidth, wrong elements"),
    REDUCE_SCATTER(TestKind.REDUCE_SCATTER, "time to add numbers and leave each rank a part of the sums"),
    IBARRIER(BARRIER),
    IBCAST(BCAST),
    IGATHER(GATHER),
    ISCATTER(SCATTER),
    IALLGATHER(ALLGATHER),
    IALLTOALL(ALLTOALL),
    IREDUCE(REDUCE),
    IALLREDUCE(ALLREDUCE),
    IREDUCE_SCATTER(REDUCE_SCATTER),
    PIPELINE(800, "kernel: a wavefront, 499 messages of 8 B per iteration to the next rank"),
    GLOBAL_SUM(350_000, "kernel: an allreduce of one number per iteration"),
    STENCIL(1500, "kernel: heat in a square plate, exchange of the edges of tiles"),
    TRANSPOSE_EXCHANGE(120, "kernel: sum of transposes, by pairwise sendrecv"),
    TRANSPOSE_ALLTOALL(120, "kernel: the same by alltoall"),
    TRANSPOSE_PUT(120, "kernel: the same by puts into a window"),
    TRANSPOSE_SHARED(120, "kernel: the same through a shared window"),
    SPARSE(750, "kernel: sparse matrix times vector, with allgather of the vector"),
    RANDOM_ACCESS(6000, "kernel: updates of a distributed table, exchanged in batches"),
    PARTICLES(2500, "kernel: particles that migrate between ranks");

    /// Blocks of the file tests: much smaller than a page, a page, and the whole part of a rank.
    private static final List<Long> BLOCKS = List.of(8L, 64L, 4096L, 1L << 24), ACCESSES = List.of(8L, 4096L, 65_536L);
    private static final int LARGEST_OF_PAIRS = 1 << 22, LARGEST_OF_COLLECTIVES = 1 << 20;

    private final Family family;
    private final @Nullable TestKind kind;
    private final String summary;

    /// Iterations of a kernel in [KernelSize#SMALL]; 0 for other tests.
    private final int smallIterations;

    BenchTest(Family family, @Nullable TestKind kind, int smallIterations, String summary) {
        this.family = family;
        this.kind = kind;
        this.smallIterations = smallIterations;
        this.summary = summary;
    }

    BenchTest(Family family, String summary) {
        this(family, null, 0, summary);
    }

    BenchTest(TestKind kind, String summary) {
        this(Family.COLLECTIVE, kind, 0, summary);
    }

    BenchTest(BenchTest blocking) {
        this(Family.NONBLOCKING, blocking.kind, 0, blocking.word() + " that overlaps with computation");
    }

    BenchTest(int smallIterations, String summary) {
        this(Family.KERNEL, null, smallIterations, summary);
    }

    /// Returns the name on the command line: `multi-lat`.
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String summary() {
        return summary;
    }

    public Family family() {
        return family;
    }

    /// Returns the collective operation that the test measures.
    public TestKind kind() {
        if (kind == null) throw new IllegalStateException(word() + " measures no collective operation");
        return kind;
    }

    /// Whether the test is an application kernel.
    public boolean isKernel() {
        return family == Family.KERNEL;
    }

    int smallIterations() {
        if (!isKernel()) throw new IllegalStateException(word() + " is not a kernel");
        return smallIterations;
    }

    /// Whether messages have a size.
    public boolean isSized() {
        boolean hasData = kind != TestKind.BARRIER && kind != TestKind.COMMUNICATOR;
        boolean isOne = this == OBJECT || this == FOP_LATENCY || this == CAS_LATENCY || this == IO_OPEN;
        return hasData && !isOne && family != Family.HELLO && !isKernel();
    }

    /// Whether the test adds numbers.
    public boolean reduces() {
        return kind != null && kind.reduces() || this == ACC_LATENCY || this == GET_ACC_LATENCY;
    }

    /// Whether the result is bytes per second, so that larger values are better.
    public boolean isBandwidth() {
        return hasWindow() || this == IO_WRITE || this == IO_READ;
    }

    /// Whether several messages are in flight.
    public boolean hasWindow() {
        return this == BW || this == BIBW || this == MBW_MR || this == PUT_BW || this == GET_BW;
    }

    /// Whether the test supports objects.
    public boolean takesObjects() {
        return switch (family) {
            case PAIR, PAIRS -> this != COLUMN && this != OBJECT;
            case COLLECTIVE -> isSized() && this != REDUCE_SCATTER && this != REDUCE_IN_PLACE;
            case HELLO, RING, PINGPONG, FUTURES, KERNEL, ONE_SIDED, FILE, NONBLOCKING -> false;
        };
    }

    /// Whether the test supports device memory.
    public boolean takesDevices() {
        return switch (family) {
            case PAIR -> this != COLUMN && this != OBJECT;
            case PAIRS, PINGPONG -> true;
            case COLLECTIVE, NONBLOCKING -> isSized();
            case HELLO, RING, FUTURES, KERNEL, ONE_SIDED, FILE -> false;
        };
    }

    public int fewestRanks() {
        return switch (family) {
            case PAIR, PAIRS, PINGPONG, ONE_SIDED -> 2;
            case HELLO, RING, FUTURES, KERNEL, FILE, COLLECTIVE, NONBLOCKING -> 1;
        };
    }

    /// Returns the default sizes: for file tests, the sizes of the blocks; for other tests, OSU's sizes, which
    /// are the powers of two from one byte.
    public List<Long> defaultBytes() {
        if (family == Family.FILE) return isBandwidth() ? BLOCKS : ACCESSES;
        List<Long> sizes = new ArrayList<>();
        long largest = family.isCollective() ? LARGEST_OF_COLLECTIVES : LARGEST_OF_PAIRS;
        for (long bytes = 1; bytes <= largest; bytes *= 2) sizes.add(bytes);
        return sizes;
    }

    /// Returns the smallest size in bytes: one element of `type` for reductions and files, one cell for a column,
    /// otherwise 0.
    public long smallestBytes(BufferElement type) {
        if (this == COLUMN) return Double.BYTES;
        return reduces() || family == Family.FILE ? type.bytes() : 0;
    }

    /// Returns OSU's default type: bytes, or numbers for reductions.
    public BufferElement defaultType() {
        return reduces() ? BufferElement.FLOAT : BufferElement.BYTE;
    }

    /// Returns null for an unknown name. OSU's names with underscores are accepted.
    public static @Nullable BenchTest named(String word) {
        String ours = word.toLowerCase(Locale.ROOT).replace('_', '-');
        for (BenchTest t : values()) if (t.word().equals(ours)) return t;
        return null;
    }
}
