package org.tutti.mpi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;

import java.lang.foreign.MemorySegment;

/// The loops behind [PredefinedOp].
final class ReduceKernels {
    private ReduceKernels() {}

    static void apply(
            PredefinedOp op, Datatype type, MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count) {
        if (op != PredefinedOp.SUM || type != Datatype.DOUBLE) throw new IllegalStateException(op + " on " + type);
        for (long i = 0; i < count * 8; i += 8) {
            inout.set(JAVA_DOUBLE_UNALIGNED, inoutOffset + i, in.get(JAVA_DOUBLE_UNALIGNED, inOffset + i) + inout.get(JAVA_DOUBLE_UNALIGNED, inoutOffset + i));
        }
    }
}
