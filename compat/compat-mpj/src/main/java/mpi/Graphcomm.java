package mpi;

import org.tutti.mpi.Graph;
import org.tutti.mpi.MpiException;

/// A communicator with processes as nodes of a graph.
public class Graphcomm extends Intracomm {
    private final Graph graph;
    private final GraphParms parms;

    Graphcomm(Graph graph) {
        super(graph);
        this.graph = graph;
        parms = new GraphParms(graph.index(), graph.edges());
    }

    /// Returns [MPI#GRAPH].
    @Override
    public int Topo_test() throws MPIException {
        return MPI.GRAPH;
    }

    /// Returns the shape of the graph; always the same object.
    public GraphParms Get() throws MPIException {
        return parms;
    }

    /// Returns the neighbors of a rank.
    public int[] Neighbours(int rank) throws MPIException {
        try {
            return graph.neighbors(rank);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns the rank that this process would have in a graph of this shape; -1 if it would have none.
    public int Map(int[] index, int[] edges) throws MPIException {
        try {
            return MpjNumbers.rank(graph.graphMap(index, edges));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns a communicator with the same processes and graph, in a new context.
    @Override
    public Object clone() throws MPIException {
        try {
            return new Graphcomm(graph.dup());
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }
}
