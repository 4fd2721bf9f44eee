package org.tutti.mpi.topology;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;

/// The arithmetic of cartesian topologies: ranks in row-major order, with the last coordinate varying fastest.
public record Grid(int[] dims, boolean[] periods) {
    /// Returns the grid with these dimensions.
    ///
    /// @throws Fault if the arguments are not a valid grid, or the grid has more than `most` ranks
    public static Grid of(String operation, int[] dims, boolean[] periods, int most, CommPort where) {
        if (dims.length != periods.length) {
            throw bad(operation, "dims has " + dims.length + " entries but periods has " + periods.length, where);
        }
        long ranks = 1;
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] < 1) throw bad(operation, "dims[" + i + "]=" + dims[i] + " is less than 1", where);
            ranks = Math.min(ranks * dims[i], Integer.MAX_VALUE);
        }
        Grid grid = new Grid(dims.clone(), periods.clone());
        if (ranks <= most) return grid;
        throw bad(operation, "a grid of " + grid + " needs more than the " + most + " available ranks", where);
    }

    private static Fault bad(String operation, String detail, @Nullable CommPort where) {
        return Fault.argument(PredefinedErrorClass.ERR_DIMS, operation, detail, where);
    }

    public int size() {
        return IntStream.of(dims).reduce(1, (a, b) -> a * b);
    }

    public int[] coords(int rank) {
        int[] coords = new int[dims.length];
        int rest = rank;
        for (int i = dims.length - 1; i >= 0; i--) {
            coords[i] = rest % dims[i];
            rest /= dims[i];
        }
        return coords;
    }

    /// Returns the rank at these coordinates, which are unrestricted in periodic dimensions;
    /// [Transfer#PROC_NULL] if the coordinates are outside of the grid.
    public int rank(long[] coords) {
        int rank = 0;
        for (int i = 0; i < dims.length; i++) {
            boolean inside = coords[i] >= 0 && coords[i] < dims[i];
            if (!inside && !periods[i]) return Transfer.PROC_NULL;
            rank = rank * dims[i] + (int) Math.floorMod(coords[i], (long) dims[i]);
        }
        return rank;
    }

    /// Returns the rank at a distance of `steps` from `rank` in dimension `dim`.
    public int away(int rank, int dim, long steps) {
        long[] coords = Arrays.stream(coords(rank)).asLongStream().toArray();
        coords[dim] += steps;
        return rank(coords);
    }

    /// Returns the neighbors of `rank`: for each dimension the lower, then the upper neighbor.
    public int[] neighbors(int rank) {
        int[] neighbors = new int[2 * dims.length];
        for (int i = 0; i < neighbors.length; i++) neighbors[i] = away(rank, i / 2, i % 2 == 0 ? -1 : 1);
        return neighbors;
    }

    /// Returns the grid that consists of only the dimensions i with `remain[i] == which`: the remaining
    /// dimensions if `which` is true, and the removed dimensions otherwise.
    public Grid part(boolean[] remain, boolean which) {
        int[] those =
                IntStream.range(0, dims.length).filter(i -> remain[i] == which).toArray();
        boolean[] ofThose = new boolean[those.length];
        for (int i = 0; i < those.length; i++) ofThose[i] = periods[those[i]];
        return new Grid(IntStream.of(those).map(i -> dims[i]).toArray(), ofThose);
    }

    /// Returns the rank, in the grid that [#part] returns, at the coordinates that `rank` has in the dimensions
    /// of that grid.
    public int rankIn(boolean[] remain, boolean which, int rank) {
        int[] coords = coords(rank);
        int there = 0;
        for (int i = 0; i < dims.length; i++) if (remain[i] == which) there = there * dims[i] + coords[i];
        return there;
    }

    /// Computes `MPI_Dims_create`: positive entries of `dims` do not change; the remaining entries are as equal
    /// as possible, in descending order.
    public static int[] balanced(String operation, int nodes, int[] dims) {
        if (nodes < 1) throw bad(operation, "nodes=" + nodes + " is less than 1", null);
        int[] result = dims.clone();
        long given = 1;
        int free = 0;
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] < 0)
                throw bad(operation, "dims[" + i + "]=" + dims[i] + " is negative; pass 0 to have it computed", null);
            if (dims[i] == 0) free++;
            else given = Math.min(given * dims[i], 1L + Integer.MAX_VALUE);
        }
        if (nodes % given != 0 || free == 0 && given != nodes) {
            String text =
                    Arrays.stream(dims).mapToObj(d -> d == 0 ? "?" : "" + d).collect(Collectors.joining(" x "));
            throw bad(
                    operation,
                    nodes + " ranks do not fill a grid of " + (text.isEmpty() ? "no dimension" : text),
                    null);
        }
        int[] factors = new int[free];
        boolean found = divide((int) (nodes / given), nodes, factors, 0);
        if (!found) throw new IllegalStateException(nodes + " ranks over " + given + " have no factors");
        for (int i = 0, next = 0; i < result.length; i++) if (result[i] == 0) result[i] = factors[next++];
        return result;
    }

    /// Decomposes `nodes` into factors, which are stored starting at index `at`, in descending order. No factor
    /// exceeds `most`, and the first factors are as small as possible. Returns false if there are no such
    /// factors.
    private static boolean divide(int nodes, int most, int[] factors, int at) {
        if (at == factors.length) return nodes == 1;
        if (at == factors.length - 1) {
            factors[at] = nodes;
            return nodes <= most;
        }
        int smallest = (int) Math.round(Math.ceil(Math.pow(nodes, 1.0 / (factors.length - at)) - 1e-9));
        for (int f = divisor(nodes, Math.max(1, smallest)); f <= most; f = divisor(nodes, f + 1)) {
            factors[at] = f;
            if (divide(nodes / f, f, factors, at + 1)) return true;
            if (f == nodes) break;
        }
        return false;
    }

    /// Returns the smallest divisor of `n` that is at least `least`; at most `n`. A divisor above the square
    /// root of `n` is computed from a divisor below the root, so that a large prime needs thousands of steps,
    /// not billions.
    private static int divisor(int n, int least) {
        int root = (int) Math.sqrt(n);
        for (int d = least; d <= root; d++) if (n % d == 0) return d;
        for (int d = Math.min(root, n / least); d > 1; d--) if (n % d == 0) return n / d;
        return n;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Grid g && Arrays.equals(dims, g.dims) && Arrays.equals(periods, g.periods);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(dims) + Arrays.hashCode(periods);
    }

    /// Returns a string such as `2 x 3`.
    @Override
    public String toString() {
        if (dims.length == 0) return "no dimension";
        return Arrays.stream(dims).mapToObj(String::valueOf).collect(Collectors.joining(" x "));
    }
}
