package org.tutti.conformance.contract.topology;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.Map;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.Direction;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;

/// Grids. MPI 4.1, section 8.5.
public final class CartesianContract {
    private CartesianContract() {}

    private static void same(int[] expected, int[] actual, String label) {
        Check.same(Arrays.toString(expected), Arrays.toString(actual), label);
    }

    @Contract(maxRanks = 1)
    public static void dimensionsAreBalanced(Trial t) {
        same(new int[] {3, 2}, Cartesian.balancedDims(6, 0, 0), "the standard's first example");
        same(new int[] {7, 1}, Cartesian.balancedDims(7, 0, 0), "a prime");
        same(new int[] {2, 3, 1}, Cartesian.balancedDims(6, 0, 3, 0), "with one given");
        same(new int[] {4, 4, 4}, Cartesian.balancedDims(64, 0, 0, 0), "a cube");
        same(new int[] {4, 3, 2}, Cartesian.balancedDims(24, 0, 0, 0), "24");
        same(new int[] {6, 5, 4}, Cartesian.balancedDims(120, 0, 0, 0), "120");
        same(new int[] {46337, 46327}, Cartesian.balancedDims(46337 * 46327, 0, 0), "two large primes");
        same(new int[] {2147483647, 1, 1}, Cartesian.balancedDims(2147483647, 0, 0, 0), "the largest prime");
        same(new int[] {5, 2}, Cartesian.balancedDims(10, 5, 2), "all given");
        same(new int[] {12}, Cartesian.balancedDims(12, 0), "one dimension");
        same(new int[0], Cartesian.balancedDims(1), "no dimension");
        for (int n = 1; n < 200; n++) {
            int[] dims = Cartesian.balancedDims(n, 0, 0, 0);
            Check.same(n, (long) dims[0] * dims[1] * dims[2], "product");
            Check.that(dims[0] >= dims[1] && dims[1] >= dims[2], Arrays.toString(dims) + " fall");
        }
    }

    @Contract(maxRanks = 1)
    public static void impossibleDimensions(Trial t) {
        Check.rejects(
                ErrorClass.ERR_DIMS,
                "balancedDims: 6 ranks do not fill a grid of 4 x ?",
                () -> Cartesian.balancedDims(6, 4, 0));
        Check.rejects(
                ErrorClass.ERR_DIMS,
                "balancedDims: 6 ranks do not fill a grid of 3 x 1",
                () -> Cartesian.balancedDims(6, 3, 1));
        Check.rejects(
                ErrorClass.ERR_DIMS,
                "balancedDims: 2 ranks do not fill a grid of no dimension",
                () -> Cartesian.balancedDims(2));
        Check.rejects(
                ErrorClass.ERR_DIMS,
                "balancedDims: dims[1]=-2 is negative; pass 0 to have it computed",
                () -> Cartesian.balancedDims(6, 0, -2));
        Check.rejects(ErrorClass.ERR_DIMS, "balancedDims: nodes=0 is less than 1", () -> Cartesian.balancedDims(0, 0));
    }

    @Contract
    public static void ranksAreInRowMajorOrder(Trial t) {
        int[] dims = Cartesian.balancedDims(t.size(), 0, 0);
        try (Cartesian grid = t.world().cartesian(dims, new boolean[] {true, false})) {
            Check.same(t.size(), grid.size(), "size");
            Check.same(t.rank(), grid.rank(), "rank");
            Check.same(Comparison.CONGRUENT, grid.compare(t.world()), "compared with the world");
            same(dims, grid.dims(), "dims");
            Check.same("[true, false]", Arrays.toString(grid.periods()), "periods");
            same(new int[] {t.rank() / dims[1], t.rank() % dims[1]}, grid.coords(), "coords of this rank");
            for (int r = 0; r < t.size(); r++) {
                int[] at = {r / dims[1], r % dims[1]};
                same(at, grid.coords(r), "coords of rank " + r);
                Check.same(r, grid.rank(at), "rank at coords");
                Check.same(r, grid.rank(at[0] - 3 * dims[0], at[1]), "rank at coords that go round");
            }
            Check.same(t.size() * (t.size() - 1) / 2, grid.allreduce(t.rank(), Op.SUM), "sum over the grid");
            Check.same(t.rank(), t.world().cartesianMap(dims, new boolean[2]), "map");
        }
    }

    @Contract
    public static void shiftsStopAtEdgesOrWrapAround(Trial t) {
        int n = t.size();
        int me = t.rank();
        for (boolean round : new boolean[] {false, true}) {
            try (Cartesian line = t.world().cartesian(new int[] {n}, new boolean[] {round})) {
                for (int steps : new int[] {0, 1, -1, 2, -3, n, 5 * n + 1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                    long to = (long) me + steps, from = (long) me - steps;
                    Cartesian.Shift s = line.shift(0, steps);
                    Check.same(place(to, n, round), s.dest(), "dest of a shift by " + steps);
                    Check.same(place(from, n, round), s.source(), "source of a shift by " + steps);
                    Check.same(s.dest(), line.neighbor(0, steps), "neighbor");
                }
                int[] got = {-1};
                Cartesian.Shift s = line.shift(0, 1);
                line.sendrecv(buf(new int[] {me}), s.dest(), buf(got), s.source());
                Check.same(s.source() == Comm.PROC_NULL ? -1 : s.source(), got[0], "shifted value");
            }
        }
    }

    private static int place(long rank, int n, boolean round) {
        if (round) return (int) Math.floorMod(rank, (long) n);
        return rank >= 0 && rank < n ? (int) rank : Comm.PROC_NULL;
    }

    @Contract
    public static void neighborsByDirection(Trial t) {
        int[] dims = Cartesian.balancedDims(t.size(), 0, 0);
        try (Cartesian grid = t.world().cartesian(dims, new boolean[] {false, true})) {
            int row = t.rank() / dims[1], column = t.rank() % dims[1];
            Check.same(row == 0 ? Comm.PROC_NULL : t.rank() - dims[1], grid.neighbor(Direction.UP), "up");
            Check.same(row == dims[0] - 1 ? Comm.PROC_NULL : t.rank() + dims[1], grid.neighbor(Direction.DOWN), "down");
            Check.same(row * dims[1] + (column + dims[1] - 1) % dims[1], grid.neighbor(Direction.LEFT), "left");
            Check.same(row * dims[1] + (column + 1) % dims[1], grid.neighbor(Direction.RIGHT), "right");
            for (Direction d : Direction.values()) {
                Check.same(grid.neighbor(d), grid.destinations()[d.ordinal()], d + " in destinations()");
                Check.same(grid.neighbor(d), grid.sources()[d.ordinal()], d + " in sources()");
                Check.same(d, d.opposite().opposite(), "there and back");
                Check.same(d.dim(), d.opposite().dim(), "dimension of the way back");
                Check.same(-d.step(), d.opposite().step(), "step of the way back");
            }
        }
    }

    @Contract
    public static void ranksBeyondTheGridAreNotMembers(Trial t) {
        int n = Math.max(1, t.size() - 1);
        try (Cartesian line = t.world().cartesian(new int[] {n}, new boolean[] {true});
                Cartesian point = t.world().cartesian(new int[0], new boolean[0])) {
            boolean in = t.rank() < n;
            Check.same(in ? n : 0, line.size(), "size");
            Check.same(in ? t.rank() : Comm.UNDEFINED, t.world().cartesianMap(new int[] {n}, new boolean[1]), "map");
            Check.same(t.rank() == 0 ? 1 : 0, point.size(), "size of a grid of no dimension");
            if (t.rank() == 0) {
                same(new int[0], point.coords(), "coords of a point");
                same(new int[0], point.sources(), "neighbors of a point");
            }
            if (!in) {
                String why =
                        "this rank is beyond the grid of " + n + " that was passed to cartesian (" + t.where() + ")";
                Check.rejects(ErrorClass.ERR_COMM, "coords: " + why, line::coords);
                Check.rejects(
                        ErrorClass.ERR_COMM,
                        "neighborAllgather: " + why,
                        () -> line.neighborAllgather(buf(new int[1]), buf(new int[2])));
            }
        }
    }

    @Contract
    public static void subgridsRetainDimensions(Trial t) {
        int[] dims = Cartesian.balancedDims(t.size(), 0, 0);
        try (Cartesian grid = t.world().cartesian(dims, new boolean[] {true, false});
                Cartesian row = grid.sub(false, true);
                Cartesian column = grid.sub(true, false);
                Cartesian all = grid.sub(true, true);
                Cartesian point = grid.sub(false, false)) {
            int r = t.rank() / dims[1], c = t.rank() % dims[1];
            same(new int[] {dims[1]}, row.dims(), "dims of a row");
            same(new int[] {c}, row.coords(), "coords in a row");
            Check.same(false, row.periods()[0], "period of a row");
            same(new int[] {r}, column.coords(), "coords in a column");
            Check.same(true, column.periods()[0], "period of a column");
            same(dims, all.dims(), "dims of all");
            same(new int[] {r, c}, all.coords(), "coords in all");
            Check.same(1, point.size(), "size after sub(false, false)");
            Check.same(0, point.dims().length, "dimensions after sub(false, false)");
            int sum = 0;
            for (int i = 0; i < dims[1]; i++) sum += r * dims[1] + i;
            Check.same(sum, row.allreduce(t.rank(), Op.SUM), "sum over a row");
        }
    }

    @Contract
    public static void copiesRetainTheGrid(Trial t) {
        try (Cartesian line = t.world().cartesian(new int[] {t.size()}, new boolean[] {true});
                Cartesian copy = line.dup()) {
            same(line.coords(), copy.coords(), "coords");
            same(line.sources(), copy.sources(), "neighbors");
            Check.same("WORLD.cartesian" + count(line) + ".dup1", copy.name(), "name");
            int[] two = new int[2];
            copy.neighborAllgather(buf(new int[] {t.rank()}), buf(two));
            same(new int[] {t.left(), t.right()}, two, "from the neighbors");
            try (Cartesian hinted = line.dup(Map.of("a", "b"));
                    Cartesian later = line.idup().awaitComm()) {
                same(line.coords(), hinted.coords(), "coords of a copy with hints");
                Check.same("b", hinted.info().get("a"), "hint");
                later.neighborAllgather(buf(new int[] {t.rank()}), buf(two));
                same(new int[] {t.left(), t.right()}, two, "from the neighbors in a copy created by idup");
            }
            OwnedComm plain = line;
            Check.that(plain instanceof Cartesian, "a grid is one");
            Check.that(!(t.world() instanceof OwnedComm), "the world has no topology");
        }
    }

    private static String count(Comm comm) {
        return comm.name().substring("WORLD.cartesian".length());
    }

    @Contract
    public static void wrongArguments(Trial t) {
        Comm w = t.world();
        int n = t.size();
        String where = " (" + t.where() + ")";
        Check.rejects(
                ErrorClass.ERR_DIMS,
                "cartesian: dims has 1 entries but periods has 2" + where,
                () -> w.cartesian(new int[] {1}, new boolean[2]));
        Check.rejects(
                ErrorClass.ERR_DIMS,
                "cartesian: dims[1]=0 is less than 1" + where,
                () -> w.cartesian(new int[] {1, 0}, new boolean[2]));
        Check.rejects(
                ErrorClass.ERR_DIMS,
                "cartesian: a grid of " + n + " x 2 needs more than the " + n + " available ranks" + where,
                () -> w.cartesian(new int[] {n, 2}, new boolean[2]));
        Check.rejects(
                ErrorClass.ERR_DIMS,
                "cartesianMap: a grid of 65536 x 65536 needs more than the " + n + " available ranks" + where,
                () -> w.cartesianMap(new int[] {65536, 65536}, new boolean[2]));
        try (Cartesian g = w.cartesian(new int[] {n, 1}, new boolean[] {false, true})) {
            String here = " (rank " + t.rank() + " of " + n + ", " + g.name() + ")";
            String grid = n + " x 1";
            Check.rejects(
                    ErrorClass.ERR_RANK,
                    "coords: rank=" + n + " is not a rank of " + g.name() + ", which has ranks 0 to " + (n - 1) + here,
                    () -> g.coords(n));
            Check.rejects(
                    ErrorClass.ERR_DIMS, "rank: coords has 1 entries for a grid of " + grid + here, () -> g.rank(0));
            Check.rejects(
                    ErrorClass.ERR_ARG,
                    "rank: coords=[" + n + ", 0] are outside of the grid of " + grid
                            + "; only periodic dimensions wrap around" + here,
                    () -> g.rank(n, 0));
            Check.rejects(
                    ErrorClass.ERR_DIMS,
                    "shift: dim=2 is not a dimension of a grid of " + grid + here,
                    () -> g.shift(2, 1));
            Check.rejects(
                    ErrorClass.ERR_DIMS,
                    "neighbor: dim=-1 is not a dimension of a grid of " + grid + here,
                    () -> g.neighbor(-1, 1));
            Check.rejects(
                    ErrorClass.ERR_DIMS, "sub: remain has 1 entries for a grid of " + grid + here, () -> g.sub(true));
        }
        try (Cartesian line = w.cartesian(new int[] {n}, new boolean[1])) {
            Check.rejects(
                    ErrorClass.ERR_DIMS,
                    "neighbor: LEFT needs a grid of two dimensions, but this grid, " + n
                            + ", has 1; use neighbor(dim, steps) (rank " + t.rank() + " of " + n + ", " + line.name()
                            + ")",
                    () -> line.neighbor(Direction.LEFT));
        }
    }
}
