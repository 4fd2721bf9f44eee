package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.Arrays;

/// Parts of a multidimensional array: blocks, and the faces that neighbors exchange. All elements are stored in
/// one array or segment, with the last index varying fastest.
///
///     ArrayView g = ArrayView.of(values, rows, columns).withHalo(1);   // the outer cells are the halo
///     world.send(g.face(0, -1), above);                      // the first row inside, without the corners
///     world.recv(g.halo(0, -1), above);                      // the row outside of it
///     world.send(g.face(1, 1), right);                       // the last column inside
///
/// The elements of a part are sent in the order in which they are stored in the array. All methods are local.
/// MPI 4.1, section 5.1.3.
public final class ArrayView {
    private final MemorySegment memory;
    private final Datatype type;
    private final int[] sizes;
    private final int width;

    private ArrayView(MemorySegment memory, Datatype type, int[] sizes, int width) {
        this.memory = memory;
        this.type = type;
        this.sizes = sizes;
        this.width = width;
    }

    /// Describes an array with `sizes[d]` elements along dimension d.
    ///
    /// @throws MpiException `ERR_ARG` if the array does not have this number of elements, or is null
    public static ArrayView of(double[] a, int... sizes) {
        return of(MemorySegment.ofArray(given(a)), Datatype.DOUBLE, sizes);
    }

    /// Like [#of(double\[\], int...)], for an array of `float`.
    ///
    /// @throws MpiException as [#of(double\[\], int...)]
    public static ArrayView of(float[] a, int... sizes) {
        return of(MemorySegment.ofArray(given(a)), Datatype.FLOAT, sizes);
    }

    /// Like [#of(double\[\], int...)], for an array of `long`.
    ///
    /// @throws MpiException as [#of(double\[\], int...)]
    public static ArrayView of(long[] a, int... sizes) {
        return of(MemorySegment.ofArray(given(a)), Datatype.LONG, sizes);
    }

    /// Like [#of(double\[\], int...)], for an array of `int`.
    ///
    /// @throws MpiException as [#of(double\[\], int...)]
    public static ArrayView of(int[] a, int... sizes) {
        return of(MemorySegment.ofArray(given(a)), Datatype.INT, sizes);
    }

    /// Like [#of(double\[\], int...)], for an array of `byte`.
    ///
    /// @throws MpiException as [#of(double\[\], int...)]
    public static ArrayView of(byte[] a, int... sizes) {
        return of(MemorySegment.ofArray(given(a)), Datatype.BYTE, sizes);
    }

    /// Like [#of(double\[\], int...)], for a segment that contains elements of any type; the distance between
    /// elements is the type's extent.
    ///
    /// @throws MpiException as [#of(double\[\], int...)]; `ERR_ARG` if the elements have no positive extent
    public static ArrayView of(MemorySegment s, Datatype type, int... sizes) {
        given(s);
        Arguments.given("ArrayView.of", "type", type);
        if (given(sizes).length == 0) throw wrong("the array has no dimensions");
        for (int size : sizes)
            if (size < 0) throw wrong("sizes=" + Arrays.toString(sizes) + " contains a negative number");
        long extent = type.extent();
        if (extent <= 0) throw wrong("elements of " + type + " have an extent of " + extent + "; use resized(…)");
        long fit = s.byteSize() / extent, count = 1;
        for (int size : sizes) count = count > 0 && size > fit / count ? fit + 1 : count * size;
        if (count != fit || fit * extent != s.byteSize()) {
            throw wrong(
                    "sizes=" + Arrays.toString(sizes) + " describe " + product(sizes) + " elements but the array has "
                            + fit + (fit * extent == s.byteSize() ? "" : " and a partial element"));
        }
        return new ArrayView(s, type, sizes.clone(), 0);
    }

    private static <T> T given(T array) {
        if (array == null) throw wrong("the array or the array of sizes is null");
        return array;
    }

    private static BigInteger product(int[] sizes) {
        BigInteger product = BigInteger.ONE;
        for (int size : sizes) product = product.multiply(BigInteger.valueOf(size));
        return product;
    }

    /// Returns a view with a halo: on each side of every dimension, the outer `width` cells are copies from
    /// neighbors.
    ///
    /// @throws MpiException `ERR_ARG` if no inner cells remain
    public ArrayView withHalo(int width) {
        for (int size : sizes) {
            if (width < 0 || 2L * width >= size) {
                throw wrong("halo=" + width + " on each side is too wide for sizes=" + Arrays.toString(sizes));
            }
        }
        return new ArrayView(memory, type, sizes, width);
    }

    /// Returns the number of dimensions.
    public int dimensions() {
        return sizes.length;
    }

    /// Returns the number of cells along a dimension, including the halo.
    ///
    /// @throws MpiException `ERR_ARG` if the dimension does not exist
    public int size(int dimension) {
        if (dimension < 0 || dimension >= sizes.length) {
            throw wrong("dimension=" + dimension + " is not in 0 to " + (sizes.length - 1));
        }
        return sizes[dimension];
    }

    Datatype type() {
        return type;
    }

    /// Returns `counts[d]` elements along dimension d, starting at `starts[d]`. If the view has a halo, cell 0
    /// is the first halo cell.
    ///
    /// @throws MpiException `ERR_ARG` if the part is not within the array
    public Buf part(int[] starts, int[] counts) {
        boolean fits = starts.length == sizes.length && counts.length == sizes.length;
        boolean empty = false;
        for (int d = 0; fits && d < sizes.length; d++) {
            fits = starts[d] >= 0 && counts[d] >= 0 && starts[d] <= sizes[d] - counts[d];
            empty |= counts[d] == 0;
        }
        if (!fits) {
            throw wrong("counts=" + Arrays.toString(counts) + " from starts=" + Arrays.toString(starts)
                    + " are not within sizes=" + Arrays.toString(sizes));
        }
        if (empty) return BufMaker.of(memory, Datatype.BYTE, 0, 0, type);
        return BufMaker.of(memory, Datatype.BYTE, 0, 1, type.subarray(sizes, counts, starts));
    }

    /// Returns all cells except the halo.
    public Buf inside() {
        int[] starts = new int[sizes.length], counts = new int[sizes.length];
        fillInside(starts, counts);
        return part(starts, counts);
    }

    /// Returns the inner cells that the neighbor in `direction` (-1 or 1) along a dimension needs: as many
    /// layers as the halo has, without corners.
    ///
    /// @throws MpiException `ERR_ARG` if the dimension or the direction does not exist, or the halo is wider
    ///     than the inner part
    public Buf face(int dimension, int direction) {
        return layers(dimension, direction, width);
    }

    /// Returns the halo cells that the neighbor in `direction` (-1 or 1) along a dimension fills.
    ///
    /// @throws MpiException as [#face]
    public Buf halo(int dimension, int direction) {
        return layers(dimension, direction, 0);
    }

    /// Returns as many layers as the halo has, at `distance` cells from the end of the array in `direction`.
    private Buf layers(int dimension, int direction, int distance) {
        if (dimension < 0 || dimension >= sizes.length || direction != -1 && direction != 1) {
            throw wrong("dimension=" + dimension + ", direction=" + direction + "; pass a dimension from 0 to "
                    + (sizes.length - 1) + " and a direction of -1 or 1");
        }
        int[] starts = new int[sizes.length], counts = new int[sizes.length];
        fillInside(starts, counts);
        if (counts[dimension] < width) {
            throw wrong("halo=" + width + " is wider than the " + counts[dimension] + " inner cells along dimension "
                    + dimension);
        }
        starts[dimension] = direction < 0 ? distance : sizes[dimension] - distance - width;
        counts[dimension] = width;
        return part(starts, counts);
    }

    private void fillInside(int[] starts, int[] counts) {
        for (int d = 0; d < sizes.length; d++) {
            starts[d] = width;
            counts[d] = sizes[d] - 2 * width;
        }
    }

    private static MpiException wrong(String detail) {
        return MpiException.argument(ErrorClass.ERR_ARG, "ArrayView", detail, null);
    }
}
