package org.tutti.spi.reduce;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Elements;

/// The predefined operations on `FLOAT`; [ReduceKernels] tells how the loops are built.
final class ReduceFloats {
    private static final int BLOCK = ReduceKernels.BLOCK_BYTES / Float.BYTES;

    private record Block(float[] in, float[] inout) {}

    private static final ThreadLocal<Block> BLOCKS =
            ThreadLocal.withInitial(() -> new Block(new float[BLOCK], new float[BLOCK]));

    private ReduceFloats() {}

    static void apply(
            PredefinedReduction op, MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count) {
        if (count <= ReduceKernels.FEW) {
            for (long end = inAt + count * Float.BYTES; inAt < end; inAt += Float.BYTES, inoutAt += Float.BYTES) {
                float b = Elements.getFloat(inout, inoutAt);
                Elements.setFloat(inout, inoutAt, combine(op, Elements.getFloat(in, inAt), b));
            }
            return;
        }
        Block block = BLOCKS.get();
        float[] a = block.in;
        float[] b = block.inout;
        for (long left = count; left > 0; ) {
            int n = (int) Math.min(BLOCK, left);
            MemorySegment.copy(in, JAVA_FLOAT_UNALIGNED, inAt, a, 0, n);
            MemorySegment.copy(inout, JAVA_FLOAT_UNALIGNED, inoutAt, b, 0, n);
            combine(op, a, b, n);
            MemorySegment.copy(b, 0, inout, JAVA_FLOAT_UNALIGNED, inoutAt, n);
            left -= n;
            inAt += (long) n * Float.BYTES;
            inoutAt += (long) n * Float.BYTES;
        }
    }

    private static float combine(PredefinedReduction op, float a, float b) {
        return switch (op) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case LAND, LOR, LXOR, BAND, BOR, BXOR, MINLOC, MAXLOC ->
                throw ReduceKernels.undefined(op, ElementType.FLOAT);
        };
    }

    private static void combine(PredefinedReduction op, float[] a, float[] b, int n) {
        switch (op) {
            case SUM -> sum(a, b, n);
            case PROD -> prod(a, b, n);
            case MIN -> min(a, b, n);
            case MAX -> max(a, b, n);
            case LAND, LOR, LXOR, BAND, BOR, BXOR, MINLOC, MAXLOC ->
                throw ReduceKernels.undefined(op, ElementType.FLOAT);
        }
    }

    private static void sum(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] + b[i];
    }

    private static void prod(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] * b[i];
    }

    private static void min(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = Math.min(a[i], b[i]);
    }

    private static void max(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = Math.max(a[i], b[i]);
    }
}
