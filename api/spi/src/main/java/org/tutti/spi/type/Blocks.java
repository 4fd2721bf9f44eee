package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// Blocks that repeat the same piece: block b consists of copies of the piece at a distance of `stride` bytes;
/// the first copy is at `offsets[b]`.
final class Blocks extends Piece {
    private final long[] offsets;

    /// The offset of each block in the packed bytes, and in the last entry the end of the packed bytes.
    private final long[] packed;

    private final long stride;
    private final Piece child;

    Blocks(long[] offsets, long[] packed, long stride, Piece child) {
        super(packed[offsets.length]);
        this.offsets = offsets;
        this.packed = packed;
        this.stride = stride;
        this.child = child;
    }

    @Override
    void move(boolean out, MemorySegment memory, long at, MemorySegment stream, long streamAt, long from, long length) {
        int b = Parts.find(packed, from);
        long skipped = from - packed[b];
        for (long done = 0; done < length; b++) {
            long part = Math.min(length - done, packed[b + 1] - packed[b] - skipped);
            Loop.repeat(child, stride, out, memory, at + offsets[b], stream, streamAt + done, skipped, part);
            done += part;
            skipped = 0;
        }
    }

    private long reach(int b) {
        return Math.multiplyExact((packed[b + 1] - packed[b]) / child.bytes - 1, stride);
    }

    @Override
    long low() {
        long low = 0;
        for (int b = 0; b < offsets.length; b++) {
            low = Math.min(low, Math.addExact(offsets[b], child.low() + Math.min(0, reach(b))));
        }
        return low;
    }

    @Override
    long high() {
        long high = child.high();
        for (int b = 0; b < offsets.length; b++) {
            high = Math.max(high, Math.addExact(offsets[b], child.high() + Math.max(0, reach(b))));
        }
        return high;
    }

    @Override
    boolean isPlain() {
        long end = Long.MIN_VALUE;
        for (int b = 0; b < offsets.length; b++) {
            if (offsets[b] + child.low() + Math.min(0, reach(b)) < end) return false;
            end = offsets[b] + child.high() + Math.max(0, reach(b));
        }
        return Math.abs(stride) >= child.high() - child.low() && child.isPlain();
    }

    @Override
    long runs() {
        return TypeMap.saturated(bytes / child.bytes, child.runs());
    }

    @Override
    void visit(long at, long from, long length, RunVisitor visitor) {
        int b = Parts.find(packed, from);
        long skipped = from - packed[b];
        for (long done = 0; done < length; b++) {
            long part = Math.min(length - done, packed[b + 1] - packed[b] - skipped);
            Loop.visitEach(child, stride, at + offsets[b], skipped, part, visitor);
            done += part;
            skipped = 0;
        }
    }

    @Override
    boolean isAscending() {
        long end = 0;
        for (int b = 0; b < offsets.length; b++) {
            long reach = reach(b);
            if (offsets[b] < end || reach < 0 || reach > 0 && stride < child.high()) return false;
            end = offsets[b] + child.high() + reach;
        }
        return child.isAscending();
    }
}
