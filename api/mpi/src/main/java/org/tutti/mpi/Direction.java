package org.tutti.mpi;

/// The direction of a neighbor in a grid of rows and columns. Rank 0 is at the top left, and rows are numbered
/// downwards. The order of the constants is the order of the blocks in neighborhood collectives, so `ordinal()`
/// is the index of a block. All methods are local.
public enum Direction {
    /// The neighbor in the previous row.
    UP(0, -1),
    /// The neighbor in the next row.
    DOWN(0, 1),
    /// The neighbor in the previous column.
    LEFT(1, -1),
    /// The neighbor in the next column.
    RIGHT(1, 1);

    private final int dim;
    private final int step;

    Direction(int dim, int step) {
        this.dim = dim;
        this.step = step;
    }

    /// Returns the dimension along which the neighbor is located.
    public int dim() {
        return dim;
    }

    /// Returns how the coordinate in that dimension changes: by -1 or 1.
    public int step() {
        return step;
    }

    /// Returns the opposite direction.
    public Direction opposite() {
        return switch (this) {
            case UP -> DOWN;
            case DOWN -> UP;
            case LEFT -> RIGHT;
            case RIGHT -> LEFT;
        };
    }
}
