package org.tutti.mpi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.engine.NullComm;
import org.tutti.mpi.topology.Grid;
import org.tutti.spi.CommPort;

/// The part of [Comm] that creates communicators with a topology. MPI 4.1, section 8.5.
///
/// All methods are collective over this communicator, except [#cartesianMap] and [#graphMap], which are local.
/// There is no parameter `reorder`: ranks keep their order, because Tutti places ranks at the start
/// (`--map-by`). The class of a communicator indicates the topology, as `MPI_Topo_test` does:
///
///     switch (comm) { case Cartesian grid -> …; case Graph g -> …; case DistGraph g -> …; default -> none }
abstract sealed class TopologyConstructors extends OneGroupCollectives permits Comm {
    TopologyConstructors(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    /// Creates a communicator of the first ranks of this communicator. These ranks are the points of a grid of
    /// `dims[0]` by `dims[1]` by … ranks, in row-major order; in dimensions for which `periods` is true, the
    /// last point is a neighbor of the first. [Cartesian#balancedDims] chooses suitable numbers. Ranks keep
    /// their order, as if the standard's `reorder` were false. All ranks must pass the same values. Ranks
    /// beyond the grid get a communicator without ranks, as from [Comm#split(int, int)]. Collective, blocking.
    /// `MPI_Cart_create`, MPI 4.1, section 8.5.1.
    ///
    /// @throws MpiException `ERR_DIMS` if the arguments do not describe a grid, or the grid has more points
    ///     than this communicator has ranks; `ERR_MISMATCH` if ranks passed different grids
    public Cartesian cartesian(int[] dims, boolean[] periods) {
        begin("cartesian");
        Grid grid = grid("cartesian", dims, periods);
        return new Cartesian(mpi, first("cartesian", grid.size(), grid.hashCode(), "grid of " + grid), grid);
    }

    /// Returns the rank that this rank would have in the communicator that [#cartesian] creates for these
    /// arguments; [Comm#UNDEFINED] if it would not be in the grid. Local. `MPI_Cart_map`, MPI 4.1, section
    /// 8.5.8.
    ///
    /// @throws MpiException `ERR_DIMS` as [#cartesian]
    public int cartesianMap(int[] dims, boolean[] periods) {
        begin("cartesianMap");
        return mapped(grid("cartesianMap", dims, periods).size());
    }

    private Grid grid(String operation, int[] dims, boolean[] periods) {
        Arguments.given(operation, "dims", dims, port);
        Arguments.given(operation, "periods", periods, port);
        return EngineCalls.gate(() -> Grid.of(operation, dims, periods, port.size(), port));
    }

    /// Creates a communicator of the first ranks of this communicator. These ranks are the nodes of a graph:
    /// `neighbors[r]` are the neighbors of rank r. All ranks must pass the same graph. Ranks beyond the graph
    /// get a communicator without ranks. Collective, blocking. `MPI_Graph_create`, MPI 4.1, section 8.5.3.
    ///
    /// @throws MpiException `ERR_ARG` if the graph has more nodes than this communicator has ranks; `ERR_RANK`
    ///     if a neighbor is not a node; `ERR_MISMATCH` if ranks passed different graphs
    public Graph graph(int[][] neighbors) {
        begin("graph");
        return graph(Graph.Edges.of("graph", neighbors, port.size(), port));
    }

    /// Like [#graph(int\[\]\[\])], but with arguments in the form that C uses: the neighbors of rank r are
    /// `edges[index[r - 1]]` to `edges[index[r] - 1]`; the neighbors of rank 0 begin at `edges[0]`.
    ///
    /// @throws MpiException as [#graph(int\[\]\[\])]; `ERR_ARG` if `index` does not fit `edges`
    public Graph graph(int[] index, int[] edges) {
        begin("graph");
        return graph(Graph.Edges.of("graph", index, edges, port.size(), port));
    }

    private Graph graph(Graph.Edges edges) {
        return new Graph(mpi, first("graph", edges.nodes(), edges.hashCode(), "graph of " + edges), edges);
    }

    /// Returns the rank that this rank would have in the communicator that [#graph(int\[\], int\[\])] creates
    /// for these arguments; [Comm#UNDEFINED] if it would not be in the graph. Local. `MPI_Graph_map`, MPI 4.1,
    /// section 8.5.8.
    ///
    /// @throws MpiException `ERR_ARG`, `ERR_RANK` as [#graph(int\[\], int\[\])]
    public int graphMap(int[] index, int[] edges) {
        begin("graphMap");
        return mapped(
                Graph.Edges.of("graphMap", index, edges, port.size(), port).nodes());
    }

    private int mapped(int size) {
        return port.rank() < size ? port.rank() : UNDEFINED;
    }

    /// Like [#distGraphAdjacent(int\[\], int\[\], int\[\], int\[\])], without weights.
    ///
    /// @throws MpiException as [#distGraphAdjacent(int\[\], int\[\], int\[\], int\[\])]
    public DistGraph distGraphAdjacent(int[] sources, int[] destinations) {
        return distGraphAdjacent(sources, null, destinations, null);
    }

    /// Creates a communicator of the same ranks with a directed graph. Each rank passes the edges incident to
    /// it: the edges from `sources` to this rank, and the edges from this rank to `destinations`, each with a
    /// weight. A rank may occur several times, and may be the calling rank itself. Weights are stored for the
    /// program; either all ranks pass two arrays of weights, or all pass null. Collective, blocking.
    /// `MPI_Dist_graph_create_adjacent`, MPI 4.1, section 8.5.4.
    ///
    /// @throws MpiException `ERR_RANK` if an edge has an end that is not a rank of this communicator; `ERR_ARG`
    ///     if an edge does not have a weight, or a weight is negative; `ERR_MISMATCH` if the rank at the other
    ///     end of an edge did not pass the edge, or if only some ranks pass weights
    public DistGraph distGraphAdjacent(
            int[] sources, int @Nullable [] sourceWeights, int[] destinations, int @Nullable [] destinationWeights) {
        String operation = "distGraphAdjacent";
        EngineCalls engine = begin(operation);
        checkRanks(operation, "sources", sources);
        checkRanks(operation, "destinations", destinations);
        if (sourceWeights == null != (destinationWeights == null)) {
            throw wrong(
                    operation,
                    "only the " + (sourceWeights == null ? "destinations" : "sources")
                            + " have weights; pass weights for sources and destinations, or for neither");
        }
        checkWeights(operation, "sourceWeights", sourceWeights, sources.length, "sources");
        checkWeights(operation, "destinationWeights", destinationWeights, destinations.length, "destinations");
        CommPort part = named(engine.dup(port), operation);
        return new DistGraph(
                mpi,
                part,
                new DistGraphMaker(mpi, engine, part, operation)
                        .adjacent(sources, sourceWeights, destinations, destinationWeights));
    }

    /// Like [#distGraph(int\[\], int\[\], int\[\], int\[\])], without weights.
    ///
    /// @throws MpiException as [#distGraph(int\[\], int\[\], int\[\], int\[\])]
    public DistGraph distGraph(int[] sources, int[] degrees, int[] destinations) {
        Arguments.given("distGraph", "degrees", degrees, port);
        return distGraph(sources, degrees, destinations, null);
    }

    /// Creates a communicator of the same ranks with a directed graph. Each rank passes any edges of the graph:
    /// from each `sources[i]`, there are `degrees[i]` edges, which lead to the next `degrees[i]` entries of
    /// `destinations`; `weights` are in the same order. The graph contains the edges of all ranks, including
    /// duplicates. Either all ranks pass weights, or all pass null. In the new communicator, each rank has the
    /// edges incident to it, in the order of the ranks that have passed these edges. Collective, blocking.
    /// `MPI_Dist_graph_create`, MPI 4.1, section 8.5.4.
    ///
    /// @throws MpiException `ERR_RANK` if an edge has an end that is not a rank of this communicator; `ERR_ARG`
    ///     if the lengths of the arrays do not match, or a degree or weight is negative; `ERR_MISMATCH` if only
    ///     some ranks pass weights
    public DistGraph distGraph(int[] sources, int[] degrees, int[] destinations, int @Nullable [] weights) {
        String operation = "distGraph";
        EngineCalls engine = begin(operation);
        checkRanks(operation, "sources", sources);
        checkRanks(operation, "destinations", destinations);
        Arguments.given(operation, "degrees", degrees, port);
        if (degrees.length != sources.length) {
            throw wrong(operation, "degrees has " + degrees.length + " entries for " + sources.length + " sources");
        }
        long edges = 0;
        for (int i = 0; i < degrees.length; i++) {
            if (degrees[i] < 0) throw wrong(operation, "degrees[" + i + "]=" + degrees[i] + " is negative");
            edges += degrees[i];
        }
        if (edges != destinations.length) {
            throw wrong(
                    operation,
                    "the sum of degrees is " + edges + " but destinations has " + destinations.length + " entries");
        }
        checkWeights(operation, "weights", weights, destinations.length, "destinations");
        CommPort part = named(engine.dup(port), operation);
        return new DistGraph(
                mpi,
                part,
                new DistGraphMaker(mpi, engine, part, operation).any(sources, degrees, destinations, weights));
    }

    /// Returns a communicator of the first `members` ranks. The color is a hash of the arguments. Therefore
    /// ranks that have passed different arguments get different communicators, and detect that ranks are
    /// missing.
    private CommPort first(String operation, int members, int hash, String what) {
        boolean in = port.rank() < members;
        int color = in ? hash & Integer.MAX_VALUE : UNDEFINED;
        if (in) return piece(operation, color, port.rank(), members, what);
        mpi.engine(operation).split(port, -1, port.rank());
        childName(operation);
        return new NullComm(Comm.UNDEFINED, "this rank is beyond the " + what + " that was passed to " + operation);
    }

    /// Returns one part of a split. The part must have `members` ranks.
    final CommPort piece(String operation, int color, int key, int members, String what) {
        CommPort part = mpi.engine(operation).split(port, color, key);
        if (part == null) throw new IllegalStateException(operation + " of " + port + " has no result");
        named(part, operation);
        if (part.size() == members) return part;
        throw MpiException.job(
                ErrorClass.ERR_MISMATCH,
                operation,
                "a " + what + " needs " + members + " ranks, but only " + part.size()
                        + " passed this rank's arguments; pass the same on all ranks",
                port);
    }

    private CommPort named(CommPort part, String operation) {
        part.name(childName(operation));
        return part;
    }

    private void checkRanks(String operation, String name, int[] ranks) {
        Arguments.given(operation, name, ranks, port);
        for (int i = 0; i < ranks.length; i++) {
            if (ranks[i] >= 0 && ranks[i] < port.size()) continue;
            throw MpiException.argument(
                    ErrorClass.ERR_RANK,
                    operation,
                    name + "[" + i + "]=" + ranks[i] + " is not a rank of " + port.name() + ", which has ranks 0 to "
                            + (port.size() - 1),
                    port);
        }
    }

    private void checkWeights(String operation, String name, int @Nullable [] weights, int edges, String of) {
        if (weights == null) return;
        if (weights.length != edges) {
            throw wrong(operation, name + " has " + weights.length + " entries for " + edges + " " + of);
        }
        for (int i = 0; i < edges; i++) {
            if (weights[i] < 0)
                throw wrong(operation, name + "=" + Arrays.toString(weights) + " contains a negative number");
        }
    }

    private MpiException wrong(String operation, String detail) {
        return MpiException.argument(ErrorClass.ERR_ARG, operation, detail, port);
    }
}
