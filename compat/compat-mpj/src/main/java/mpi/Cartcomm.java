package mpi;

import org.tutti.mpi.Cartesian;
import org.tutti.mpi.MpiException;

/// A communicator with a grid of processes, in row-major order.
public class Cartcomm extends Intracomm {
    private final Cartesian grid;
    private final CartParms parms;

    Cartcomm(Cartesian grid) {
        super(grid);
        this.grid = grid;
        parms = new CartParms(grid.dims(), grid.periods(), grid.coords());
    }

    @Override
    boolean isGrid() {
        return true;
    }

    /// Divides `nodes` processes over a grid with `dims.length` dimensions, and stores the sizes in `dims`.
    public static void Dims_create(int nodes, int[] dims) throws MPIException {
        try {
            int[] chosen = Cartesian.balancedDims(nodes, new int[dims.length]);
            System.arraycopy(chosen, 0, dims, 0, dims.length);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns [MPI#CART].
    @Override
    public int Topo_test() throws MPIException {
        return MPI.CART;
    }

    /// Returns the shape of the grid and the coordinates of this process; always the same object.
    public CartParms Get() throws MPIException {
        return parms;
    }

    /// Returns the rank at these coordinates.
    public int Rank(int[] coords) throws MPIException {
        try {
            return grid.rank(coords);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns the coordinates of a rank.
    public int[] Coords(int rank) throws MPIException {
        try {
            return grid.coords(rank);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns the source and the destination of a shift by `displacement` steps; -1 if outside of the grid.
    public ShiftParms Shift(int direction, int displacement) throws MPIException {
        try {
            Cartesian.Shift s = grid.shift(direction, displacement);
            return new ShiftParms(orOutside(s.source()), orOutside(s.dest()));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    private static int orOutside(int rank) {
        return rank == org.tutti.mpi.Comm.PROC_NULL ? MpjNumbers.UNDEFINED : rank;
    }

    /// Creates grids of the dimensions for which `remain` is true: one grid for each combination of coordinates
    /// in the other dimensions.
    public Cartcomm Sub(boolean[] remain) throws MPIException {
        try {
            return new Cartcomm(grid.sub(remain));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns the rank that this process would have in a grid of these dimensions; -1 if it would have none.
    public int Map(int[] dims, boolean[] periods) throws MPIException {
        try {
            return MpjNumbers.rank(grid.cartesianMap(dims, periods));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns a communicator with the same processes and grid, in a new context.
    @Override
    public Object clone() throws MPIException {
        try {
            return new Cartcomm(grid.dup());
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }
}
