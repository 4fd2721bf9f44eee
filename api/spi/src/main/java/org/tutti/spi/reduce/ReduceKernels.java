package org.tutti.spi.reduce;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;

/// The loops behind [PredefinedReduction].
///
/// A loop over segments is fast only as long as one kind of segment has passed through it: after heap
/// arrays and native memory have been mixed, SUM of 131,072 doubles takes 3 ms. Even before that it may
/// not vectorise, because the compiler cannot rule out that two segments overlap (JDK 25). So a few
/// elements are combined one by one through [org.tutti.spi.type.Elements], and many in blocks that are
/// copied to arrays of the thread, which stay in the nearest cache: 55 µs for the same SUM, 5 to 9 ns for
/// one element, whatever the mixture (AMD EPYC, two cores).
///
/// One class per element type; the types shorter than an int share the loops of `INT`. Those of `LONG` and
/// `FLOAT` are the ones of `INT` and `DOUBLE` with other words, made when Tutti is built
/// (src/main/loops/GenerateLoops.java).
final class ReduceKernels {
    /// The length of a block. Two of them and the loop's code fit into any first-level cache.
    static final int BLOCK_BYTES = 4096;

    /// Up to this many elements copying costs more than it saves.
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
