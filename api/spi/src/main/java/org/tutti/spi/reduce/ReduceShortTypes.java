package org.tutti.spi.reduce;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_CHAR_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.type.ElementType;

/// The predefined operations on `BYTE`, `BOOLEAN`, `SHORT` and `CHAR`. The values are converted to `int`,
/// combined, and converted back. Sums and products wrap as in the short type.
final class ReduceShortTypes {
    private static final int BLOCK = ReduceKernels.BLOCK_BYTES / Integer.BYTES;

    private record Block(byte[] bytes, short[] shorts, char[] chars, int[] in, int[] inout) {}

    private static final ThreadLocal<Block> BLOCKS = ThreadLocal.withInitial(
            () -> new Block(new byte[BLOCK], new short[BLOCK], new char[BLOCK], new int[BLOCK], new int[BLOCK]));

    private ReduceShortTypes() {}

    static void apply(
            PredefinedReduction op,
            ElementType type,
            MemorySegment in,
            long inAt,
            MemorySegment inout,
            long inoutAt,
            long count) {
        if (!op.supports(type)) throw ReduceKernels.undefined(op, type);
        Block block = BLOCKS.get();
        for (long left = count; left > 0; ) {
            int n = (int) Math.min(BLOCK, left);
            widen(type, in, inAt, block, block.in, n);
            widen(type, inout, inoutAt, block, block.inout, n);
            ReduceInts.combine(op, block.in, block.inout, n);
            narrow(type, block, inout, inoutAt, n);
            left -= n;
            inAt += (long) n * type.bytes();
            inoutAt += (long) n * type.bytes();
        }
    }

    private static void widen(ElementType type, MemorySegment from, long at, Block block, int[] to, int n) {
        if (type == ElementType.SHORT) {
            MemorySegment.copy(from, JAVA_SHORT_UNALIGNED, at, block.shorts, 0, n);
            for (int i = 0; i < n; i++) to[i] = block.shorts[i];
        } else if (type == ElementType.CHAR) {
            MemorySegment.copy(from, JAVA_CHAR_UNALIGNED, at, block.chars, 0, n);
            for (int i = 0; i < n; i++) to[i] = block.chars[i];
        } else {
            MemorySegment.copy(from, JAVA_BYTE, at, block.bytes, 0, n);
            for (int i = 0; i < n; i++) to[i] = block.bytes[i];
        }
    }

    private static void narrow(ElementType type, Block block, MemorySegment to, long at, int n) {
        int[] from = block.inout;
        if (type == ElementType.SHORT) {
            for (int i = 0; i < n; i++) block.shorts[i] = (short) from[i];
            MemorySegment.copy(block.shorts, 0, to, JAVA_SHORT_UNALIGNED, at, n);
        } else if (type == ElementType.CHAR) {
            for (int i = 0; i < n; i++) block.chars[i] = (char) from[i];
            MemorySegment.copy(block.chars, 0, to, JAVA_CHAR_UNALIGNED, at, n);
        } else {
            for (int i = 0; i < n; i++) block.bytes[i] = (byte) from[i];
            MemorySegment.copy(block.bytes, 0, to, JAVA_BYTE, at, n);
        }
    }
}
