package org.tutti.spi.reduce;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;

/// The loops of [PredefinedReduction].
///
/// A loop over segments is fast only as long as it has processed only one kind of segment: after a mixture of
/// heap arrays and native memory, SUM of 131,072 doubles needs 3 ms. Even before that, the loop is sometimes not
/// vectorized, because the compiler cannot exclude that two segments overlap (JDK 25). Therefore short operands
/// are combined element by element through [org.tutti.spi.type.Elements], and long operands in blocks that are
/// copied to arrays of the thread, which stay in the first-level cache. For any mixture, the same SUM then needs
/// 55 µs, and one element 5 to 9 ns (AMD EPYC, two cores).
///
/// `INT`, `LONG`, `FLOAT` and `DOUBLE` have one class each. Types shorter than `int` share the loops of `INT`;
/// complex types have one class, and pairs have one class. The loops of `LONG` and `FLOAT` are generated from
/// the loops of `INT` and `DOUBLE` by the build (src/main/loops/GenerateLoops.java).
final class ReduceKernels {
    /// The length of a block in bytes. Two blocks and the loop's code fit into any first-level cache.
    static final int BLOCK_BYTES = 4096;

    /// Up to this number of elements, copying costs more than it saves.
    static final int FEW = 16;

    private ReduceKernels() {}

    static void apply(
            PredefinedReduction op,
            ElementType type,
            MemorySegment in,
            long inAt,
            MemorySegment inout,
            long inoutAt,
            long count) {
        if (type == ElementType.DOUBLE) ReduceDoubles.apply(op, in, inAt, inout, inoutAt, count);
        else if (type == ElementType.FLOAT) ReduceFloats.apply(op, in, inAt, inout, inoutAt, count);
        else if (type == ElementType.LONG) ReduceLongs.apply(op, in, inAt, inout, inoutAt, count);
        else if (type == ElementType.INT) ReduceInts.apply(op, in, inAt, inout, inoutAt, count);
        else if (type.isComplex()) ReduceComplex.apply(op, type, in, inAt, inout, inoutAt, count);
        else if (type.isPair()) ReducePairs.apply(op, type, in, inAt, inout, inoutAt, count);
        else ReduceShortTypes.apply(op, type, in, inAt, inout, inoutAt, count);
    }

    static IllegalStateException undefined(PredefinedReduction op, ElementType type) {
        return new IllegalStateException(op + " is not defined for " + type);
    }
}
