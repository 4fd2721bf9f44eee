package org.tutti.conformance.contract.type;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.tutti.conformance.trial.TypeModel;
import org.tutti.conformance.trial.TypedArea;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;

/// Displacements and lengths of the blocks of a buffer, in elements of a derived type.
record DerivedBlocks(long[] counts, long[] displacements, int all) {
    /// Returns three types: a column of a matrix, resized so that the next element is the next column; a struct
    /// with gaps at the beginning, in the middle and at the end; and a part of a cube.
    static List<TypeModel> models() {
        TypeModel column = TypeModel.of(Datatype.INT).vector(5, 1, 99).resized(0, 4);
        TypeModel struct = TypeModel.struct(
                List.of(TypeModel.of(Datatype.SHORT), TypeModel.of(Datatype.DOUBLE), TypeModel.of(Datatype.INT)),
                2,
                8,
                24);
        return List.of(
                column, struct.resized(0, 32), TypeModel.of(Datatype.LONG).vector(2, 3, 4));
    }

    /// Returns the values that rank `rank` passes as block `block`.
    static IntUnaryOperator value(int rank, int block) {
        return i -> 31 * i + 7 * rank + 13 * block + 1;
    }

    /// Returns the blocks. In the v form (`uneven`), some blocks are empty, and the blocks are stored in
    /// reverse order with gaps.
    static DerivedBlocks of(int blocks, boolean uneven) {
        return of(blocks, uneven, block -> uneven ? block % 3 : 2);
    }

    static DerivedBlocks of(int blocks, boolean uneven, IntUnaryOperator lengths) {
        long[] counts = new long[blocks], displacements = new long[blocks];
        long at = uneven ? 1 : 0;
        for (int b = 0; b < blocks; b++) {
            int block = uneven ? blocks - 1 - b : b;
            counts[block] = lengths.applyAsInt(block);
            displacements[block] = at;
            at += counts[block] + (uneven ? 1 : 0);
        }
        return new DerivedBlocks(counts, displacements, (int) at);
    }

    int count(int block) {
        return (int) counts[block];
    }

    Buf in(TypedArea area, boolean uneven) {
        return uneven ? area.buf().blocks(counts, displacements) : area.buf();
    }

    /// Returns the bytes of the whole buffer: bytes outside of the blocks are 0.
    IntUnaryOperator joined(long elementBytes, IntFunction<IntUnaryOperator> block) {
        return i -> {
            for (int b = 0; b < counts.length; b++) {
                long first = displacements[b] * elementBytes;
                if (i >= first && i < first + counts[b] * elementBytes) {
                    return block.apply(b).applyAsInt((int) (i - first));
                }
            }
            return 0;
        };
    }

    static TypedArea empty(TypeModel m, int count, boolean heap) {
        return new TypedArea(m, count, heap).fill(i -> 0);
    }

    /// Returns `count` elements of `m` as one element of a type with different positions.
    static TypedArea spread(TypeModel m, int count) {
        return count == 0 ? new TypedArea(m, 0, true) : new TypedArea(m.spread(count), 1, count % 2 == 0);
    }
}
