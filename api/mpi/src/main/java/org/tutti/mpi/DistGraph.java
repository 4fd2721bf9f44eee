package org.tutti.mpi;

import java.util.Map;
import org.tutti.mpi.topology.Neighborhood;
import org.tutti.spi.Collective.Neighbors;
import org.tutti.spi.CommPort;

/// A communicator with a directed graph, which [Comm#distGraphAdjacent(int\[\], int\[\])] or
/// [Comm#distGraph(int\[\], int\[\], int\[\])] creates. Each rank stores only the edges incident to it. MPI
/// 4.1, section 8.5.4.
///
/// In neighborhood collectives, a rank receives from its sources in the order of [#sources], and sends to its
/// destinations in the order of [#destinations]. Duplicate edges from rank A to rank B match in order: the
/// first B in A's destinations corresponds to the first A in B's sources.
public final class DistGraph extends Topology {
    private final int[] sourceWeights;
    private final int[] destinationWeights;
    private final boolean weighted;

    DistGraph(Mpi mpi, CommPort port, OwnEdges edges) {
        super(mpi, port, new Neighborhood(edges.sources(), edges.destinations()));
        sourceWeights = edges.sourceWeights();
        destinationWeights = edges.destinationWeights();
        weighted = edges.weighted();
    }

    /// The edges at one rank.
    record OwnEdges(
            int[] sources, int[] sourceWeights, int[] destinations, int[] destinationWeights, boolean weighted) {}

    /// Returns whether the edges have weights. Local. `MPI_Dist_graph_neighbors_count`, MPI 4.1, section 8.5.5.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public boolean isWeighted() {
        begin("isWeighted");
        return weighted;
    }

    /// Returns the weights of the edges to this rank, in the order of [#sources]. A weight is 1 if the edges
    /// have no weights. Local. `MPI_Dist_graph_neighbors`, MPI 4.1, section 8.5.5.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public int[] sourceWeights() {
        begin("sourceWeights");
        return sourceWeights.clone();
    }

    /// Returns the weights of the edges from this rank, in the order of [#destinations]. A weight is 1 if the
    /// edges have no weights. Local. `MPI_Dist_graph_neighbors`, MPI 4.1, section 8.5.5.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public int[] destinationWeights() {
        begin("destinationWeights");
        return destinationWeights.clone();
    }

    /// Copies this communicator as [Comm#dup()] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public DistGraph dup() {
        return (DistGraph) super.dup();
    }

    /// Copies this communicator as [Comm#dup(Map)] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public DistGraph dup(Map<String, String> hints) {
        return (DistGraph) super.dup(hints);
    }

    /// Starts a copy of this communicator as [Comm#idup()] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public CommRequest<DistGraph> idup() {
        return idup(hints());
    }

    /// Starts a copy of this communicator as [Comm#idup(Map)] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public CommRequest<DistGraph> idup(Map<String, String> hints) {
        return idup(hints, this::over);
    }

    @Override
    DistGraph over(CommPort part) {
        Neighbors own = neighborhood.neighbors();
        int[] to = own.destinations();
        return new DistGraph(mpi, part, new OwnEdges(own.sources(), sourceWeights, to, destinationWeights, weighted));
    }

    @Override
    public String toString() {
        Neighbors own = neighborhood.neighbors();
        return "DistGraph with " + own.sources().length + " sources and " + own.destinations().length
                + " destinations (" + port + ")";
    }
}
