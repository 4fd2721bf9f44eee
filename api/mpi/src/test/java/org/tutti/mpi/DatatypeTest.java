package org.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.mpi.Buf.buf;
import static org.tutti.mpi.Datatype.BYTE;
import static org.tutti.mpi.Datatype.DOUBLE;
import static org.tutti.mpi.Datatype.INT;
import static org.tutti.mpi.Datatype.SHORT;

import java.lang.foreign.MemorySegment;
import java.nio.DoubleBuffer;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// Derived types as values. The contract tests, which run on every engine, check the data of transfers with
/// such types.
class DatatypeTest {
    private static final Datatype PAIR = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, DOUBLE, INT);

    private static void rejected(ErrorClass errorClass, String text, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(MpiException.class, e -> {
            assertThat(e.errorClass()).isEqualTo(errorClass);
            assertThat(e).hasMessage(text);
        });
    }

    @Test
    void structExtentAlignsTheNextElement() {
        assertThat(PAIR.sizeBytes()).isEqualTo(12);
        assertThat(PAIR.extent()).isEqualTo(16);
        assertThat(PAIR.trueExtent()).isEqualTo(12);
        assertThat(PAIR.contiguous(3).extent()).isEqualTo(48);
        assertThat(PAIR.contiguous(3).trueExtent()).isEqualTo(44);
    }

    @Test
    void boundsThatWereSetGoUpwards() {
        Datatype wide = INT.resized(-4, 16);
        Datatype both = Datatype.struct(new int[] {2, 1}, new long[] {0, 100}, wide, DOUBLE);
        assertThat(both.lowerBound()).isEqualTo(-4);
        assertThat(both.upperBound()).isEqualTo(28);
        assertThat(both.trueExtent()).isEqualTo(108);
    }

    @Test
    void aMillionCopiesAreOneLoop() {
        Datatype column = DOUBLE.vector(1_000_000, 1, 1000);
        assertThat(column.sizeBytes()).isEqualTo(8_000_000);
        assertThat(column.elements().signatureHash(8_000_000))
                .isEqualTo(DOUBLE.elements().signatureHash(8_000_000));
        assertThat(column.elements().basic()).isSameAs(DOUBLE.elements());
    }

    @Test
    void signaturesAreEqualHoweverTheyAreMade() {
        Datatype pairs = PAIR.contiguous(5);
        Datatype flat = Datatype.struct(
                new int[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                new long[] {0, 8, 16, 24, 32, 40, 48, 56, 64, 72},
                DOUBLE,
                INT,
                DOUBLE,
                INT,
                DOUBLE,
                INT,
                DOUBLE,
                INT,
                DOUBLE,
                INT);
        Datatype rest = Datatype.struct(new int[] {1, 4}, new long[] {0, 16}, PAIR, PAIR);
        for (long length : new long[] {0, 8, 12, 20, 24, 60, 120}) {
            assertThat(pairs.elements().signatureHash(length))
                    .isEqualTo(PAIR.elements().signatureHash(length));
            assertThat(flat.elements().signatureHash(length))
                    .isEqualTo(PAIR.elements().signatureHash(length));
            assertThat(rest.elements().signatureHash(length))
                    .isEqualTo(PAIR.elements().signatureHash(length));
        }
        assertThat(PAIR.elements().signatureHash(8)).isEqualTo(DOUBLE.elements().signatureHash(8));
        Datatype turned = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, INT, DOUBLE);
        assertThat(turned.elements().signatureHash(12))
                .isNotEqualTo(PAIR.elements().signatureHash(12));
    }

    @Test
    void reportsEnvelopeAndContents() {
        Datatype t = INT.vector(3, 2, 5);
        assertThat(t).hasToString("vector(3, 2, 5) of INT");
        assertThat(t.contents())
                .isEqualTo(new TypeContents(Combiner.VECTOR, List.of(3L, 2L, 5L), List.of(), List.of(INT)));
        assertThat(INT.contents().combiner()).isEqualTo(Combiner.NAMED);
        assertThat(INT.hvector(3, 2, 40).contents().addresses()).containsExactly(40L);
        assertThat(INT.indexed(new int[] {1, 2}, new int[] {4, 0}).contents().integers())
                .containsExactly(2L, 1L, 2L, 4L, 0L);
        assertThat(PAIR).hasToString("struct(2, 1, 1, 0, 8) of DOUBLE, INT");
        assertThat(SHORT.hindexedBlock(2, new long[] {0, 10})).hasToString("hindexedBlock(2, 2, 0, 10) of SHORT");
        assertThat(t.resized(0, 4)).hasToString("resized(0, 4) of vector(3, 2, 5) of INT");
        assertThat(t.dup().contents().types()).containsExactly(t);
        assertThat(t.named("faces")).hasToString("faces");
        assertThat(t.named("faces").contents()).isEqualTo(t.contents());
        assertThat(INT.indexedBlock(1, new int[20])).hasToString("indexedBlock(20, 1, 0, 0, 0, 0, 0, 0, …) of INT");
    }

    @Test
    void rejectsNegativeCounts() {
        rejected(ErrorClass.ERR_COUNT, "contiguous: count=-1 is negative", () -> INT.contiguous(-1));
        rejected(ErrorClass.ERR_COUNT, "vector: count=-2 is negative", () -> INT.vector(-2, 1, 1));
        rejected(ErrorClass.ERR_COUNT, "vector: blockLength=-3 is negative", () -> INT.vector(1, -3, 1));
        rejected(ErrorClass.ERR_COUNT, "hvector: blockLength=-3 is negative", () -> INT.hvector(1, -3, 1));
        rejected(
                ErrorClass.ERR_COUNT,
                "indexed: blockLengths[1]=-4 is negative",
                () -> INT.indexed(new int[] {1, -4}, new int[2]));
        rejected(
                ErrorClass.ERR_COUNT,
                "hindexedBlock: blockLengths[0]=-1 is negative",
                () -> INT.hindexedBlock(-1, new long[2]));
        rejected(
                ErrorClass.ERR_COUNT,
                "struct: blockLengths[0]=-1 is negative",
                () -> Datatype.struct(new int[] {-1}, new long[1], INT));
    }

    @Test
    void rejectsArraysThatDifferInLength() {
        rejected(
                ErrorClass.ERR_ARG,
                "indexed: 2 blockLengths but 3 displacements",
                () -> INT.indexed(new int[2], new int[3]));
        rejected(
                ErrorClass.ERR_ARG,
                "struct: 2 blockLengths but 1 types",
                () -> Datatype.struct(new int[2], new long[2], INT));
        rejected(
                ErrorClass.ERR_ARG,
                "subarray: 2 sizes but 1 starts",
                () -> INT.subarray(new int[] {2, 2}, new int[] {1, 1}, new int[1]));
    }

    @Test
    void rejectsPartsOutsideTheArray() {
        rejected(
                ErrorClass.ERR_ARG,
                "subarray: partSizes[1]=3 from starts[1]=2 is not within sizes[1]=4",
                () -> INT.subarray(new int[] {4, 4}, new int[] {1, 3}, new int[] {0, 2}));
        rejected(
                ErrorClass.ERR_ARG,
                "subarray: sizes[0]=0 is not positive",
                () -> INT.subarray(new int[] {0}, new int[] {1}, new int[] {0}));
        rejected(
                ErrorClass.ERR_ARG,
                "subarray: the array has no dimensions",
                () -> INT.subarray(new int[0], new int[0], new int[0]));
    }

    private static Datatype darray(int size, int rank, Distribution way, int argument, int processes) {
        return INT.darray(
                size,
                rank,
                new int[] {10},
                new Distribution[] {way},
                new int[] {argument},
                new int[] {processes},
                ArrayOrder.C);
    }

    @Test
    void rejectsDistributionsThatDoNotGoTogether() {
        int byDefault = Distribution.DEFAULT_ARGUMENT;
        rejected(
                ErrorClass.ERR_ARG,
                "darray: processes=[3] have a product of 3, not size=4",
                () -> darray(4, 0, Distribution.BLOCK, byDefault, 3));
        rejected(
                ErrorClass.ERR_ARG,
                "darray: rank=3 is not in 0 to 2",
                () -> darray(3, 3, Distribution.BLOCK, byDefault, 3));
        rejected(
                ErrorClass.ERR_ARG,
                "darray: processes[0]=3 blocks of arguments[0]=2 do not hold sizes[0]=10",
                () -> darray(3, 0, Distribution.BLOCK, 2, 3));
        rejected(
                ErrorClass.ERR_ARG,
                "darray: dimension 0 is not divided, but has processes[0]=3",
                () -> darray(3, 0, Distribution.NONE, byDefault, 3));
        rejected(
                ErrorClass.ERR_ARG,
                "darray: arguments[0]=0 is not a positive block length",
                () -> darray(3, 0, Distribution.CYCLIC, 0, 3));
        rejected(
                ErrorClass.ERR_ARG,
                "darray: processes=[0] must all be positive",
                () -> darray(3, 0, Distribution.CYCLIC, 1, 0));
    }

    @Test
    void rejectsSizesAboveLong() {
        rejected(
                ErrorClass.ERR_ARG,
                "vector: the type would exceed 2^63 - 1 bytes",
                () -> INT.vector(1L << 40, 1, 1L << 40));
        Datatype large = BYTE.contiguous(3L << 30);
        assertThat(large.sizeBytes()).isEqualTo(3L << 30);
    }

    @Test
    void rejectsBuffersThatAreTooShort() {
        Datatype column = DOUBLE.vector(4, 1, 3);
        double[] matrix = new double[12];
        assertThat(buf(matrix, 2, 1, column)).hasToString("1 vector(4, 1, 3) of DOUBLE");
        rejected(
                ErrorClass.ERR_BUFFER,
                "buf: offset=3, count=1 of vector(4, 1, 3) of DOUBLE need bytes 24 to 104 of a memory of 96 bytes",
                () -> buf(matrix, 3, 1, column));
        rejected(
                ErrorClass.ERR_BUFFER,
                "buf: offset=0, count=2 of vector(4, 1, -3) of DOUBLE need bytes -72 to 88 of a memory of 96 bytes",
                () -> buf(matrix, 0, 2, DOUBLE.vector(4, 1, -3)));
        rejected(ErrorClass.ERR_COUNT, "buf: count=-1 is negative", () -> buf(matrix, 0, -1, column));
        rejected(
                ErrorClass.ERR_BUFFER,
                "buf: offset=0, count=2 of contiguous(2) of DOUBLE need bytes 0 to 32 of a memory of 24 bytes",
                () -> buf(DoubleBuffer.wrap(matrix, 1, 3), 2, DOUBLE.contiguous(2)));
    }

    @Test
    void rejectsElementsThatTheArrayDoesNotConsistOf() {
        rejected(
                ErrorClass.ERR_TYPE,
                "buf: the array is of DOUBLE but vector(2, 1, 2) of INT consists of INT",
                () -> buf(new double[9], 0, 1, INT.vector(2, 1, 2)));
        rejected(
                ErrorClass.ERR_TYPE,
                "buf: the array is of DOUBLE but struct(2, 1, 1, 0, 8) of DOUBLE, INT consists of several types; use"
                        + " a byte[] or a segment",
                () -> buf(new double[9], 0, 1, PAIR));
    }

    @Test
    void aSegmentHoldsAWholeNumberOfElements() {
        MemorySegment s = MemorySegment.ofArray(new byte[64]);
        assertThat(buf(s, PAIR).count()).isEqualTo(4);
        rejected(
                ErrorClass.ERR_BUFFER,
                "buf: a segment of 60 bytes is not a whole number of struct(2, 1, 1, 0, 8) of DOUBLE, INT elements of 16"
                        + " bytes; pass the count: buf(segment, offset, count, type)",
                () -> buf(s.asSlice(0, 60), PAIR));
    }

    @Test
    void onlyTheConstantsArePredefined() {
        Datatype metres = DOUBLE.named("metres");
        assertThat(metres).hasToString("metres");
        assertThat(metres.isPredefined()).isFalse();
        assertThat(metres.contents()).isEqualTo(DOUBLE.dup().contents());
        assertThat(metres.elements().basic()).isSameAs(DOUBLE.elements());
        assertThat(DOUBLE).hasToString("DOUBLE");
    }

    @Test
    void emptyTypesReportTheElementType() {
        assertThat(INT.contiguous(0).elements().basic()).isSameAs(INT.elements());
        assertThat(INT.vector(0, 3, 4).contiguous(7).elements().basic()).isSameAs(INT.elements());
        assertThat(PAIR.contiguous(0).elements().isMixed()).isTrue();
        assertThat(Datatype.struct(new int[] {0, 0}, new long[2], INT, INT)
                        .elements()
                        .basic())
                .isSameAs(INT.elements());
        assertThat(Datatype.struct(new int[0], new long[0]).elements().basic()).isSameAs(BYTE.elements());
        assertThat(buf(new double[1], 0, 3, DOUBLE.contiguous(0)).wireCount()).isZero();
        assertThat(PAIR.contiguous(0).elements().signatureHash(0))
                .isEqualTo(PAIR.elements().signatureHash(0));
    }

    @Test
    void rejectsExtentsAboveLong() {
        long far = 3L << 61;
        String end = ": the type would exceed 2^63 - 1 bytes";
        rejected(ErrorClass.ERR_ARG, "hindexed" + end, () -> INT.hindexed(new int[] {1, 2}, new long[] {-far, far}));
        rejected(
                ErrorClass.ERR_ARG,
                "hindexedBlock" + end,
                () -> INT.resized(0, 4).hindexedBlock(1, new long[] {-far, 0, far}));
    }

    @Test
    void detectsOverlappingBytes() {
        byte[] memory = new byte[400];
        assertThat(buf(memory, 0, 1, BYTE.hindexed(new int[] {9, 1, 3}, new long[] {0, 20, 9}))
                        .overlaps())
                .isFalse();
        assertThat(buf(memory, 0, 1, BYTE.hindexed(new int[] {9, 1, 3}, new long[] {0, 5, 20}))
                        .overlaps())
                .isTrue();
        assertThat(buf(memory, 0, 1, BYTE.hindexed(new int[] {3, 1, 9}, new long[] {20, 40, 14}))
                        .overlaps())
                .isTrue();
        // a column and the next column do not overlap; a column and the same column, shifted by one row, do
        Datatype column = SHORT.vector(5, 1, 4);
        assertThat(buf(memory, 0, 2, column.resized(0, 2)).overlaps()).isFalse();
        assertThat(buf(memory, 0, 2, column.resized(0, 8)).overlaps()).isTrue();
    }
}
