package org.tutti.mpi;

/// The direction of a neighbor in a grid of rows and columns with rank 0 at the top left and rows numbered
/// downwards. The order is that of the blocks in neighborhood collectives, so `ordinal()` is the index of a
/// block. All methods are local.
public enum Direction {
    /// One row less.
    UP(0, -1),
    /// One row more.
    DOWN(0, 1),
    /// One column less.
    LEFT(1, -1),
    /// One column more.
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
