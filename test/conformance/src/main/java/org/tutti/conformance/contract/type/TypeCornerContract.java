package org.tutti.conformance.contract.type;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.List;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.ArrayOrder;
import org.tutti.mpi.Combiner;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.DoubleInt;
import org.tutti.mpi.LongInt;
import org.tutti.mpi.Packer;
import org.tutti.mpi.Status;
import org.tutti.mpi.TypeContents;
import org.tutti.mpi.Unpacker;

/// Corner cases of types that test suites of MPI check. MPI 4.1, chapter 5.
public final class TypeCornerContract {
    private TypeCornerContract() {}

    /// A message of elements without data is empty, for any count.
    @Contract
    public static void typesWithoutData(Trial t) {
        List<Datatype> empty = List.of(
                Datatype.INT.contiguous(0),
                Datatype.INT.vector(0, 3, 5),
                Datatype.INT.vector(3, 0, 5),
                Datatype.INT.hvector(0, 1, 8),
                Datatype.INT.indexed(new int[0], new int[0]),
                Datatype.INT.indexed(new int[] {0, 0}, new int[] {4, 1}),
                Datatype.INT.indexedBlock(0, new int[] {1, 2}),
                Datatype.struct(new int[0], new long[0]),
                Datatype.struct(new int[] {0}, new long[] {8}, Datatype.INT));
        for (Datatype type : empty) {
            Check.same(0, type.sizeBytes(), type + ": size");
            Check.same(0, type.trueExtent(), type + ": true extent");
            Check.same(type.upperBound() - type.lowerBound(), type.extent(), type + ": extent");
            int[] out = {1, 2}, in = {3, 4};
            Status s = t.world().sendrecv(buf(out, 0, 2, type), t.right(), buf(in, 0, 2, type), t.left());
            Check.same(0, s.sizeBytes(), type + ": length");
            Check.same(0, s.elements(type), type + ": elements");
            Check.same("[3, 4]", Arrays.toString(in), type + ": buffer");
            Check.same(0, new Packer().sizeBytes(buf(out, 0, 2, type)), type + ": packed");
        }
    }

    /// If the extent is smaller than the true extent, the elements of a send overlap. Here, element r is the
    /// window of three numbers that starts at number r.
    @Contract
    public static void elementsOfASendOverlap(Trial t) {
        Datatype window = Datatype.INT.contiguous(3).resized(0, 4);
        int[] out = new int[6], in = new int[12];
        for (int i = 0; i < out.length; i++) out[i] = 10 * t.rank() + i;
        t.world().sendrecv(buf(out, 0, 4, window), t.right(), buf(in), t.left());
        for (int row = 0; row < 4; row++) {
            for (int i = 0; i < 3; i++) Check.same(10 * t.left() + row + i, in[3 * row + i], "row " + row);
        }
        Check.same(12, window.trueExtent(), "true extent");
        Check.same(4, window.extent(), "extent");
    }

    /// The envelope and the contents of a type are the arguments of the constructor.
    @Contract
    public static void contentsAreTheArguments(Trial t) {
        Datatype d = Datatype.DOUBLE;
        isMadeOf(d, Combiner.NAMED, List.of(), List.of(), List.of());
        isMadeOf(d.dup(), Combiner.DUP, List.of(), List.of(), List.of(d));
        isMadeOf(d.contiguous(4), Combiner.CONTIGUOUS, List.of(4L), List.of(), List.of(d));
        isMadeOf(d.vector(4, 2, 3), Combiner.VECTOR, List.of(4L, 2L, 3L), List.of(), List.of(d));
        isMadeOf(d.hvector(4, 2, 40), Combiner.HVECTOR, List.of(4L, 2L), List.of(40L), List.of(d));
        int[] lengths = {2, 1}, places = {0, 5};
        long[] bytes = {0, 40};
        isMadeOf(d.indexed(lengths, places), Combiner.INDEXED, List.of(2L, 2L, 1L, 0L, 5L), List.of(), List.of(d));
        isMadeOf(d.hindexed(lengths, bytes), Combiner.HINDEXED, List.of(2L, 2L, 1L), List.of(0L, 40L), List.of(d));
        isMadeOf(d.indexedBlock(2, places), Combiner.INDEXED_BLOCK, List.of(2L, 2L, 0L, 5L), List.of(), List.of(d));
        isMadeOf(d.hindexedBlock(2, bytes), Combiner.HINDEXED_BLOCK, List.of(2L, 2L), List.of(0L, 40L), List.of(d));
        isMadeOf(
                Datatype.struct(lengths, bytes, d, Datatype.INT),
                Combiner.STRUCT,
                List.of(2L, 2L, 1L),
                List.of(0L, 40L),
                List.of(d, Datatype.INT));
        isMadeOf(
                d.subarray(new int[] {4, 6}, new int[] {2, 3}, new int[] {1, 2}, ArrayOrder.FORTRAN),
                Combiner.SUBARRAY,
                List.of(2L, 4L, 6L, 2L, 3L, 1L, 2L, 1L),
                List.of(),
                List.of(d));
        isMadeOf(d.resized(-8, 32), Combiner.RESIZED, List.of(), List.of(-8L, 32L), List.of(d));
    }

    private static void isMadeOf(
            Datatype type, Combiner combiner, List<Long> integers, List<Long> addresses, List<Datatype> types) {
        TypeContents c = type.contents();
        Check.same(combiner, c.combiner(), "combiner of " + type);
        Check.same(integers, c.integers(), "integers of " + type);
        Check.same(addresses, c.addresses(), "addresses of " + type);
        Check.same(types, c.types(), "types of " + type);
    }

    /// Bounds and strides may be negative.
    @Contract
    public static void boundsBelowZero(Trial t) {
        Datatype backwards = Datatype.INT.hvector(3, 1, -8);
        Check.same(-16, backwards.lowerBound(), "lower bound");
        Check.same(4, backwards.upperBound(), "upper bound");
        Check.same(20, backwards.extent(), "extent");
        Check.same(-16, backwards.trueLowerBound(), "true lower bound");
        int[] out = new int[5], in = new int[3];
        for (int i = 0; i < out.length; i++) out[i] = 10 * t.rank() + i;
        t.world().sendrecv(buf(out, 4, 1, backwards), t.right(), buf(in), t.left());
        for (int i = 0; i < 3; i++) Check.same(10 * t.left() + 4 - 2 * i, in[i], "element " + i);
        Datatype wide = Datatype.INT.resized(-4, 12);
        Check.same(-4, wide.lowerBound(), "lower bound of the resized type");
        Check.same(8, wide.upperBound(), "upper bound of the resized type");
        Check.same(0, wide.trueLowerBound(), "true lower bound");
        Check.same(4, wide.trueExtent(), "true extent");
    }

    /// If values are equal, the smallest index is the result, even if lower ranks have larger indexes.
    @Contract
    public static void tiesOfPairsGoToTheSmallestIndex(Trial t) {
        int n = t.size();
        DoubleInt most = t.world().maxLoc(1.5, 10 * n - t.rank());
        Check.same(1.5, most.value(), "largest value");
        Check.same(9 * n + 1, most.index(), "smallest index");
        LongInt least = t.world().minLoc(t.rank() == 0 && n > 1 ? 8L : 7L, 100 + t.rank());
        Check.same(7L, least.value(), "smallest value");
        Check.same(n > 1 ? 101 : 100, least.index(), "smallest index");
    }

    /// The packer adds as many bytes as announced, and packed data may be unpacked in portions of other sizes.
    @Contract
    public static void packedOnceAndUnpackedTwice(Trial t) {
        for (boolean external : new boolean[] {false, true}) {
            Packer p = external ? Packer.external32() : new Packer();
            int[] out = {t.rank(), 2, 3, 4, 5};
            Datatype every = Datatype.INT.vector(3, 1, 2);
            long announced = p.sizeBytes(buf(out)) + p.sizeBytes(buf(out, 0, 1, every)) + p.sizeBytes(buf(new byte[0]));
            p.add(buf(out)).add(buf(out, 0, 1, every)).add(buf(new byte[0]));
            Check.same(announced, p.sizeBytes(), "announced length");
            byte[] message = new byte[(int) p.sizeBytes()];
            t.world().sendrecv(p.buf(), t.right(), buf(message), t.left());
            Unpacker u = external ? Unpacker.external32(message) : new Unpacker(message);
            int[] first = new int[2], rest = new int[6];
            u.take(buf(first)).take(buf(rest));
            Check.same(0, u.remaining(), "remaining");
            Check.same("[" + t.left() + ", 2]", Arrays.toString(first), "first portion");
            Check.same("[3, 4, 5, " + t.left() + ", 3, 5]", Arrays.toString(rest), "second portion");
        }
    }
}
