package org.tutti.device;

/// The number of blocks of a launch, or of threads of a block, in up to three dimensions.
public record Dim(int x, int y, int z) {
    public Dim {
        if (x < 1 || y < 1 || z < 1) {
            throw new IllegalArgumentException("Dim(" + x + ", " + y + ", " + z + "): each must be at least 1");
        }
    }

    public static Dim of(int x) {
        return new Dim(x, 1, 1);
    }

    public static Dim of(int x, int y) {
        return new Dim(x, y, 1);
    }

    public static Dim of(int x, int y, int z) {
        return new Dim(x, y, z);
    }

    /// Returns the number of blocks of `threads` threads such that there is at least one thread per element. The
    /// number is at least 1.
    ///
    /// @throws IllegalArgumentException if `threads` is below 1, or there are more than `Integer.MAX_VALUE`
    ///     blocks
    public static Dim blocks(long elements, int threads) {
        if (threads < 1) throw new IllegalArgumentException("Dim.blocks: threads=" + threads + ": must be at least 1");
        long blocks = Math.max(1, Math.ceilDiv(elements, threads));
        if (blocks <= Integer.MAX_VALUE) return of((int) blocks);
        throw new IllegalArgumentException("Dim.blocks: elements=" + elements + ", threads=" + threads + " are "
                + blocks + " blocks; at most " + Integer.MAX_VALUE);
    }

    /// Returns the product of the dimensions.
    public long total() {
        return (long) x * y * z;
    }

    @Override
    public String toString() {
        return "(" + x + ", " + y + ", " + z + ")";
    }
}
