package org.tutti.spi.type;

import java.lang.foreign.MemorySegment;

/// Different pieces, each at an offset.
final class Parts extends Piece {
    private final long[] offsets;
    private final Piece[] parts;

    /// The offset of each piece in the packed bytes, and in the last entry the end of the packed bytes.
    private final long[] packed;

    Parts(long[] offsets, Piece[] parts) {
        this(offsets, parts, starts(parts));
    }

    private Parts(long[] offsets, Piece[] parts, long[] packed) {
        super(packed[parts.length]);
        this.offsets = offsets;
        this.parts = parts;
        this.packed = packed;
    }

    private static long[] starts(Piece[] parts) {
        long[] starts = new long[parts.length + 1];
        for (int i = 0; i < parts.length; i++) starts[i + 1] = Math.addExact(starts[i], parts[i].bytes);
        return starts;
    }

    /// Returns the index of the entry that contains byte `at`, given the start of each entry. No entry may be
    /// empty.
    static int find(long[] starts, long at) {
        int low = 0;
        for (int high = starts.length - 1; high - low > 1; ) {
            int middle = (low + high) >>> 1;
            if (starts[middle] <= at) low = middle;
            else high = middle;
        }
        return low;
    }

    @Override
    void move(boolean out, MemorySegment memory, long at, MemorySegment stream, long streamAt, long from, long length) {
        int i = find(packed, from);
        long skipped = from - packed[i];
        for (long done = 0; done < length; i++) {
            long part = Math.min(length - done, parts[i].bytes - skipped);
            parts[i].move(out, memory, at + offsets[i], stream, streamAt + done, skipped, part);
            done += part;
            skipped = 0;
        }
    }

    @Override
    long low() {
        long low = 0;
        for (int i = 0; i < parts.length; i++) low = Math.min(low, Math.addExact(offsets[i], parts[i].low()));
        return low;
    }

    @Override
    long high() {
        long high = parts[0].high();
        for (int i = 0; i < parts.length; i++) high = Math.max(high, Math.addExact(offsets[i], parts[i].high()));
        return high;
    }

    @Override
    boolean isPlain() {
        long end = Long.MIN_VALUE;
        for (int i = 0; i < parts.length; i++) {
            if (offsets[i] + parts[i].low() < end || !parts[i].isPlain()) return false;
            end = offsets[i] + parts[i].high();
        }
        return true;
    }

    @Override
    long runs() {
        long runs = 0;
        for (Piece p : parts) runs = Math.min(Long.MAX_VALUE / 2, runs + p.runs());
        return runs;
    }

    @Override
    void visit(long at, long from, long length, RunVisitor visitor) {
        int i = find(packed, from);
        long skipped = from - packed[i];
        for (long done = 0; done < length; i++) {
            long part = Math.min(length - done, parts[i].bytes - skipped);
            parts[i].visit(at + offsets[i], skipped, part, visitor);
            done += part;
            skipped = 0;
        }
    }

    @Override
    boolean isAscending() {
        long end = 0;
        for (int i = 0; i < parts.length; i++) {
            if (offsets[i] < end || !parts[i].isAscending()) return false;
            end = offsets[i] + parts[i].high();
        }
        return true;
    }
}
