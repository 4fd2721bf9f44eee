package org.tutti.conformance.contract.type;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.ArrayView;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Matrix;
import org.tutti.mpi.Requests;

/// Parts of matrices and grids as buffers. MPI 4.1, section 5.1.3.
public final class ArrayViewContract {
    private static final int ROWS = 5, COLUMNS = 6;

    private ArrayViewContract() {}

    private static double[] numbered(int rank) {
        double[] a = new double[ROWS * COLUMNS];
        for (int i = 0; i < a.length; i++) a[i] = 1000 * rank + i;
        return a;
    }

    @Contract
    public static void columnsRowsAndTilesMatch(Trial t) {
        Matrix out = Matrix.of(numbered(t.rank()), ROWS, COLUMNS);
        double[] flat = new double[ROWS * COLUMNS];
        Matrix in = Matrix.of(flat, ROWS, COLUMNS);
        t.world().sendrecv(out.column(3), t.right(), in.column(1), t.left());
        t.world().sendrecv(out.tile(1, 2, 2, 3), t.right(), in.row(4), t.left());
        double[][] lines = new double[ROWS][COLUMNS];
        Matrix rows = Matrix.of(lines);
        t.world().sendrecv(out.column(0), t.right(), rows.column(5), t.left());
        t.world().sendrecv(out.tile(1, 2, 2, 3), t.right(), rows.tile(3, 1, 2, 3), t.left());
        double[] plain = new double[ROWS];
        t.world().sendrecv(rows.column(5), t.right(), buf(plain), t.left());
        int from = 1000 * t.left(), before = 1000 * ((t.left() + t.size() - 1) % t.size());
        for (int r = 0; r < ROWS; r++) {
            for (int c = 0; c < COLUMNS; c++) {
                int tile = (1 + c / 3) * COLUMNS + 2 + c % 3;
                double expected = r == 4 ? from + tile : c == 1 ? from + r * COLUMNS + 3 : 0;
                Check.same(expected, flat[r * COLUMNS + c], "row " + r + ", column " + c);
                boolean inTile = r >= 3 && c >= 1 && c < 4;
                int line = c == 5 ? r * COLUMNS : inTile ? (r - 2) * COLUMNS + c + 1 : -1;
                Check.same(line < 0 ? 0 : (double) from + line, lines[r][c], "row " + r + ", column " + c + " of rows");
            }
            Check.same((double) before + r * COLUMNS, plain[r], "element " + r + " of a column");
        }
    }

    /// Ranks form a line along each dimension of arrays with two and with three dimensions.
    @Contract
    public static void facesFillTheHalosOfNeighbors(Trial t) {
        for (int width : new int[] {1, 2}) {
            for (int dimension = 0; dimension < 2; dimension++) exchange(t, width, dimension, 7, 6);
            for (int dimension = 0; dimension < 3; dimension++) exchange(t, width, dimension, 8, 6, 7);
        }
    }

    private static void exchange(Trial t, int width, int dimension, int... sizes) {
        int cells = 1;
        for (int s : sizes) cells *= s;
        int[] a = new int[cells];
        for (int i = 0; i < cells; i++) a[i] = inside(i, width, -1, sizes) ? cells * (t.rank() + 1) + i : 0;
        ArrayView g = ArrayView.of(a, sizes).withHalo(width);
        int low = t.rank() == 0 ? Comm.PROC_NULL : t.left();
        int high = t.rank() == t.size() - 1 ? Comm.PROC_NULL : t.right();
        try (Requests r = t.mpi().requests()) {
            r.add(t.world().irecv(g.halo(dimension, -1), low, 1));
            r.add(t.world().irecv(g.halo(dimension, 1), high, 2));
            r.add(t.world().isend(g.face(dimension, 1), high, 1));
            r.add(t.world().isend(g.face(dimension, -1), low, 2));
            r.awaitAll();
        }
        int step = 1;
        for (int d = sizes.length - 1; d > dimension; d--) step *= sizes[d];
        int shift = (sizes[dimension] - 2 * width) * step;
        for (int i = 0; i < cells; i++) {
            int at = i / step % sizes[dimension];
            int expected = inside(i, width, -1, sizes) ? cells * (t.rank() + 1) + i : 0;
            if (inside(i, width, dimension, sizes)) {
                if (at < width && low >= 0) expected = cells * (low + 1) + i + shift;
                if (at >= sizes[dimension] - width && high >= 0) expected = cells * (high + 1) + i - shift;
            }
            Check.same(expected, a[i], "cell " + i + ", dimension " + dimension + ", halo " + width);
        }
    }

    /// Returns whether cell `i` is outside of the halo in every dimension except `except`.
    private static boolean inside(int i, int width, int except, int[] sizes) {
        boolean in = true;
        int rest = i;
        for (int d = sizes.length - 1; d >= 0; d--) {
            int at = rest % sizes[d];
            rest /= sizes[d];
            in &= d == except || at >= width && at < sizes[d] - width;
        }
        return in;
    }

    @Contract
    public static void blocksOfAGridInMemory(Trial t) {
        Datatype pair = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, Datatype.LONG, Datatype.INT);
        MemorySegment s = t.alloc(0, 4 * 3 * 16).fill((byte) 9);
        ArrayView g = ArrayView.of(s, pair, 4, 3);
        MemorySegment to = t.alloc(1, 4 * 3 * 16).fill((byte) 0);
        ArrayView in = ArrayView.of(to, pair, 4, 3);
        int[] two = {2, 2};
        t.world().sendrecv(g.part(new int[] {0, 0}, two), t.right(), in.part(new int[] {2, 1}, two), t.left());
        for (int i = 0; i < to.byteSize(); i++) {
            int row = i / 48, column = i / 16 % 3;
            boolean meant = row >= 2 && column >= 1 && i % 16 < 12;
            Check.same(meant ? 9 : 0, to.get(ValueLayout.JAVA_BYTE, i), "byte ", i);
        }
    }
}
