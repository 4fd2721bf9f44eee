package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// A piece that is repeated `count` times, at a distance of `stride` bytes.
final class Loop extends Piece {
    final long count;
    final long stride;
    final Piece child;

    Loop(long count, long stride, Piece child) {
        super(Math.multiplyExact(count, child.bytes));
        this.count = count;
        this.stride = stride;
        this.child = child;
    }

    @Override
    void move(boolean out, MemorySegment memory, long at, MemorySegment stream, long streamAt, long from, long length) {
        repeat(child, stride, out, memory, at, stream, streamAt, from, length);
    }

    /// Applies [Piece#move] to all copies of `child`.
    static void repeat(
            Piece child,
            long stride,
            boolean out,
            MemorySegment memory,
            long at,
            MemorySegment stream,
            long streamAt,
            long from,
            long length) {
        long each = child.bytes;
        long place = at + from / each * stride;
        long skipped = from % each;
        long done = 0;
        if (skipped > 0) {
            done = Math.min(length, each - skipped);
            child.move(out, memory, place, stream, streamAt, skipped, done);
            place += stride;
        }
        long whole = (length - done) / each;
        if (child.isDense()) {
            Moves.strided(out, memory, place, stride, stream, streamAt + done, each, whole);
        } else {
            for (long i = 0; i < whole; i++) {
                child.move(out, memory, place + i * stride, stream, streamAt + done + i * each, 0, each);
            }
        }
        place += whole * stride;
        done += whole * each;
        if (done < length) child.move(out, memory, place, stream, streamAt + done, 0, length - done);
    }

    @Override
    long low() {
        return Math.addExact(child.low(), Math.min(0, Math.multiplyExact(count - 1, stride)));
    }

    @Override
    long high() {
        return Math.addExact(child.high(), Math.max(0, Math.multiplyExact(count - 1, stride)));
    }

    @Override
    boolean isPlain() {
        return Math.abs(stride) >= child.high() - child.low() && child.isPlain();
    }

    @Override
    long runs() {
        return TypeMap.saturated(count, child.runs());
    }

    @Override
    void visit(long at, long from, long length, RunVisitor visitor) {
        visitEach(child, stride, at, from, length, visitor);
    }

    /// Applies [Piece#visit] to all copies of `child`.
    static void visitEach(Piece child, long stride, long at, long from, long length, RunVisitor visitor) {
        long each = child.bytes;
        long place = at + from / each * stride;
        long skipped = from % each;
        for (long done = 0; done < length; place += stride) {
            long part = Math.min(length - done, each - skipped);
            child.visit(place, skipped, part, visitor);
            done += part;
            skipped = 0;
        }
    }

    @Override
    boolean isAscending() {
        return stride >= child.high() && child.isAscending();
    }
}
