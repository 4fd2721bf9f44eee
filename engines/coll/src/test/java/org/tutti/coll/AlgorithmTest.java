package org.tutti.coll;

import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.reduce.Reduction;

/// Compares every algorithm, and the table's choice for every kind, with a plain loop.
class AlgorithmTest {
    private static final boolean FULL = Boolean.getBoolean("tutti.full");
    private static final int[] SIZES = FULL ? new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 16} : new int[] {1, 2, 3, 5};
    private static final int[] SIZES_OF_LONG = FULL ? new int[] {1, 2, 3, 5, 8} : new int[] {1, 3};
    private static final Reduction SUM = AlgorithmTrial.ofLong("sum", true, Long::sum);

    static Stream<Arguments> algorithms() {
        return Stream.of(
                row(Kind.BARRIER, new BarrierDissemination()),
                row(Kind.BCAST, new BcastBinomial()),
                row(Kind.BCAST, new BcastScatterAllgather()),
                row(Kind.REDUCE, new ReduceBinomial()),
                row(Kind.REDUCE, new ReduceScatterGather()),
                row(Kind.ALLREDUCE, new AllreduceRecursiveDoubling()),
                row(Kind.ALLREDUCE, new AllreduceRing()),
                row(Kind.GATHER, new GatherLinear()),
                row(Kind.ALLGATHER, new AllgatherRing()),
                row(Kind.ALLGATHER, new AllgatherBruck()),
                row(Kind.SCATTER, new ScatterLinear()),
                row(Kind.ALLTOALL, null),
                row(Kind.REDUCE_SCATTER, new ReduceScatterPairwise()),
                row(Kind.SCAN, new ScanRecursiveDoubling()),
                row(Kind.EXSCAN, new ScanRecursiveDoubling()),
                row(Kind.REDUCE, new ReduceInRankOrder()),
                row(Kind.ALLREDUCE, new ReduceInRankOrder()),
                row(Kind.SCAN, new ScanChain()),
                row(Kind.EXSCAN, new ScanChain()),
                row(Kind.BARRIER, null),
                row(Kind.BCAST, null),
                row(Kind.REDUCE, null),
                row(Kind.ALLREDUCE, null),
                row(Kind.GATHER, null),
                row(Kind.ALLGATHER, null));
    }

    private static Arguments row(Kind kind, @Nullable Algorithm algorithm) {
        Function<Collective, Algorithm> table = algorithm == null ? AlgorithmTable::choose : call -> algorithm;
        String name = algorithm == null ? "chosen" : algorithm.getClass().getSimpleName();
        return Arguments.of(name, kind, table);
    }

    private static boolean commutativeOnly(String name) {
        return name.equals("AllreduceRing") || name.equals("ReduceScatterGather");
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("algorithms")
    void matchesAPlainLoop(String name, Kind kind, Function<Collective, Algorithm> table) {
        long seed = 1;
        for (int size : SIZES) {
            for (int root : roots(kind, size)) {
                for (long count : new long[] {0, 1, size - 1, 13, 1000}) {
                    for (int variant = 0; variant < 8; variant++) {
                        boolean affine = (variant & 1) != 0 && !commutativeOnly(name);
                        long mask = (variant & 2) == 0 ? 0 : variant == 3 ? -1 : seed * 0x9e3779b97f4a7c15L;
                        boolean eager = (variant & 4) != 0;
                        trial(table, kind, size, root, count, affine, mask, false, eager, seed++)
                                .run();
                    }
                }
            }
        }
    }

    /// Longer than a slice and than the thresholds of the table, except the threshold for a bcast of fewer than
    /// 8 ranks.
    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("algorithms")
    void matchesAPlainLoopOnLongVectors(String name, Kind kind, Function<Collective, Algorithm> table) {
        long seed = 1;
        for (int size : SIZES_OF_LONG) {
            long count = hasBlocks(kind) ? 40_001 : 32_768L * size + 4321;
            for (int variant = 0; variant < 4; variant++) {
                boolean affine = (variant & 1) != 0 && !commutativeOnly(name);
                long mask = (variant & 1) == 0 ? 0 : -1;
                trial(table, kind, size, size / 2, count, affine, mask, false, variant > 1, seed++)
                        .run();
            }
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("algorithms")
    void acceptsBlocksOfAnyLengthAndOrder(String name, Kind kind, Function<Collective, Algorithm> table) {
        if (!hasBlocks(kind)) return;
        long seed = 1;
        for (int size : SIZES) {
            for (int root : roots(kind, size)) {
                for (int variant = 0; variant < 16; variant++) {
                    long mask = (variant & 2) == 0 ? 0 : seed * 0x9e3779b97f4a7c15L;
                    trial(
                                    table,
                                    kind,
                                    size,
                                    root,
                                    variant < 8 ? 9 : 5000,
                                    false,
                                    mask,
                                    true,
                                    (variant & 4) != 0,
                                    seed++)
                            .run();
                }
            }
        }
    }

    /// Reuses a runner. The ranks are not synchronized between calls, so several calls are active, and must not
    /// mix.
    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("algorithms")
    void mayBeRepeated(String name, Kind kind, Function<Collective, Algorithm> table) {
        for (int size : new int[] {1, 2, 5, 8})
            trial(table, kind, size, 0, 77, false, 0, false, true, size).run(12);
    }

    private static boolean hasBlocks(Kind kind) {
        return switch (kind) {
            case GATHER, ALLGATHER, SCATTER, ALLTOALL, REDUCE_SCATTER -> true;
            default -> false;
        };
    }

    private static int[] roots(Kind kind, int size) {
        if (!kind.rooted() || size == 1) return new int[] {0};
        return size == 2 ? new int[] {0, 1} : new int[] {0, size / 2, size - 1};
    }

    private static AlgorithmTrial trial(
            Function<Collective, Algorithm> table,
            Kind kind,
            int size,
            int root,
            long count,
            boolean affine,
            long inPlaceMask,
            boolean blocks,
            boolean eager,
            long seed) {
        long[] counts = new long[size];
        for (int i = 0; i < size; i++) counts[i] = blocks ? (count * (i + seed)) % (count + 3) : count;
        boolean reduces = switch (kind) {
            case REDUCE, ALLREDUCE, REDUCE_SCATTER, SCAN, EXSCAN -> true;
            default -> false;
        };
        Reduction op = !reduces ? null : affine ? AlgorithmTrial.AFFINE : SUM;
        return new AlgorithmTrial(table, kind, size, root, counts, op, inPlaceMask, blocks, eager, seed);
    }
}
