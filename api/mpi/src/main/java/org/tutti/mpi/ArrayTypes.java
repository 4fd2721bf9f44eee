package org.tutti.mpi;

import java.util.Arrays;
import java.util.List;
import org.tutti.spi.type.TypeMap;

/// Types of parts of arrays with several dimensions. MPI 4.1, sections 5.1.3 and 5.1.4.
final class ArrayTypes {
    private ArrayTypes() {}

    static Datatype subarray(Datatype old, int[] sizes, int[] partSizes, int[] starts, ArrayOrder order) {
        Arguments.given("subarray", "sizes", sizes);
        Arguments.given("subarray", "partSizes", partSizes);
        Arguments.given("subarray", "starts", starts);
        String what = "subarray";
        TypeMaker.checkLengths(what, "sizes", sizes.length, "partSizes", partSizes.length);
        TypeMaker.checkLengths(what, "sizes", sizes.length, "starts", starts.length);
        checkDimensions(what, sizes);
        for (int d = 0; d < sizes.length; d++) {
            if (partSizes[d] < 1 || starts[d] < 0 || starts[d] > sizes[d] - partSizes[d]) {
                throw wrong(
                        what,
                        "partSizes[" + d + "]=" + partSizes[d] + " from starts[" + d + "]=" + starts[d]
                                + " is not within sizes[" + d + "]=" + sizes[d]);
            }
        }
        return TypeMaker.counted(what, () -> {
            TypeMap map = old.map();
            long stride = old.extent(), offset = 0, count = 1;
            for (int i = 0; i < sizes.length; i++) {
                int d = dimension(i, sizes.length, order);
                map = map.loop(partSizes[d], stride);
                offset = Math.addExact(offset, Math.multiplyExact(stride, (long) starts[d]));
                stride = Math.multiplyExact(stride, (long) sizes[d]);
                count = Math.multiplyExact(count, (long) partSizes[d]);
            }
            long[] parts = TypeMaker.longs(partSizes), from = TypeMaker.longs(starts);
            List<Long> integers =
                    TypeMaker.numbers(sizes.length, TypeMaker.longs(sizes), parts, from, new long[] {order.ordinal()});
            TypeContents contents = TypeMaker.contents(Combiner.SUBARRAY, integers, List.of(), old);
            return new Datatype(
                    null, contents, map.moved(offset), old.signature().times(count), whole(old, stride));
        });
    }

    static Datatype darray(
            Datatype old,
            int size,
            int rank,
            int[] sizes,
            Distribution[] distributions,
            int[] arguments,
            int[] processes,
            ArrayOrder order) {
        Arguments.given("darray", "sizes", sizes);
        Arguments.given("darray", "distributions", distributions);
        Arguments.given("darray", "arguments", arguments);
        Arguments.given("darray", "processes", processes);
        String what = "darray";
        TypeMaker.checkLengths(what, "sizes", sizes.length, "distributions", distributions.length);
        TypeMaker.checkLengths(what, "sizes", sizes.length, "arguments", arguments.length);
        TypeMaker.checkLengths(what, "sizes", sizes.length, "processes", processes.length);
        checkDimensions(what, sizes);
        int[] place = place(what, size, rank, processes);
        long[] block = new long[sizes.length];
        for (int d = 0; d < sizes.length; d++) {
            block[d] = block(what, d, sizes[d], distributions[d], arguments[d], processes[d]);
        }
        return TypeMaker.counted(what, () -> {
            TypeMap map = old.map();
            long stride = old.extent(), count = 1;
            for (int i = 0; i < sizes.length; i++) {
                int d = dimension(i, sizes.length, order);
                long first = place[d] * block[d], step = processes[d] * block[d];
                long full = Math.max(0, Math.floorDiv(sizes[d] - first - block[d], step) + 1);
                long rest = Math.clamp(sizes[d] - first - full * step, 0, block[d]);
                TypeMap blocks = map.loop(block[d], stride).loop(full, Math.multiplyExact(step, stride));
                TypeMap end = map.loop(rest, stride).moved(Math.multiplyExact(full * step, stride));
                map = TypeMap.parts(List.of(blocks, end)).moved(Math.multiplyExact(first, stride));
                count = Math.multiplyExact(count, full * block[d] + rest);
                stride = Math.multiplyExact(stride, (long) sizes[d]);
            }
            long[] ways = Arrays.stream(distributions)
                    .mapToLong(Distribution::ordinal)
                    .toArray();
            List<Long> integers = TypeMaker.numbers(
                    size,
                    new long[] {rank, sizes.length},
                    TypeMaker.longs(sizes),
                    ways,
                    TypeMaker.longs(arguments),
                    TypeMaker.longs(processes),
                    new long[] {order.ordinal()});
            TypeContents contents = TypeMaker.contents(Combiner.DARRAY, integers, List.of(), old);
            return new Datatype(null, contents, map, old.signature().times(count), whole(old, stride));
        });
    }

    /// Returns the position of the process in the grid. The last dimension varies fastest.
    private static int[] place(String what, int size, int rank, int[] processes) {
        long all = 1;
        for (int p : processes) {
            if (p < 1) throw wrong(what, "processes=" + Arrays.toString(processes) + " must all be positive");
            all *= p;
        }
        if (all != size) {
            throw wrong(
                    what,
                    "processes=" + Arrays.toString(processes) + " have a product of " + all + ", not size=" + size);
        }
        if (rank < 0 || rank >= size) throw wrong(what, "rank=" + rank + " is not in 0 to " + (size - 1));
        int[] place = new int[processes.length];
        for (int d = processes.length - 1, rest = rank; d >= 0; d--) {
            place[d] = rest % processes[d];
            rest /= processes[d];
        }
        return place;
    }

    /// Returns the length of the blocks along a dimension.
    private static long block(String what, int d, int size, Distribution way, int argument, int processes) {
        boolean byDefault = argument == Distribution.DEFAULT_ARGUMENT;
        if (!byDefault && argument < 1 && way != Distribution.NONE) {
            throw wrong(what, "arguments[" + d + "]=" + argument + " is not a positive block length");
        }
        return switch (way) {
            case NONE -> {
                if (processes == 1) yield size;
                throw wrong(what, "dimension " + d + " is not divided, but has processes[" + d + "]=" + processes);
            }
            case CYCLIC -> byDefault ? 1 : argument;
            case BLOCK -> {
                if (byDefault) yield Math.ceilDiv(size, processes);
                if ((long) argument * processes >= size) yield argument;
                throw wrong(
                        what,
                        "processes[" + d + "]=" + processes + " blocks of arguments[" + d + "]=" + argument
                                + " do not hold sizes[" + d + "]=" + size);
            }
        };
    }

    private static void checkDimensions(String what, int[] sizes) {
        if (sizes.length == 0) throw wrong(what, "the array has no dimensions");
        for (int d = 0; d < sizes.length; d++) {
            if (sizes[d] < 1) throw wrong(what, "sizes[" + d + "]=" + sizes[d] + " is not positive");
        }
    }

    /// Returns the `i`-th dimension, counted from the dimension that varies fastest.
    private static int dimension(int i, int dimensions, ArrayOrder order) {
        return order == ArrayOrder.C ? dimensions - 1 - i : i;
    }

    private static Datatype.Bounds whole(Datatype old, long extent) {
        return new Datatype.Bounds(0, extent, true, old.bounds().alignment());
    }

    private static MpiException wrong(String what, String detail) {
        return MpiException.argument(ErrorClass.ERR_ARG, what, detail, null);
    }
}
