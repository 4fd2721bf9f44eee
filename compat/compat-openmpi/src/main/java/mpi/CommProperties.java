package mpi;

import org.tutti.mpi.Cartesian;
import org.tutti.mpi.DistGraph;
import org.tutti.mpi.Graph;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;

/// Properties of a communicator.
final class CommProperties {
    private CommProperties() {}

    static String name(CommState state) throws MPIException {
        org.tutti.mpi.Communicator c = state.open();
        if (state == MPI.COMM_WORLD.state && c.name().equals("WORLD")) return "MPI_COMM_WORLD";
        return state == MPI.COMM_SELF.state && c.name().equals("SELF") ? "MPI_COMM_SELF" : c.name();
    }

    static void name(CommState state, String name) throws MPIException {
        try {
            state.open().setName(name);
        } catch (MpiException e) {
            throw state.failed(e);
        }
    }

    static int topology(CommState state) throws MPIException {
        return switch (state.open()) {
            case Cartesian c -> MPI.CART;
            case Graph g -> MPI.GRAPH;
            case DistGraph d -> MPI.DIST_GRAPH;
            default -> MPI.UNDEFINED;
        };
    }

    /// Returns the value of an attribute; null if it is not set. The predefined attributes are the same for all
    /// communicators.
    static Object attribute(CommState state, int key) throws MPIException {
        org.tutti.mpi.Communicator c = state.open();
        Mpi mpi = LifeCycle.mpi();
        if (key == MPI.TAG_UB) return c.tagUpperBound();
        if (key == MPI.HOST) return MPI.PROC_NULL;
        if (key == MPI.IO) return MPI.ANY_SOURCE;
        if (key == MPI.APPNUM) return mpi.appNumber().orElse(0);
        if (key == MPI.LASTUSEDCODE) return MPI.ERR_LASTCODE;
        if (key == MPI.UNIVERSE_SIZE)
            return mpi.universeSize().orElse(mpi.world().size());
        if (key == MPI.WTIME_IS_GLOBAL) return false;
        try {
            return state.attributes.get(key);
        } catch (Mistake e) {
            throw state.failed(e);
        }
    }
}
