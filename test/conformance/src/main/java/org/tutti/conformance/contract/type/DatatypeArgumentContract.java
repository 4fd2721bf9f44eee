package org.tutti.conformance.contract.type;

import static org.tutti.mpi.Buf.buf;
import static org.tutti.mpi.Datatype.DOUBLE;
import static org.tutti.mpi.Datatype.INT;

import java.lang.foreign.MemorySegment;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.ArrayOrder;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Distribution;
import org.tutti.mpi.ErrorClass;

/// Derived types with wrong arguments, and buffers that are too small for the elements.
public final class DatatypeArgumentContract {
    private DatatypeArgumentContract() {}

    @Contract
    public static void negativeCounts(Trial t) {
        Check.rejects(ErrorClass.ERR_COUNT, "contiguous: count=-1 is negative", () -> INT.contiguous(-1));
        Check.rejects(ErrorClass.ERR_COUNT, "vector: count=-2 is negative", () -> INT.vector(-2, 1, 1));
        Check.rejects(ErrorClass.ERR_COUNT, "vector: blockLength=-3 is negative", () -> INT.vector(2, -3, 1));
        Check.rejects(ErrorClass.ERR_COUNT, "hvector: count=-2 is negative", () -> INT.hvector(-2, 1, 1));
        Check.rejects(ErrorClass.ERR_COUNT, "hvector: blockLength=-3 is negative", () -> INT.hvector(2, -3, 1));
        int[] lengths = {1, -1}, places = {0, 4};
        long[] bytes = {0, 16};
        String second = ": blockLengths[1]=-1 is negative", first = ": blockLengths[0]=-1 is negative";
        Check.rejects(ErrorClass.ERR_COUNT, "indexed" + second, () -> INT.indexed(lengths, places));
        Check.rejects(ErrorClass.ERR_COUNT, "hindexed" + second, () -> INT.hindexed(lengths, bytes));
        Check.rejects(ErrorClass.ERR_COUNT, "indexedBlock" + first, () -> INT.indexedBlock(-1, places));
        Check.rejects(ErrorClass.ERR_COUNT, "hindexedBlock" + first, () -> INT.hindexedBlock(-1, bytes));
        Check.rejects(ErrorClass.ERR_COUNT, "struct" + second, () -> Datatype.struct(lengths, bytes, INT, DOUBLE));
    }

    @Contract
    public static void arraysOfDifferentLengths(Trial t) {
        int[] one = {1}, two = {1, 1};
        long[] twoLong = {0, 8};
        Check.rejects(ErrorClass.ERR_ARG, "indexed: 1 blockLengths but 2 displacements", () -> INT.indexed(one, two));
        Check.rejects(
                ErrorClass.ERR_ARG, "hindexed: 1 blockLengths but 2 displacements", () -> INT.hindexed(one, twoLong));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "struct: 1 blockLengths but 2 displacements",
                () -> Datatype.struct(one, twoLong, INT));
        Check.rejects(
                ErrorClass.ERR_ARG, "struct: 2 blockLengths but 1 types", () -> Datatype.struct(two, twoLong, INT));
        Check.rejects(ErrorClass.ERR_ARG, "subarray: 2 sizes but 1 partSizes", () -> INT.subarray(two, one, two));
        Check.rejects(ErrorClass.ERR_ARG, "subarray: 2 sizes but 1 starts", () -> INT.subarray(two, two, one));
    }

    @Contract
    public static void typesBeyondTheMaximumSize(Trial t) {
        String text = ": the type would exceed 2^63 - 1 bytes";
        long much = Long.MAX_VALUE / 2;
        Check.rejects(ErrorClass.ERR_ARG, "contiguous" + text, () -> INT.contiguous(much));
        Check.rejects(ErrorClass.ERR_ARG, "vector" + text, () -> INT.vector(2, 1, much));
        Check.rejects(ErrorClass.ERR_ARG, "resized" + text, () -> INT.resized(Long.MAX_VALUE, 1));
        Datatype large = Datatype.BYTE.contiguous(much);
        Check.rejects(
                ErrorClass.ERR_ARG, "subarray" + text, () -> large.subarray(new int[] {3}, new int[] {3}, new int[1]));
    }

    @Contract
    public static void partsOutsideTheArray(Trial t) {
        int[] sizes = {4, 5};
        Check.rejects(
                ErrorClass.ERR_ARG,
                "subarray: the array has no dimensions",
                () -> INT.subarray(new int[0], new int[0], new int[0]));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "subarray: sizes[1]=0 is not positive",
                () -> INT.subarray(new int[] {4, 0}, new int[] {1, 1}, new int[2]));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "subarray: partSizes[1]=3 from starts[1]=3 is not within sizes[1]=5",
                () -> INT.subarray(sizes, new int[] {4, 3}, new int[] {0, 3}));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "subarray: partSizes[0]=0 from starts[0]=0 is not within sizes[0]=4",
                () -> INT.subarray(sizes, new int[] {0, 3}, new int[] {0, 0}));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "subarray: partSizes[0]=1 from starts[0]=-1 is not within sizes[0]=4",
                () -> INT.subarray(sizes, new int[] {1, 3}, new int[] {-1, 0}));
    }

    @Contract
    public static void invalidDistributions(Trial t) {
        darray("2 sizes but 1 processes", 2, 0, 0, new int[] {2});
        darray("processes=[0, 2] must all be positive", 2, 0, 0, new int[] {0, 2});
        darray("processes=[2, 2] have a product of 4, not size=2", 2, 0, 0, new int[] {2, 2});
        darray("rank=2 is not in 0 to 1", 2, 2, 0, new int[] {1, 2});
        darray("rank=-1 is not in 0 to 1", 2, -1, 0, new int[] {1, 2});
        darray("arguments[1]=0 is not a positive block length", 2, 0, 0, new int[] {1, 2});
        darray("processes[1]=2 blocks of arguments[1]=2 do not hold sizes[1]=5", 2, 0, 2, new int[] {1, 2});
        darray("dimension 0 is not divided, but has processes[0]=2", 2, 0, 2, new int[] {2, 1});
    }

    private static void darray(String text, int size, int rank, int argument, int[] processes) {
        int[] sizes = {4, 5}, arguments = {Distribution.DEFAULT_ARGUMENT, argument};
        Distribution[] ways = {Distribution.NONE, Distribution.BLOCK};
        Check.rejects(
                ErrorClass.ERR_ARG,
                "darray: " + text,
                () -> INT.darray(size, rank, sizes, ways, arguments, processes, ArrayOrder.C));
    }

    @Contract
    public static void elementsOutsideTheMemory(Trial t) {
        Datatype column = DOUBLE.vector(3, 1, 4);
        String type = " of vector(3, 1, 4) of DOUBLE";
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: offset=2, count=1" + type + " need bytes 16 to 88 of a memory of 80 bytes",
                () -> buf(new double[10], 2, 1, column));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: offset=-1, count=1" + type + " need bytes -8 to 64 of a memory of 80 bytes",
                () -> buf(new double[10], -1, 1, column));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: offset=0, count=2 of vector(2, 1, -1) of DOUBLE need bytes -8 to 24 of a memory of 80 bytes",
                () -> buf(new double[10], 0, 2, DOUBLE.vector(2, 1, -1)));
        Check.rejects(ErrorClass.ERR_COUNT, "buf: count=-1 is negative", () -> buf(new double[10], 0, -1, column));
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "buf: the array is of FLOAT but vector(3, 1, 4) of DOUBLE consists of DOUBLE",
                () -> buf(new float[40], 0, 1, column));
        Datatype mixed = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, INT, DOUBLE)
                .named("pair");
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "buf: the array is of INT but pair consists of several types; use a byte[] or a segment",
                () -> buf(new int[40], 0, 1, mixed));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: a segment of 40 bytes is not a whole number of pair elements of 16 bytes; pass the count: buf(segment,"
                        + " offset, count, type)",
                () -> buf(MemorySegment.ofArray(new byte[40]), mixed));
    }
}
