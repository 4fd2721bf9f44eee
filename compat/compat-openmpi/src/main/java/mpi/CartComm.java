package mpi;

import org.tutti.mpi.Cartesian;
import org.tutti.mpi.MpiException;

/// A communicator with a grid of ranks.
public final class CartComm extends Intracomm {
    CartComm(CommHandles state) {
        super(state);
    }

    private Cartesian grid() throws MPIException {
        return (Cartesian) state.open();
    }

    @Override
    public CartComm dup() throws MPIException {
        return new CartComm(state.dup(null));
    }

    @Override
    public CartComm dupWithInfo(Info info) throws MPIException {
        return new CartComm(state.dup(info));
    }

    @Override
    public CartComm iDup() throws MPIException {
        return new CartComm(state.idup());
    }

    @Override
    public CartComm clone() {
        return new CartComm(state.cloned());
    }

    /// Replaces the zeros in `dims`.
    public static void createDims(int nodes, int[] dims) throws MPIException {
        try {
            int[] filled = Cartesian.balancedDims(nodes, dims);
            System.arraycopy(filled, 0, dims, 0, dims.length);
        } catch (MpiException e) {
            throw Failures.of(e);
        }
    }

    public CartParms getTopo() throws MPIException {
        Cartesian grid = grid();
        return new CartParms(grid.dims(), grid.periods(), grid.coords());
    }

    public int getRank(int[] coords) throws MPIException {
        try {
            return grid().rank(coords);
        } catch (MpiException e) {
            throw state.failed(e);
        }
    }

    public int[] getCoords(int rank) throws MPIException {
        try {
            return grid().coords(rank);
        } catch (MpiException e) {
            throw state.failed(e);
        }
    }

    public ShiftParms shift(int direction, int disp) throws MPIException {
        try {
            Cartesian.Shift shift = grid().shift(direction, disp);
            return new ShiftParms(shift.source(), shift.dest());
        } catch (MpiException e) {
            throw state.failed(e);
        }
    }

    public CartComm sub(boolean[] remain) throws MPIException {
        return new CartComm(state.made(c -> ((Cartesian) c).sub(remain)));
    }

    public int map(int[] dims, boolean[] periods) throws MPIException {
        try {
            return grid().cartesianMap(dims, periods);
        } catch (MpiException e) {
            throw state.failed(e);
        }
    }
}
