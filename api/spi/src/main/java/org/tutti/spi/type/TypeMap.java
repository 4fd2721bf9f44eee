package org.tutti.spi.type;

import java.util.Arrays;
import java.util.List;

/// A type map or a part of a type map: a piece and the offset of the first packed byte. Combinations are
/// simplified: adjacent runs become one run, and regular blocks become a loop.
///
/// @throws ArithmeticException if lengths or offsets do not fit into a `long`
public record TypeMap(long offset, Piece piece) {
    public static final TypeMap EMPTY = new TypeMap(0, Piece.EMPTY);

    /// The maximum number of runs that are compared for overlaps.
    private static final int MOST_COMPARED = 1 << 16;

    /// Returns the map of `bytes` contiguous bytes.
    public static TypeMap run(long bytes) {
        return new TypeMap(0, new ByteRun(bytes));
    }

    public boolean isEmpty() {
        return piece.bytes == 0;
    }

    /// Returns whether the map is a single run of bytes.
    public boolean isDense() {
        return piece.isDense();
    }

    /// Returns the lowest offset.
    public long low() {
        return isEmpty() ? 0 : Math.addExact(offset, piece.low());
    }

    /// Returns the offset after the highest byte.
    public long high() {
        return isEmpty() ? 0 : Math.addExact(offset, piece.high());
    }

    /// Returns the same map, shifted by `bytes` bytes.
    public TypeMap moved(long bytes) {
        return isEmpty() ? this : new TypeMap(Math.addExact(offset, bytes), piece);
    }

    /// Returns `count` copies of this map at a distance of `stride` bytes.
    public TypeMap loop(long count, long stride) {
        if (count == 0 || isEmpty()) return EMPTY;
        if (count == 1) return this;
        if (piece instanceof ByteRun && piece.bytes == stride) {
            return new TypeMap(offset, new ByteRun(Math.multiplyExact(count, stride)));
        }
        if (piece instanceof Loop inner && Math.multiplyExact(inner.count, inner.stride) == stride) {
            long all = Math.multiplyExact(count, inner.count);
            return new TypeMap(offset, new Loop(all, inner.stride, inner.child));
        }
        return new TypeMap(offset, new Loop(count, stride, piece));
    }

    /// Returns a map of blocks. Block b consists of `counts[b]` copies of this map at a distance of `stride`
    /// bytes; the first copy is at `offsets[b]`.
    public TypeMap blocks(long[] counts, long[] offsets, long stride) {
        if (isEmpty()) return EMPTY;
        boolean dense = piece instanceof ByteRun && piece.bytes == stride;
        long[] begins = new long[counts.length];
        long[] lengths = new long[counts.length];
        int n = 0;
        for (int b = 0; b < counts.length; b++) {
            if (counts[b] == 0) continue;
            boolean touches = n > 0
                    && dense
                    && Math.addExact(begins[n - 1], Math.multiplyExact(lengths[n - 1], stride)) == offsets[b];
            if (touches) {
                lengths[n - 1] = Math.addExact(lengths[n - 1], counts[b]);
            } else {
                begins[n] = offsets[b];
                lengths[n++] = counts[b];
            }
        }
        if (n == 0) return EMPTY;
        if (isRegular(begins, lengths, n)) {
            long step = n == 1 ? 0 : begins[1] - begins[0];
            return moved(begins[0]).loop(lengths[0], stride).loop(n, step);
        }
        long first = begins[0];
        long[] packed = new long[n + 1];
        for (int b = 0; b < n; b++) {
            begins[b] = Math.subtractExact(begins[b], first);
            packed[b + 1] = Math.addExact(packed[b], Math.multiplyExact(lengths[b], piece.bytes));
        }
        Piece all = new Blocks(Arrays.copyOf(begins, n), packed, stride, piece);
        return new TypeMap(Math.addExact(offset, first), all);
    }

    private static boolean isRegular(long[] begins, long[] lengths, int n) {
        for (int b = 1; b < n; b++) {
            if (lengths[b] != lengths[0]) return false;
            if (Math.subtractExact(begins[b], begins[b - 1]) != begins[1] - begins[0]) return false;
        }
        return true;
    }

    /// Returns the combination of the maps in the order of packing, each at its offset.
    public static TypeMap parts(List<TypeMap> list) {
        long[] offsets = new long[list.size()];
        Piece[] parts = new Piece[list.size()];
        int n = 0;
        for (TypeMap p : list) {
            if (p.isEmpty()) continue;
            if (n > 0
                    && parts[n - 1] instanceof ByteRun last
                    && p.piece instanceof ByteRun
                    && Math.addExact(offsets[n - 1], last.bytes) == p.offset) {
                parts[n - 1] = new ByteRun(Math.addExact(last.bytes, p.piece.bytes));
            } else {
                offsets[n] = p.offset;
                parts[n++] = p.piece;
            }
        }
        if (n == 0) return EMPTY;
        long first = offsets[0];
        if (n == 1) return new TypeMap(first, parts[0]);
        for (int i = 0; i < n; i++) offsets[i] = Math.subtractExact(offsets[i], first);
        return new TypeMap(first, new Parts(Arrays.copyOf(offsets, n), Arrays.copyOf(parts, n)));
    }

    /// Returns whether a byte occurs twice. If the number of runs is very large, returns false without a check.
    public boolean overlaps() {
        long runs = piece.runs();
        if (piece.isPlain() || runs > MOST_COMPARED) return false;
        long[] begins = new long[(int) runs], ends = new long[(int) runs];
        spans(begins, ends);
        Arrays.sort(begins);
        Arrays.sort(ends);
        // starts and ends are sorted: two runs overlap if the i-th start is before the previous end
        for (int i = 1; i < begins.length; i++) if (begins[i] < ends[i - 1]) return true;
        return false;
    }

    /// Fills in the start and the end of each run, in the order of packing.
    void spans(long[] begins, long[] ends) {
        int[] next = new int[1];
        piece.visit(offset, 0, piece.bytes, (begin, bytes) -> {
            begins[next[0]] = begin;
            ends[next[0]++] = begin + bytes;
        });
    }

    static long saturated(long a, long b) {
        return a > Long.MAX_VALUE / 2 / b ? Long.MAX_VALUE / 2 : a * b;
    }
}
