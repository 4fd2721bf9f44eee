package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Parts of a matrix as buffers:
///
///     Matrix m = Matrix.of(values, rows, columns);     // row by row in one array
///     world.send(m.column(3), 1);
///     world.recv(m.tile(2, 0, 4, 4), 1);
///
/// The matrix may also be an array of rows, `double[][]`. The elements of a part are sent and received row by
/// row, so a message sent from a row can be received into a column or into an array, and vice versa. For more
/// dimensions see [ArrayView]. All methods are local. MPI 4.1, section 5.1.3.
public final class Matrix {
    private final int rows;
    private final int columns;

    /// The view of a single array; null for an array of rows.
    private final @Nullable ArrayView grid;

    private final MemorySegment[] lines;
    private final Datatype type;

    private Matrix(int rows, int columns, @Nullable ArrayView grid, MemorySegment[] lines, Datatype type) {
        this.rows = rows;
        this.columns = columns;
        this.grid = grid;
        this.lines = lines;
        this.type = type;
    }

    /// Describes a matrix stored row by row in one array.
    ///
    /// @throws MpiException `ERR_ARG` if the array does not have `rows * columns` elements, or is null
    public static Matrix of(double[] a, int rows, int columns) {
        return flat(ArrayView.of(a, rows, columns));
    }

    /// Like [#of(double\[\], int, int)], for an array of `float`.
    ///
    /// @throws MpiException as [#of(double\[\], int, int)]
    public static Matrix of(float[] a, int rows, int columns) {
        return flat(ArrayView.of(a, rows, columns));
    }

    /// Like [#of(double\[\], int, int)], for an array of `long`.
    ///
    /// @throws MpiException as [#of(double\[\], int, int)]
    public static Matrix of(long[] a, int rows, int columns) {
        return flat(ArrayView.of(a, rows, columns));
    }

    /// Like [#of(double\[\], int, int)], for an array of `int`.
    ///
    /// @throws MpiException as [#of(double\[\], int, int)]
    public static Matrix of(int[] a, int rows, int columns) {
        return flat(ArrayView.of(a, rows, columns));
    }

    /// Like [#of(double\[\], int, int)], for an array of `byte`.
    ///
    /// @throws MpiException as [#of(double\[\], int, int)]
    public static Matrix of(byte[] a, int rows, int columns) {
        return flat(ArrayView.of(a, rows, columns));
    }

    /// Like [#of(double\[\], int, int)], for a segment with elements of any type.
    ///
    /// @throws MpiException as [#of(double\[\], int, int)]; `ERR_ARG` if the elements have no positive extent
    public static Matrix of(MemorySegment s, Datatype type, int rows, int columns) {
        return flat(ArrayView.of(s, type, rows, columns));
    }

    /// Describes an array of rows of equal length. Parts are copied once during the transfer.
    ///
    /// @throws MpiException `ERR_ARG` if the rows differ in length; `ERR_BUFFER` if a row is null
    public static Matrix of(double[][] rows) {
        return lines(
                Arrays.stream(BufMaker.givenRows("Matrix.of", rows))
                        .map(MemorySegment::ofArray)
                        .toArray(MemorySegment[]::new),
                Datatype.DOUBLE);
    }

    /// Like [#of(double\[\]\[\])], for rows of `float`.
    ///
    /// @throws MpiException `ERR_ARG` if the rows differ in length; `ERR_BUFFER` if a row is null
    public static Matrix of(float[][] rows) {
        return lines(
                Arrays.stream(BufMaker.givenRows("Matrix.of", rows))
                        .map(MemorySegment::ofArray)
                        .toArray(MemorySegment[]::new),
                Datatype.FLOAT);
    }

    /// Like [#of(double\[\]\[\])], for rows of `long`.
    ///
    /// @throws MpiException `ERR_ARG` if the rows differ in length; `ERR_BUFFER` if a row is null
    public static Matrix of(long[][] rows) {
        return lines(
                Arrays.stream(BufMaker.givenRows("Matrix.of", rows))
                        .map(MemorySegment::ofArray)
                        .toArray(MemorySegment[]::new),
                Datatype.LONG);
    }

    /// Like [#of(double\[\]\[\])], for rows of `int`.
    ///
    /// @throws MpiException `ERR_ARG` if the rows differ in length; `ERR_BUFFER` if a row is null
    public static Matrix of(int[][] rows) {
        return lines(
                Arrays.stream(BufMaker.givenRows("Matrix.of", rows))
                        .map(MemorySegment::ofArray)
                        .toArray(MemorySegment[]::new),
                Datatype.INT);
    }

    private static Matrix flat(ArrayView grid) {
        return new Matrix(grid.size(0), grid.size(1), grid, new MemorySegment[0], grid.type());
    }

    private static Matrix lines(MemorySegment[] lines, Datatype type) {
        for (int r = 1; r < lines.length; r++) {
            if (lines[r].byteSize() != lines[0].byteSize()) {
                throw MpiException.argument(
                        ErrorClass.ERR_ARG,
                        "Matrix",
                        "row " + r + " has "
                                + lines[r].byteSize() / type.elements().bytes() + " elements but row 0 has "
                                + lines[0].byteSize() / type.elements().bytes(),
                        null);
            }
        }
        int columns = lines.length == 0
                ? 0
                : (int) (lines[0].byteSize() / type.elements().bytes());
        return new Matrix(lines.length, columns, null, lines, type);
    }

    /// Returns the number of rows.
    public int rows() {
        return rows;
    }

    /// Returns the number of columns.
    public int columns() {
        return columns;
    }

    /// Returns a row as a buffer.
    ///
    /// @throws MpiException `ERR_ARG` if the row does not exist
    public Buf row(int row) {
        return tile(row, 0, 1, columns);
    }

    /// Returns a column as a buffer.
    ///
    /// @throws MpiException `ERR_ARG` if the column does not exist
    public Buf column(int column) {
        return tile(0, column, rows, 1);
    }

    /// Returns the whole matrix as a buffer.
    public Buf all() {
        return tile(0, 0, rows, columns);
    }

    /// Returns, as a buffer, the part of `tileRows` rows and `tileColumns` columns that starts at row
    /// `firstRow` and column `firstColumn`. MPI 4.1, section 5.1.3.
    ///
    /// @throws MpiException `ERR_ARG` if the tile is not within the matrix
    public Buf tile(int firstRow, int firstColumn, int tileRows, int tileColumns) {
        boolean inside = firstRow >= 0
                && firstColumn >= 0
                && tileRows >= 0
                && tileColumns >= 0
                && firstRow <= rows - tileRows
                && firstColumn <= columns - tileColumns;
        if (!inside) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG,
                    "Matrix",
                    tileRows + " x " + tileColumns + " elements from row " + firstRow + ", column " + firstColumn
                            + ", are not within a matrix of " + rows + " x " + columns,
                    null);
        }
        if (grid != null) return grid.part(new int[] {firstRow, firstColumn}, new int[] {tileRows, tileColumns});
        long from = (long) firstColumn * type.elements().bytes(),
                bytes = (long) tileColumns * type.elements().bytes();
        MemorySegment[] parts = new MemorySegment[tileRows];
        for (int r = 0; r < tileRows; r++) parts[r] = lines[firstRow + r].asSlice(from, bytes);
        return BufMaker.rows(parts, type);
    }
}
