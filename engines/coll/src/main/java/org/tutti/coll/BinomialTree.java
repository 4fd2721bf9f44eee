package org.tutti.coll;

/// The binomial tree over ranks 0 to size - 1: rank v has the children v + 1, v + 2, v + 4, … below v +
/// reach(v), and the parent v - reach(v). The subtree of v is the contiguous range of `extent(v)` ranks that
/// starts at v.
final class BinomialTree {
    private BinomialTree() {}

    /// Returns the value of the lowest set bit of the rank; for rank 0, returns the smallest power of two that
    /// is at least `size`.
    static int reach(int rank, int size) {
        return rank == 0 ? coveringPower(size) : Integer.lowestOneBit(rank);
    }

    /// Returns the number of ranks in the subtree of `rank`, including `rank`.
    static int extent(int rank, int size) {
        return Math.min(reach(rank, size), size - rank);
    }

    /// Returns the distance of the farthest child; 0 for a leaf.
    static int farthestChild(int rank, int size) {
        int distance = reach(rank, size) >> 1;
        while (rank + distance >= size) distance >>= 1;
        return distance;
    }

    private static int coveringPower(int size) {
        return size == 1 ? 1 : Integer.highestOneBit(size - 1) << 1;
    }
}
