package org.tutti.bench.kernels;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Buf;
import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Direction;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Requests;

/// Heat in a square plate: each cell becomes the mean of the four neighbors, plus 1. The ranks form a grid, and
/// each has a tile with a frame of ghost cells. In each iteration, neighbors exchange the edges of the tiles.
///
/// Initially, cell (r, c) is 3r + 5c, including the frame around the plate; it increases by one in each
/// iteration.
final class Stencil implements ApplicationKernel {
    private static final int ORDER = 512, DOWNWARD = 3, RIGHTWARD = 5;

    private final Mpi mpi;
    private final Cartesian grid;
    private final int order, firstRow, firstColumn, rows, columns, width;
    private Tile now, next;

    /// The cells of a tile, row by row, with the frame.
    ///
    /// @param edges the cells that the neighbor in a direction needs, by direction
    /// @param ghosts the neighbor's cells, by direction
    private record Tile(double[] cells, Buf[] edges, Buf[] ghosts) {}

    Stencil(Mpi mpi, int divisor) {
        order = ORDER / divisor;
        this.mpi = mpi;
        Comm world = mpi.world();
        grid = world.cartesian(Cartesian.balancedDims(world.size(), 0, 0), new boolean[2]);
        int[] at = grid.coords(), size = grid.dims();
        firstRow = order * at[0] / size[0];
        firstColumn = order * at[1] / size[1];
        rows = order * (at[0] + 1) / size[0] - firstRow;
        columns = order * (at[1] + 1) / size[1] - firstColumn;
        width = columns + 2;
        now = tile();
        next = tile();
        for (int r = 0; r < rows + 2; r++) {
            for (int c = 0; c < width; c++) now.cells[r * width + c] = initial(r, c);
        }
    }

    private Tile tile() {
        double[] cells = new double[(rows + 2) * width];
        Datatype column = Datatype.DOUBLE.vector(rows, 1, width);
        Direction[] all = Direction.values();
        Buf[] edges = new Buf[all.length], ghosts = new Buf[all.length];
        for (Direction d : all) {
            edges[d.ordinal()] = switch (d) {
                case UP -> buf(cells, width + 1, columns);
                case DOWN -> buf(cells, rows * width + 1, columns);
                case LEFT -> buf(cells, width + 1, 1, column);
                case RIGHT -> buf(cells, width + columns, 1, column);
            };
            ghosts[d.ordinal()] = switch (d) {
                case UP -> buf(cells, 1, columns);
                case DOWN -> buf(cells, (rows + 1) * width + 1, columns);
                case LEFT -> buf(cells, width, 1, column);
                case RIGHT -> buf(cells, width + columns + 1, 1, column);
            };
        }
        return new Tile(cells, edges, ghosts);
    }

    /// Returns the initial value of a cell of the tile; (1, 1) is the first cell inside the frame.
    private long initial(int row, int column) {
        return (long) DOWNWARD * (firstRow + row - 1) + (long) RIGHTWARD * (firstColumn + column - 1);
    }

    @Override
    public void run(int iterations) {
        for (int k = 0; k < iterations; k++) {
            exchange(now);
            for (int r = 1; r <= rows; r++) heatRow(now.cells, next.cells, r * width, width);
            heatFrame(now.cells, next.cells);
            Tile swap = now;
            now = next;
            next = swap;
        }
    }

    private void exchange(Tile tile) {
        try (Requests requests = mpi.requests()) {
            for (Direction d : Direction.values()) { // PROC_NULL outside the plate: no message
                requests.add(grid.irecv(
                        tile.ghosts[d.ordinal()], grid.neighbor(d), d.opposite().ordinal()));
                requests.add(grid.isend(tile.edges[d.ordinal()], grid.neighbor(d), d.ordinal()));
            }
            requests.awaitAll();
        }
    }

    private static void heatRow(double[] now, double[] next, int row, int width) {
        for (int i = row + 1; i < row + width - 1; i++) {
            next[i] = 0.25 * (now[i - width] + now[i + width] + now[i - 1] + now[i + 1]) + 1;
        }
    }

    /// Heats the frame on sides without a neighbor.
    private void heatFrame(double[] now, double[] next) {
        for (Direction d : Direction.values()) {
            if (grid.neighbor(d) != Comm.PROC_NULL) continue;
            switch (d) {
                case UP -> heatLine(now, next, 1, 1, columns);
                case DOWN -> heatLine(now, next, (rows + 1) * width + 1, 1, columns);
                case LEFT -> heatLine(now, next, width, width, rows);
                case RIGHT -> heatLine(now, next, width + columns + 1, width, rows);
            }
        }
    }

    private static void heatLine(double[] now, double[] next, int from, int stride, int count) {
        for (int i = 0; i < count; i++) next[from + i * stride] = now[from + i * stride] + 1;
    }

    @Override
    public long checksum() {
        long sum = 0;
        for (int r = 1; r <= rows; r++) {
            for (int c = 1; c <= columns; c++) sum += weight(r, c) * (long) now.cells[r * width + c];
        }
        return sum;
    }

    @Override
    public long expected(int iterations) {
        long sum = 0;
        for (int r = 1; r <= rows; r++) {
            for (int c = 1; c <= columns; c++) sum += weight(r, c) * (initial(r, c) + iterations);
        }
        return sum;
    }

    private long weight(int row, int column) {
        return 2L * ((firstRow + row - 1) * order + firstColumn + column - 1) + 1;
    }

    @Override
    public void close() {
        grid.close();
    }
}
