package org.tutti.spi.reduce;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Elements;

/// The predefined operations on `INT`; [ReduceKernels] describes the loops.
final class ReduceInts {
    private static final int BLOCK = ReduceKernels.BLOCK_BYTES / Integer.BYTES;

    private record Block(int[] in, int[] inout) {}

    private static final ThreadLocal<Block> BLOCKS =
            ThreadLocal.withInitial(() -> new Block(new int[BLOCK], new int[BLOCK]));

    private ReduceInts() {}

    static void apply(
            PredefinedReduction op, MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count) {
        if (count <= ReduceKernels.FEW) {
            for (long end = inAt + count * Integer.BYTES; inAt < end; inAt += Integer.BYTES, inoutAt += Integer.BYTES) {
                int b = Elements.getInt(inout, inoutAt);
                Elements.setInt(inout, inoutAt, combine(op, Elements.getInt(in, inAt), b));
            }
            return;
        }
        Block block = BLOCKS.get();
        int[] a = block.in;
        int[] b = block.inout;
        for (long left = count; left > 0; ) {
            int n = (int) Math.min(BLOCK, left);
            MemorySegment.copy(in, JAVA_INT_UNALIGNED, inAt, a, 0, n);
            MemorySegment.copy(inout, JAVA_INT_UNALIGNED, inoutAt, b, 0, n);
            combine(op, a, b, n);
            MemorySegment.copy(b, 0, inout, JAVA_INT_UNALIGNED, inoutAt, n);
            left -= n;
            inAt += (long) n * Integer.BYTES;
            inoutAt += (long) n * Integer.BYTES;
        }
    }

    private static int combine(PredefinedReduction op, int a, int b) {
        return switch (op) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case LAND -> a != 0 && b != 0 ? 1 : 0;
            case LOR -> (a | b) != 0 ? 1 : 0;
            case LXOR -> (a != 0) != (b != 0) ? 1 : 0;
            case BAND -> a & b;
            case BOR -> a | b;
            case BXOR -> a ^ b;
            case MINLOC, MAXLOC -> throw ReduceKernels.undefined(op, ElementType.INT);
        };
    }

    /// Combines the first `n` elements of two arrays into the second.
    static void combine(PredefinedReduction op, int[] a, int[] b, int n) {
        switch (op) {
            case SUM -> sum(a, b, n);
            case PROD -> prod(a, b, n);
            case MIN -> min(a, b, n);
            case MAX -> max(a, b, n);
            case LAND -> land(a, b, n);
            case LOR -> lor(a, b, n);
            case LXOR -> lxor(a, b, n);
            case BAND -> band(a, b, n);
            case BOR -> bor(a, b, n);
            case BXOR -> bxor(a, b, n);
            case MINLOC, MAXLOC -> throw ReduceKernels.undefined(op, ElementType.INT);
        }
    }

    private static void sum(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] + b[i];
    }

    private static void prod(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] * b[i];
    }

    private static void min(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = Math.min(a[i], b[i]);
    }

    private static void max(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = Math.max(a[i], b[i]);
    }

    private static void land(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] != 0 && b[i] != 0 ? 1 : 0;
    }

    private static void lor(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = (a[i] | b[i]) != 0 ? 1 : 0;
    }

    private static void lxor(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = (a[i] != 0) != (b[i] != 0) ? 1 : 0;
    }

    private static void band(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] & b[i];
    }

    private static void bor(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] | b[i];
    }

    private static void bxor(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] ^ b[i];
    }
}
