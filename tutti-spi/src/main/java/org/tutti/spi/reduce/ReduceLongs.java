package org.tutti.spi.reduce;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Elements;

/// The predefined operations on `LONG`; [ReduceKernels] tells how the loops are built.
final class ReduceLongs {
    private static final int BLOCK = ReduceKernels.BLOCK_BYTES / Long.BYTES;

    private record Block(long[] in, long[] inout) {}

    private static final ThreadLocal<Block> BLOCKS =
            ThreadLocal.withInitial(() -> new Block(new long[BLOCK], new long[BLOCK]));

    private ReduceLongs() {}

    static void apply(
            PredefinedReduction op, MemorySegment in, long inAt, MemorySegment inout, long inoutAt, long count) {
        if (count <= ReduceKernels.FEW) {
            for (long end = inAt + count * Long.BYTES; inAt < end; inAt += Long.BYTES, inoutAt += Long.BYTES) {
                long b = Elements.getLong(inout, inoutAt);
                Elements.setLong(inout, inoutAt, combine(op, Elements.getLong(in, inAt), b));
            }
            return;
        }
        Block block = BLOCKS.get();
        long[] a = block.in;
        long[] b = block.inout;
        for (long left = count; left > 0; ) {
            int n = (int) Math.min(BLOCK, left);
            MemorySegment.copy(in, JAVA_LONG_UNALIGNED, inAt, a, 0, n);
            MemorySegment.copy(inout, JAVA_LONG_UNALIGNED, inoutAt, b, 0, n);
            combine(op, a, b, n);
            MemorySegment.copy(b, 0, inout, JAVA_LONG_UNALIGNED, inoutAt, n);
            left -= n;
            inAt += (long) n * Long.BYTES;
            inoutAt += (long) n * Long.BYTES;
        }
    }

    private static long combine(PredefinedReduction op, long a, long b) {
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
            case MINLOC, MAXLOC -> throw ReduceKernels.undefined(op, ElementType.LONG);
        };
    }

    private static void combine(PredefinedReduction op, long[] a, long[] b, int n) {
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
            case MINLOC, MAXLOC -> throw ReduceKernels.undefined(op, ElementType.LONG);
        }
    }

    private static void sum(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] + b[i];
    }

    private static void prod(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] * b[i];
    }

    private static void min(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = Math.min(a[i], b[i]);
    }

    private static void max(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = Math.max(a[i], b[i]);
    }

    private static void land(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] != 0 && b[i] != 0 ? 1 : 0;
    }

    private static void lor(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = (a[i] | b[i]) != 0 ? 1 : 0;
    }

    private static void lxor(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = (a[i] != 0) != (b[i] != 0) ? 1 : 0;
    }

    private static void band(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] & b[i];
    }

    private static void bor(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] | b[i];
    }

    private static void bxor(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = a[i] ^ b[i];
    }
}
