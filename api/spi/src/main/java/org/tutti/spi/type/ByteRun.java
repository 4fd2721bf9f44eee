package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// Contiguous bytes.
final class ByteRun extends Piece {
    ByteRun(long bytes) {
        super(bytes);
    }

    @Override
    void move(boolean out, MemorySegment memory, long at, MemorySegment stream, long streamAt, long from, long length) {
        if (out) Moves.copy(memory, at + from, stream, streamAt, length);
        else Moves.copy(stream, streamAt, memory, at + from, length);
    }

    @Override
    long low() {
        return 0;
    }

    @Override
    long high() {
        return bytes;
    }

    @Override
    boolean isPlain() {
        return true;
    }

    @Override
    long runs() {
        return 1;
    }

    @Override
    void visit(long at, long from, long length, RunVisitor visitor) {
        visitor.run(at + from, length);
    }

    @Override
    boolean isAscending() {
        return true;
    }
}
