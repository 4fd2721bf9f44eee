/*
 * Simulates heat on a plate. Each rank has a tile of the plate, and neighbours exchange the edges of tiles in every
 * step. A picture is written at the end.
 *
 * The ranks form a grid. A tile has a frame of ghost cells, for copies of the neighbours' edges. A row of a tile is
 * contiguous in memory; a column is not, and is described by a derived type. Cells that do not depend on the edges
 * are computed while the edges are sent. HaloExchange.java is the same in one dimension.
 *
 *     ./tutti run -n 6 examples/HaloExchange2D.java picture=heat.png
 *
 *     rank 0 has rows 0 … 39 and columns 0 … 89
 *     rank 1 has rows 0 … 39 and columns 90 … 179
 *     rank 2 has rows 40 … 79 and columns 0 … 89
 *     rank 3 has rows 40 … 79 and columns 90 … 179
 *     rank 4 has rows 80 … 119 and columns 0 … 89
 *     rank 5 has rows 80 … 119 and columns 90 … 179
 *     after 400 steps the plate has 27.565 degrees on average
 *     the picture is in heat.png
 *
 * Without "picture=" no picture is written.
 */

import static org.tutti.mpi.Buf.buf;
import static org.tutti.mpi.Datatype.DOUBLE;

import java.awt.Color;
import java.awt.image.BufferedImage;
import javax.imageio.ImageIO;
import org.tutti.mpi.*;

static final int ROWS = 120, COLUMNS = 180, STEPS = 400;

void main(String[] args) throws IOException {
    String picture = args.length > 0 && args[0].startsWith("picture=") ? args[0].substring("picture=".length()) : "";

    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        Cartesian grid = world.cartesian(Cartesian.balancedDims(world.size(), 0, 0), new boolean[2]); // not periodic
        Part part = Part.of(grid, grid.rank());
        IO.println("rank %d has rows %d … %d and columns %d … %d".formatted(
                grid.rank(), part.row, part.row + part.rows - 1, part.column, part.column + part.columns - 1));

        Tile tile = new Tile(part), next = new Tile(part);
        for (int step = 0; step < STEPS; step++) {
            try (Requests requests = mpi.requests()) {
                for (Direction d : Direction.values()) { // PROC_NULL at the plate's edge: no message
                    requests.add(grid.irecv(tile.ghosts(d), grid.neighbor(d), d.opposite().ordinal()));
                    requests.add(grid.isend(tile.edge(d), grid.neighbor(d), d.ordinal()));
                }
                next.spread(tile, 2, part.rows - 1, 2, part.columns - 1);
                requests.awaitAll();
            }
            next.spread(tile, 1, 1, 1, part.columns);
            next.spread(tile, part.rows, part.rows, 1, part.columns);
            next.spread(tile, 1, part.rows, 1, 1);
            next.spread(tile, 1, part.rows, part.columns, part.columns);
            Tile swap = tile;
            tile = next;
            next = swap;
        }

        double sum = grid.allreduce(tile.sum(), Op.SUM);
        double[] plate = collect(mpi, grid, tile);
        if (grid.rank() == 0) {
            IO.println("after %d steps the plate has %.3f degrees on average".formatted(STEPS, sum / ROWS / COLUMNS));
            if (!picture.isEmpty()) {
                ImageIO.write(draw(plate), "png", new File(picture));
                IO.println("the picture is in " + picture);
            }
        }
        grid.close();
    }
}

/// A rank's part of the plate: the first row and column, and the numbers of rows and columns.
record Part(int row, int column, int rows, int columns) {
    static Part of(Cartesian grid, int rank) {
        int[] at = grid.coords(rank), n = grid.dims();
        int row = ROWS * at[0] / n[0], column = COLUMNS * at[1] / n[1];
        return new Part(row, column, ROWS * (at[0] + 1) / n[0] - row, COLUMNS * (at[1] + 1) / n[1] - column);
    }
}

/// The cells of a part, row by row, with a frame of ghost cells.
static class Tile {
    final Part part;
    final int width; // of a row, with the ghosts
    final double[] cells;
    final Datatype column; // one cell from each row of the part

    Tile(Part part) {
        this.part = part;
        width = part.columns + 2;
        cells = new double[(part.rows + 2) * width];
        column = DOUBLE.vector(part.rows, 1, width);
    }

    /// Returns the row or column of the part that the neighbour in that direction needs.
    Buf edge(Direction d) {
        return switch (d) {
            case UP -> buf(cells, width + 1, part.columns);
            case DOWN -> buf(cells, part.rows * width + 1, part.columns);
            case LEFT -> buf(cells, width + 1, 1, column);
            case RIGHT -> buf(cells, width + part.columns, 1, column);
        };
    }

    /// Returns the ghost cells next to the edge in that direction.
    Buf ghosts(Direction d) {
        return switch (d) {
            case UP -> buf(cells, 1, part.columns);
            case DOWN -> buf(cells, (part.rows + 1) * width + 1, part.columns);
            case LEFT -> buf(cells, width, 1, column);
            case RIGHT -> buf(cells, width + part.columns + 1, 1, column);
        };
    }

    /// Computes a step for these rows and columns of the part, numbered from 1.
    void spread(Tile before, int firstRow, int lastRow, int firstColumn, int lastColumn) {
        double[] heat = before.cells;
        for (int r = firstRow; r <= lastRow; r++) {
            for (int c = firstColumn; c <= lastColumn; c++) {
                int i = r * width + c;
                cells[i] = isHeater(part.row + r - 1, part.column + c - 1)
                        ? 100
                        : heat[i] + 0.24 * (heat[i - width] + heat[i + width] + heat[i - 1] + heat[i + 1] - 4 * heat[i]);
            }
        }
    }

    double sum() {
        double sum = 0;
        for (int r = 1; r <= part.rows; r++) for (int c = 1; c <= part.columns; c++) sum += cells[r * width + c];
        return sum;
    }
}

/// The heater has the shape of a T; the edge of the plate is cold.
static boolean isHeater(int row, int column) {
    return row >= 20 && row < 30 && column >= 30 && column < 150 || row >= 30 && row < 100 && column >= 85 && column < 95;
}

/// Collects all parts on rank 0. In the sent tile and in the received plate, a part is a rectangle within a
/// larger array, described by a "subarray" datatype.
static double[] collect(Mpi mpi, Cartesian grid, Tile tile) {
    Part mine = tile.part;
    double[] plate = new double[grid.rank() == 0 ? ROWS * COLUMNS : 0];
    try (Requests requests = mpi.requests()) {
        for (int rank = 0; grid.rank() == 0 && rank < grid.size(); rank++) {
            Part p = Part.of(grid, rank);
            Datatype place = DOUBLE.subarray(
                    new int[] {ROWS, COLUMNS}, new int[] {p.rows, p.columns}, new int[] {p.row, p.column});
            requests.add(grid.irecv(buf(plate, 0, 1, place), rank, 9));
        }
        Datatype inside = DOUBLE.subarray(
                new int[] {mine.rows + 2, tile.width}, new int[] {mine.rows, mine.columns}, new int[] {1, 1});
        requests.add(grid.isend(buf(tile.cells, 0, 1, inside), 0, 9));
        requests.awaitAll();
    }
    return plate;
}

static BufferedImage draw(double[] plate) {
    System.setProperty("java.awt.headless", "true"); // no screen is needed
    BufferedImage image = new BufferedImage(COLUMNS * 3, ROWS * 3, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < image.getHeight(); y++) {
        for (int x = 0; x < image.getWidth(); x++) {
            float t = (float) (plate[y / 3 * COLUMNS + x / 3] / 100);
            image.setRGB(x, y, Color.HSBtoRGB(0.66f * (1 - t), 1, 0.25f + 0.75f * t));
        }
    }
    return image;
}
