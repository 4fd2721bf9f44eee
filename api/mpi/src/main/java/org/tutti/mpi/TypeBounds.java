package org.tutti.mpi;

import org.tutti.spi.type.Signature;
import org.tutti.spi.type.TypeMap;

/// Computes the bounds of a type from the bounds of the parts: the lowest and the highest bound that `resized`
/// or a similar constructor has set; if no bound has been set, the start and the end of the data, rounded up as
/// in C. MPI 4.1, section 5.1.7.
final class TypeBounds {
    private long offset;
    private long lower = Long.MAX_VALUE;
    private long upper = Long.MIN_VALUE;
    private long alignment = 1;

    /// Sets the offset of the next part.
    TypeBounds at(long bytes) {
        offset = bytes;
        return this;
    }

    /// Adds `count` copies of `part`; each copy starts `stride` bytes after the previous copy.
    void addLoop(Datatype part, long count, long stride) {
        addLoops(part, count, stride, 1, 0);
    }

    /// Adds `count` groups of `inner` copies of `part`. Groups begin at distances of `stride` bytes, and copies
    /// in a group at distances of `innerStride` bytes.
    void addLoops(Datatype part, long count, long stride, long inner, long innerStride) {
        if (count == 0 || inner == 0) return;
        alignment = Math.max(alignment, part.bounds().alignment());
        if (!part.bounds().set()) return;
        long outerReach = Math.multiplyExact(count - 1, stride);
        long innerReach = Math.multiplyExact(inner - 1, innerStride);
        long first = Math.addExact(offset, Math.addExact(Math.min(0, outerReach), Math.min(0, innerReach)));
        long last = Math.addExact(offset, Math.addExact(Math.max(0, outerReach), Math.max(0, innerReach)));
        lower = Math.min(lower, Math.addExact(first, part.lowerBound()));
        upper = Math.max(upper, Math.addExact(last, part.upperBound()));
    }

    Datatype type(TypeContents contents, TypeMap map, Signature signature) {
        boolean set = upper > Long.MIN_VALUE;
        long begin = set ? lower : map.low();
        long extent = set ? Math.subtractExact(upper, lower) : rounded(map);
        Datatype.Bounds bounds = new Datatype.Bounds(begin, Math.addExact(begin, extent), set, alignment);
        return new Datatype(null, contents, map, signature, bounds);
    }

    private long rounded(TypeMap map) {
        long extent = Math.subtractExact(map.high(), map.low());
        return Math.multiplyExact(Math.ceilDiv(extent, alignment), alignment);
    }
}
