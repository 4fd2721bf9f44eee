package org.tutti.spi.reduce;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Elements;

/// The predefined operations on `DOUBLE`; [ReduceKernels] describes the loops.
final class ReduceDoubles {
    private static final int BLOCK = ReduceKernels.BLOCK_BYTES / Double.BYTES;

    private record Block(double[] in, double[] inout) {}

    private static final ThreadLocal<Block> BLOCKS =
            ThreadLocal.withInitial(() -> new Block(new double[BLOCK], new double[BLOCK]));

    private ReduceDoubles() {}

    static void apply(
            PredefinedReduction op, MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count) {
        if (count <= ReduceKernels.FEW) {
            for (long end = inAt + count * Double.BYTES; inAt < end; inAt += Double.BYTES, inoutAt += Double.BYTES) {
                double b = Elements.getDouble(inout, inoutAt);
                Elements.setDouble(inout, inoutAt, combine(op, Elements.getDouble(in, inAt), b));
            }
            return;
        }
        Block block = BLOCKS.get();
        double[] a = block.in;
        double[] b = block.inout;
        for (long left = count; left > 0; ) {
            int n = (int) Math.min(BLOCK, left);
            MemorySegment.copy(in, JAVA_DOUBLE_UNALIGNED, inAt, a, 0, n);
            MemorySegment.copy(inout, JAVA_DOUBLE_UNALIGNED, inoutAt, b, 0, n);
            combine(op, a, b, n);
            MemorySegment.copy(b, 0, inout, JAVA_DOUBLE_UNALIGNED, inoutAt, n);
            left -= n;
            inAt += (long) n * Double.BYTES;
            inoutAt += (long) n * Double.BYTES;
        }
    }

    private static double combine(PredefinedReduction op, double a, double b) {
        return switch (op) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case LAND, LOR, LXOR, BAND, BOR, BXOR, MINLOC, MAXLOC ->
                throw ReduceKernels.undefined(op, ElementType.DOUBLE);
        };
    }

    private static void combine(PredefinedReduction op, double[] a, double[] b, int n) {
        switch (op) {
            case SUM -> sum(a, b, n);
            case PROD -> prod(a, b, n);
            case MIN -> min(a, b, n);
            case MAX -> max(a, b, n);
            case LAND, LOR, LXOR, BAND, BOR, BXOR, MINLOC, MAXLOC ->
                throw ReduceKernels.undefined(op, ElementType.DOUBLE);
        }
    }

    private static void sum(double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] + b[i];
    }

    private static void prod(double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] * b[i];
    }

    private static void min(double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = Math.min(a[i], b[i]);
    }

    private static void max(double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = Math.max(a[i], b[i]);
    }
}
