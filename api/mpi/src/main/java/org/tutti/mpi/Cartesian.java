package org.tutti.mpi;

import java.util.Arrays;
import java.util.Map;
import org.tutti.mpi.topology.Grid;
import org.tutti.mpi.topology.Neighborhood;
import org.tutti.spi.CommPort;

/// A communicator of ranks in a grid, which [Comm#cartesian(int\[\], boolean\[\])] creates. MPI 4.1, section
/// 8.5.
///
///     Cartesian grid = world.cartesian(Cartesian.balancedDims(world.size(), 0, 0), new boolean[] {false, true});
///     int left = grid.neighbor(Direction.LEFT);           // PROC_NULL at an edge
///     int next = grid.neighbor(1, +1);                    // the same in any number of dimensions
///
/// Ranks are in row-major order: the last coordinate varies fastest. In neighborhood collectives, a rank has
/// two neighbors in each dimension, first the lower, then the upper neighbor; a missing neighbor is
/// [Comm#PROC_NULL], and the block of a missing neighbor is not changed. Data that is sent in a direction
/// arrives from the opposite direction. This also applies to periodic dimensions of size 1 or 2, in which the
/// two neighbors are the same rank.
public final class Cartesian extends Topology {
    private final Grid grid;

    Cartesian(Mpi mpi, CommPort port, Grid grid) {
        super(mpi, port, neighborhood(port, grid));
        this.grid = grid;
    }

    /// Returns the neighbors in a grid. In each dimension, the message to the upper neighbor is sent first,
    /// because the receive from the lower neighbor is first. The order matters if the two neighbors are the
    /// same rank.
    private static Neighborhood neighborhood(CommPort port, Grid grid) {
        if (port.size() == 0) return Neighborhood.NONE;
        int[] neighbors = grid.neighbors(port.rank());
        int[] order = new int[neighbors.length];
        for (int i = 0; i < order.length; i++) order[i] = i ^ 1;
        return new Neighborhood(neighbors, neighbors, order);
    }

    /// The two ranks of a [#shift]: `source` sends to the calling rank, and the calling rank sends to `dest`.
    public record Shift(int source, int dest) {}

    /// Divides `nodes` ranks over a grid: the entries of `dims` that are 0 are replaced by values that are as
    /// equal as possible, in descending order; other entries stay unchanged. Local. `MPI_Dims_create`, MPI 4.1,
    /// section 8.5.2.
    ///
    /// @throws MpiException `ERR_DIMS` if the given entries do not divide `nodes`, an entry is negative, or
    ///     `nodes` is less than 1
    public static int[] balancedDims(int nodes, int... dims) {
        return EngineCalls.gate(() -> Grid.balanced("balancedDims", nodes, dims));
    }

    /// Returns the number of ranks in each dimension. Local. `MPI_Cart_get`, MPI 4.1, section 8.5.5.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public int[] dims() {
        begin("dims");
        return grid.dims().clone();
    }

    /// Returns, for each dimension, whether the last rank is a neighbor of the first rank. Local.
    /// `MPI_Cart_get`, MPI 4.1, section 8.5.5.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public boolean[] periods() {
        begin("periods");
        return grid.periods().clone();
    }

    /// Returns this rank's coordinates. Local. `MPI_Cart_get`, MPI 4.1, section 8.5.5.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public int[] coords() {
        begin("coords");
        return grid.coords(port.rank());
    }

    /// Returns the coordinates of a rank. Local. `MPI_Cart_coords`, MPI 4.1, section 8.5.5.
    ///
    /// @throws MpiException `ERR_RANK` if `rank` is not a rank of this communicator
    public int[] coords(int rank) {
        begin("coords");
        checkRank("coords", rank);
        return grid.coords(rank);
    }

    /// Returns the rank at these coordinates; in a periodic dimension every coordinate is valid. Local.
    /// `MPI_Cart_rank`, MPI 4.1, section 8.5.5.
    ///
    /// @throws MpiException `ERR_DIMS` if the number of coordinates differs from the number of dimensions;
    ///     `ERR_ARG` if the point is outside of the grid
    public int rank(int... coords) {
        begin("rank");
        if (coords.length != grid.dims().length) {
            throw MpiException.argument(
                    ErrorClass.ERR_DIMS,
                    "rank",
                    "coords has " + coords.length + " entries for a grid of " + grid,
                    port);
        }
        int rank = grid.rank(Arrays.stream(coords).asLongStream().toArray());
        if (rank != PROC_NULL) return rank;
        throw MpiException.argument(
                ErrorClass.ERR_ARG,
                "rank",
                "coords=" + Arrays.toString(coords) + " are outside of the grid of " + grid
                        + "; only periodic dimensions wrap around",
                port);
    }

    /// Returns the source and the destination of a shift of all data by `steps` in dimension `dim`;
    /// [Comm#PROC_NULL] where the grid ends. Local. `MPI_Cart_shift`, MPI 4.1, section 8.5.6.
    ///
    ///     Cartesian.Shift s = grid.shift(0, 1);
    ///     grid.sendrecv(mine, s.dest(), theirs, s.source());
    ///
    /// @throws MpiException `ERR_DIMS` if the dimension does not exist
    public Shift shift(int dim, int steps) {
        begin("shift");
        checkDim("shift", dim);
        return new Shift(grid.away(port.rank(), dim, -(long) steps), grid.away(port.rank(), dim, steps));
    }

    /// Returns the rank at a distance of `steps` in dimension `dim`; [Comm#PROC_NULL] where the grid ends.
    /// Local. MPI 4.1, section 8.5.6.
    ///
    /// @throws MpiException `ERR_DIMS` if the dimension does not exist
    public int neighbor(int dim, int steps) {
        begin("neighbor");
        checkDim("neighbor", dim);
        return grid.away(port.rank(), dim, steps);
    }

    /// Returns the neighbor in the given direction in a grid of two dimensions; [Comm#PROC_NULL] where the grid
    /// ends. Local. MPI 4.1, section 8.5.6.
    ///
    /// @throws MpiException `ERR_DIMS` if the grid does not have two dimensions
    public int neighbor(Direction direction) {
        begin("neighbor");
        if (grid.dims().length != 2) {
            throw MpiException.argument(
                    ErrorClass.ERR_DIMS,
                    "neighbor",
                    direction + " needs a grid of two dimensions, but this grid, " + grid + ", has "
                            + grid.dims().length + "; use neighbor(dim, steps)",
                    port);
        }
        return grid.away(port.rank(), direction.dim(), direction.step());
    }

    /// Divides the grid: each rank gets a communicator of the ranks whose coordinates differ from this rank's
    /// coordinates only in the dimensions for which `remain` is true. If `remain` is true for no dimension,
    /// each rank gets a grid without dimensions. Collective, blocking. `MPI_Cart_sub`, MPI 4.1, section 8.5.7.
    ///
    /// @throws MpiException `ERR_DIMS` if `remain` does not have one entry for each dimension
    public Cartesian sub(boolean... remain) {
        begin("sub");
        if (remain.length != grid.dims().length) {
            throw MpiException.argument(
                    ErrorClass.ERR_DIMS, "sub", "remain has " + remain.length + " entries for a grid of " + grid, port);
        }
        int color = grid.rankIn(remain, false, port.rank());
        int key = grid.rankIn(remain, true, port.rank());
        Grid part = grid.part(remain, true);
        return new Cartesian(mpi, piece("sub", color, key, part.size(), "grid of " + part), part);
    }

    /// Copies this communicator as [Comm#dup()] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public Cartesian dup() {
        return (Cartesian) super.dup();
    }

    /// Copies this communicator as [Comm#dup(Map)] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public Cartesian dup(Map<String, String> hints) {
        return (Cartesian) super.dup(hints);
    }

    /// Starts a copy of this communicator as [Comm#idup()] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public CommRequest<Cartesian> idup() {
        return idup(hints());
    }

    /// Starts a copy of this communicator as [Comm#idup(Map)] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public CommRequest<Cartesian> idup(Map<String, String> hints) {
        return idup(hints, this::over);
    }

    @Override
    Cartesian over(CommPort part) {
        return new Cartesian(mpi, part, grid);
    }

    private void checkDim(String operation, int dim) {
        if (dim >= 0 && dim < grid.dims().length) return;
        throw MpiException.argument(
                ErrorClass.ERR_DIMS, operation, "dim=" + dim + " is not a dimension of a grid of " + grid, port);
    }

    @Override
    public String toString() {
        return "Cartesian " + grid + " (" + port + ")";
    }
}
