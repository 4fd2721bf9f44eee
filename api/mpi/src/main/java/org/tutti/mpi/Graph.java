package org.tutti.mpi;

import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.topology.Neighborhood;
import org.tutti.spi.CommPort;

/// A communicator with a graph, which [Comm#graph(int\[\]\[\])] creates. Every rank stores the complete graph.
/// For many ranks, prefer [DistGraph]. MPI 4.1, section 8.5.3.
///
/// In neighborhood collectives, a rank sends to and receives from each neighbor, in the given order. The graph
/// must therefore be symmetric: two neighbors must list each other the same number of times.
public final class Graph extends Topology {
    private final Edges edges;

    Graph(Mpi mpi, CommPort port, Edges edges) {
        super(mpi, port, neighborhood(port, edges));
        this.edges = edges;
    }

    private static Neighborhood neighborhood(CommPort port, Edges edges) {
        if (port.size() == 0) return Neighborhood.NONE;
        int[] neighbors = edges.of(port.rank());
        Neighborhood symmetric = new Neighborhood(neighbors, neighbors);
        return new Neighborhood(symmetric.neighbors(), edges.asymmetry());
    }

    /// The neighbors of each rank. The neighbors of rank r are in `ends`, from position `index[r - 1]`
    /// (inclusive; 0 for rank 0) to position `index[r]` (exclusive).
    record Edges(int[] index, int[] ends) {
        static Edges of(String operation, int[] index, int[] ends, int most, Object where) {
            Arguments.given(operation, "index", index);
            Arguments.given(operation, "edges", ends);
            if (index.length > most) {
                throw bad(operation, index.length + " nodes are more than the " + most + " available ranks", where);
            }
            int before = 0;
            for (int r = 0; r < index.length; r++) {
                if (index[r] < before) {
                    throw bad(operation, "index[" + r + "]=" + index[r] + " is less than " + before, where);
                }
                before = index[r];
            }
            if (before != ends.length) {
                throw bad(operation, "edges has " + ends.length + " entries but index ends with " + before, where);
            }
            for (int i = 0; i < ends.length; i++) {
                if (ends[i] >= 0 && ends[i] < index.length) continue;
                throw MpiException.argument(
                        ErrorClass.ERR_RANK,
                        operation,
                        "edges[" + i + "]=" + ends[i] + " is not a node of a graph of " + index.length,
                        where);
            }
            return new Edges(index.clone(), ends.clone());
        }

        /// Creates the edges from the list of each rank's neighbors.
        static Edges of(String operation, int[][] neighbors, int most, Object where) {
            Arguments.given(operation, "neighbors", neighbors);
            int[] index = new int[neighbors.length];
            int all = 0;
            for (int r = 0; r < index.length; r++) {
                if (neighbors[r] == null) throw bad(operation, "neighbors[" + r + "] is null", where);
                index[r] = all += neighbors[r].length;
            }
            int[] ends = Arrays.stream(neighbors).flatMapToInt(Arrays::stream).toArray();
            return of(operation, index, ends, most, where);
        }

        private static MpiException bad(String operation, String detail, Object where) {
            return MpiException.argument(ErrorClass.ERR_ARG, operation, detail, where);
        }

        int nodes() {
            return index.length;
        }

        int[] of(int rank) {
            return Arrays.copyOfRange(ends, rank == 0 ? 0 : index[rank - 1], index[rank]);
        }

        /// Describes two nodes that list each other a different number of times; null if no such nodes exist.
        @Nullable
        String asymmetry() {
            long[] edges = new long[ends.length], turned = new long[ends.length];
            for (int r = 0, i = 0; r < nodes(); r++) {
                for (; i < index[r]; i++) {
                    edges[i] = (long) r << Integer.SIZE | ends[i];
                    turned[i] = (long) ends[i] << Integer.SIZE | r;
                }
            }
            Arrays.sort(edges);
            Arrays.sort(turned);
            int at = Arrays.mismatch(edges, turned);
            if (at < 0) return null;
            long pair = Math.min(edges[at], turned[at]);
            int r = (int) (pair >>> Integer.SIZE), other = (int) pair;
            return "rank " + r + " has " + times(r, other) + " edges to rank " + other + ", but rank " + other + " has "
                    + times(other, r) + " edges to rank " + r
                    + "; list each neighbor on the other rank equally often, or use distGraph";
        }

        private long times(int rank, int neighbor) {
            return Arrays.stream(of(rank)).filter(n -> n == neighbor).count();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Edges e && Arrays.equals(index, e.index) && Arrays.equals(ends, e.ends);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(index) + Arrays.hashCode(ends);
        }

        /// Returns a description, for example `4 nodes and 8 edges`.
        @Override
        public String toString() {
            return nodes() + " nodes and " + ends.length + " edges";
        }
    }

    /// Returns this rank's neighbors, in the given order. Local. `MPI_Graph_neighbors`, MPI 4.1, section 8.5.5.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public int[] neighbors() {
        begin("neighbors");
        return edges.of(port.rank());
    }

    /// Returns the neighbors of a rank, in the given order. Local. `MPI_Graph_neighbors`, MPI 4.1, section
    /// 8.5.5.
    ///
    /// @throws MpiException `ERR_RANK` if `rank` is not a rank of this communicator
    public int[] neighbors(int rank) {
        begin("neighbors");
        checkRank("neighbors", rank);
        return edges.of(rank);
    }

    /// Returns, for each rank r, the total number of neighbors of the ranks 0 to r. Local. `MPI_Graph_get`, MPI
    /// 4.1, section 8.5.5.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public int[] index() {
        begin("index");
        return edges.index().clone();
    }

    /// Returns the neighbors of all ranks: first those of rank 0, then those of rank 1, and so on. Local.
    /// `MPI_Graph_get`, MPI 4.1, section 8.5.5.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public int[] edges() {
        begin("edges");
        return edges.ends().clone();
    }

    /// Copies this communicator as [Comm#dup()] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public Graph dup() {
        return (Graph) super.dup();
    }

    /// Copies this communicator as [Comm#dup(Map)] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public Graph dup(Map<String, String> hints) {
        return (Graph) super.dup(hints);
    }

    /// Starts a copy of this communicator as [Comm#idup()] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public CommRequest<Graph> idup() {
        return idup(hints());
    }

    /// Starts a copy of this communicator as [Comm#idup(Map)] does, including the topology.
    ///
    /// @throws MpiException as [Comm#dup()]
    @Override
    public CommRequest<Graph> idup(Map<String, String> hints) {
        return idup(hints, this::over);
    }

    @Override
    Graph over(CommPort part) {
        return new Graph(mpi, part, edges);
    }

    @Override
    public String toString() {
        return "Graph of " + edges + " (" + port + ")";
    }
}
