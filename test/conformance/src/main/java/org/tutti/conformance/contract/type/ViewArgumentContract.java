package org.tutti.conformance.contract.type;

import static org.tutti.mpi.Buf.buf;
import static org.tutti.mpi.Datatype.INT;

import java.lang.foreign.MemorySegment;
import java.nio.CharBuffer;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.ArrayView;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Matrix;
import org.tutti.mpi.Packer;
import org.tutti.mpi.Records;
import org.tutti.mpi.Unpacker;

/// Invalid parts of matrices and fields, records that a struct cannot contain, and wrong use of packers.
public final class ViewArgumentContract {
    private ViewArgumentContract() {}

    record Point(double x, int id) {}

    record Named(int id, String name) {}

    record Nothing() {}

    record Node(int value, Node next) {}

    @Contract
    public static void partsOutsideTheMatrix(Trial t) {
        Matrix m = Matrix.of(new int[12], 3, 4);
        String end = ", are not within a matrix of 3 x 4";
        Check.rejects(ErrorClass.ERR_ARG, "Matrix: 3 x 1 elements from row 0, column 4" + end, () -> m.column(4));
        Check.rejects(ErrorClass.ERR_ARG, "Matrix: 1 x 4 elements from row -1, column 0" + end, () -> m.row(-1));
        Check.rejects(
                ErrorClass.ERR_ARG, "Matrix: 2 x 3 elements from row 2, column 1" + end, () -> m.tile(2, 1, 2, 3));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "Matrix: row 1 has 2 elements but row 0 has 3",
                () -> Matrix.of(new int[][] {new int[3], new int[2]}));
    }

    @Contract
    @SuppressWarnings("NullAway") // programs without null checks may pass null
    public static void nullArraysAndRows(Trial t) {
        double[] none = null;
        double[][] noRows = null, halfOfThem = {new double[2], null};
        int[] noSizes = null;
        Check.rejects(ErrorClass.ERR_BUFFER, "buf: the array of rows is null", () -> buf(noRows));
        Check.rejects(ErrorClass.ERR_BUFFER, "buf: row 1 is null", () -> buf(halfOfThem));
        Check.rejects(ErrorClass.ERR_BUFFER, "Matrix.of: row 1 is null", () -> Matrix.of(halfOfThem));
        String array = "ArrayView: the array or the array of sizes is null";
        Check.rejects(ErrorClass.ERR_ARG, array, () -> ArrayView.of(none, 2, 2));
        Check.rejects(ErrorClass.ERR_ARG, array, () -> ArrayView.of(new double[4], noSizes));
        Check.rejects(ErrorClass.ERR_ARG, array, () -> Matrix.of(none, 2, 2));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "ArrayView: dimension=2 is not in 0 to 1",
                () -> ArrayView.of(new double[4], 2, 2).size(2));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "buf: a CharBuffer that wraps a CharSequence has no memory; pass text.toCharArray(), or send the text with"
                        + " sendObject",
                () -> buf(CharBuffer.wrap("text")));
    }

    @Contract
    public static void partsOutsideTheField(Trial t) {
        ArrayView field = ArrayView.of(new int[20], 4, 5).withHalo(1);
        Check.rejects(
                ErrorClass.ERR_ARG,
                "ArrayView: sizes=[4, 5] describe 20 elements but the array has 10",
                () -> ArrayView.of(new int[10], 4, 5));
        Check.rejects(ErrorClass.ERR_ARG, "ArrayView: the array has no dimensions", () -> ArrayView.of(new int[1]));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "ArrayView: sizes=[2147483647, 2147483647, 2147483647] describe 9903520300447984150353281023 elements but the"
                        + " array has 4",
                () -> ArrayView.of(new int[4], Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE));
        MemorySegment memory = MemorySegment.ofArray(new byte[33]);
        Check.rejects(
                ErrorClass.ERR_ARG,
                "ArrayView: sizes=[8] describe 8 elements but the array has 8 and a partial element",
                () -> ArrayView.of(memory, INT, 8));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "ArrayView: elements of resized(0, 0) of INT have an extent of 0; use resized(…)",
                () -> ArrayView.of(memory, INT.resized(0, 0), 8));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "ArrayView: halo=2 on each side is too wide for sizes=[4, 5]",
                () -> field.withHalo(2));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "ArrayView: counts=[1, 3] from starts=[0, 3] are not within sizes=[4, 5]",
                () -> field.part(new int[] {0, 3}, new int[] {1, 3}));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "ArrayView: dimension=2, direction=1; pass a dimension from 0 to 1 and a direction of -1 or 1",
                () -> field.face(2, 1));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "ArrayView: dimension=0, direction=0; pass a dimension from 0 to 1 and a direction of -1 or 1",
                () -> field.halo(0, 0));
    }

    @Contract
    public static void recordsUnsupportedInAStruct(Trial t) {
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "ofRecord: Named.name is of type String; a struct consists of primitives and records of"
                        + " primitives; send objects with sendObject",
                () -> Datatype.ofRecord(Named.class));
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "ofRecord: Node.next is of type Node, which contains it; a struct consists of primitives and records"
                        + " of primitives; send objects with sendObject",
                () -> Datatype.ofRecord(Node.class));
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "ofRecord: " + Nothing.class.getName() + " has no components; declare at least one",
                () -> Datatype.ofRecord(Nothing.class));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "Records: a segment of 24 bytes is not a whole number of Point of 16 bytes",
                () -> Records.of(MemorySegment.ofArray(new long[3]), Point.class));
        Records<Point> three = Records.of(MemorySegment.ofArray(new long[6]), Point.class);
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "Records: offset=1152921504606846976, count=1 are not within the 3 records",
                () -> three.buf(1L << 60, 1));
    }

    @Contract
    public static void packersWithTooMuchOrTooLittle(Trial t) {
        Buf long2 = buf(new byte[1], 0, 1, Datatype.BYTE.hvector(1L << 31, 1, 0)); // the same byte 2^31 times
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "Packer.add: the packed data would have " + (1L << 31)
                        + " bytes, more than an array can hold; send it in parts",
                () -> new Packer().add(long2));
        Check.rejects(
                ErrorClass.ERR_BUFFER, "Packer.add: NONE has no data; pass a buffer", () -> new Packer().add(Buf.NONE));
        Check.rejects(
                ErrorClass.ERR_TRUNCATE,
                "Unpacker.take: 3 INT needs 12 bytes but 8 remain",
                () -> new Unpacker(new byte[8]).take(buf(new int[3])));
    }
}
