package mpi;

import org.tutti.mpi.DistGraph;
import org.tutti.mpi.Graph;
import org.tutti.mpi.MpiException;

/// A communicator with a graph of ranks, specified completely on all ranks or in part on each rank.
public final class GraphComm extends Intracomm {
    GraphComm(CommHandles state) {
        super(state);
    }

    private Graph graph() throws MPIException {
        if (state.open() instanceof Graph g) return g;
        throw Failures.of(
                MPI.ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY: no rank has the complete distributed graph", state.errhandler);
    }

    @Override
    public GraphComm dup() throws MPIException {
        return new GraphComm(state.dup(null));
    }

    @Override
    public GraphComm dupWithInfo(Info info) throws MPIException {
        return new GraphComm(state.dup(info));
    }

    @Override
    public GraphComm iDup() throws MPIException {
        return new GraphComm(state.idup());
    }

    @Override
    public GraphComm clone() {
        return new GraphComm(state.cloned());
    }

    public GraphParms getDims() throws MPIException {
        Graph g = graph();
        return new GraphParms(g.index(), g.edges());
    }

    public int[] getNeighbors(int rank) throws MPIException {
        try {
            return graph().neighbors(rank);
        } catch (MpiException e) {
            throw state.failed(e);
        }
    }

    public DistGraphNeighbors getDistGraphNeighbors() throws MPIException {
        if (!(state.open() instanceof DistGraph g)) {
            throw Failures.of(MPI.ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY: not a distributed graph", state.errhandler);
        }
        boolean weighted = g.isWeighted();
        int[] in = weighted ? g.sourceWeights() : new int[g.sources().length];
        int[] out = weighted ? g.destinationWeights() : new int[g.destinations().length];
        return new DistGraphNeighbors(g.sources(), in, g.destinations(), out, weighted);
    }

    public int map(int[] index, int[] edges) throws MPIException {
        try {
            return state.oneGroup().graphMap(index, edges);
        } catch (MpiException e) {
            throw state.failed(e);
        }
    }
}
