package org.tutti.conformance.contract.topology;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.DistGraph;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Graph;

/// Graphs that are stored completely on each rank, and distributed graphs, where a rank stores only the edges
/// of this rank. MPI 4.1, sections 8.5.3 to 8.5.5.
public final class GraphContract {
    private GraphContract() {}

    private static void same(int[] expected, int[] actual, String label) {
        Check.same(Arrays.toString(expected), Arrays.toString(actual), label);
    }

    /// Returns a graph in which rank 0 is a neighbor of every other rank.
    private static int[][] star(int n) {
        int[][] neighbors = new int[n][];
        neighbors[0] = new int[n - 1];
        for (int r = 1; r < n; r++) {
            neighbors[0][r - 1] = r;
            neighbors[r] = new int[] {0};
        }
        return neighbors;
    }

    @Contract
    public static void everyRankHasTheGraph(Trial t) {
        int n = t.size();
        try (Graph star = t.world().graph(star(n));
                Graph copy = star.dup()) {
            for (Graph g : List.of(star, copy)) {
                for (int r = 0; r < n; r++) same(star(n)[r], g.neighbors(r), "neighbors of rank " + r);
                same(star(n)[t.rank()], g.neighbors(), "neighbors of this rank");
                same(g.neighbors(), g.sources(), "sources");
                same(g.neighbors(), g.destinations(), "destinations");
            }
            Check.same(2L * (n - 1), star.edges().length, "edges");
            Check.same(2L * (n - 1), star.index()[n - 1], "the last of index");
            try (Graph again = t.world().graph(star.index(), star.edges())) {
                same(star.edges(), again.edges(), "edges of the same graph");
            }
            Check.same(t.rank(), t.world().graphMap(star.index(), star.edges()), "map");
        }
    }

    @Contract
    public static void ranksBeyondTheGraphAreNotMembers(Trial t) {
        try (Graph one = t.world().graph(new int[][] {{0, 0}});
                Graph none = t.world().graph(new int[0], new int[0])) {
            Check.same(t.rank() == 0 ? 1 : 0, one.size(), "size of a graph with one rank");
            Check.same(0, none.size(), "size of a graph of none");
            Check.same(t.rank() == 0 ? 0 : Comm.UNDEFINED, t.world().graphMap(new int[] {1}, new int[] {0}), "map");
            if (t.rank() > 0) {
                Check.rejects(
                        ErrorClass.ERR_COMM,
                        "neighbors: this rank is beyond the graph of 1 nodes and 2 edges that was passed to graph ("
                                + t.where() + ")",
                        one::neighbors);
            }
        }
    }

    @Contract
    public static void adjacentEdgesRetainOrderAndWeights(Trial t) {
        int n = t.size();
        int[] sources = {t.left(), t.left(), t.rank()};
        int[] destinations = {t.right(), t.rank(), t.right()};
        if (n == 1) sources = destinations = new int[3];
        int[] in = {5, 6, 7}, out = {5, 7, 6};
        try (DistGraph ring = t.world().distGraphAdjacent(sources, in, destinations, out);
                DistGraph copy = ring.dup();
                DistGraph plain = t.world().distGraphAdjacent(sources, destinations)) {
            for (DistGraph g : List.of(ring, copy)) {
                same(sources, g.sources(), "sources");
                same(destinations, g.destinations(), "destinations");
                same(in, g.sourceWeights(), "weights of sources");
                same(out, g.destinationWeights(), "weights of destinations");
                Check.that(g.isWeighted(), "weighted");
            }
            Check.that(!plain.isWeighted(), "not weighted");
            same(new int[] {1, 1, 1}, plain.sourceWeights(), "weights that were not given");
        }
    }

    /// Each rank passes random edges, including edges of other ranks. All ranks draw the same random numbers,
    /// so each rank can check the complete list.
    @Contract
    public static void edgesMayBePassedByAnyRank(Trial t) {
        int n = t.size();
        SplittableRandom random = t.random();
        for (int trial = 0; trial < 8; trial++) {
            boolean weighted = trial % 2 == 0;
            List<int[]> all = new ArrayList<>();
            int[] sources = {}, degrees = {}, destinations = {}, weights = {};
            for (int giver = 0; giver < n; giver++) {
                int[] s = new int[random.nextInt(4)], g = new int[s.length];
                List<int[]> given = new ArrayList<>();
                for (int i = 0; i < s.length; i++) {
                    s[i] = random.nextInt(n);
                    g[i] = random.nextInt(4);
                    for (int k = 0; k < g[i]; k++) given.add(new int[] {s[i], random.nextInt(n), random.nextInt(100)});
                }
                all.addAll(given);
                if (giver != t.rank()) continue;
                sources = s;
                degrees = g;
                destinations = given.stream().mapToInt(e -> e[1]).toArray();
                weights = given.stream().mapToInt(e -> e[2]).toArray();
            }
            try (DistGraph graph = t.world().distGraph(sources, degrees, destinations, weighted ? weights : null)) {
                int me = t.rank();
                List<int[]> in = all.stream().filter(e -> e[1] == me).toList();
                List<int[]> out = all.stream().filter(e -> e[0] == me).toList();
                same(in.stream().mapToInt(e -> e[0]).toArray(), graph.sources(), "sources");
                same(out.stream().mapToInt(e -> e[1]).toArray(), graph.destinations(), "destinations");
                same(in.stream().mapToInt(e -> weighted ? e[2] : 1).toArray(), graph.sourceWeights(), "weights in");
                same(out.stream().mapToInt(e -> weighted ? e[2] : 1).toArray(), graph.destinationWeights(), "and out");
            }
        }
        try (DistGraph none = t.world().distGraph(new int[0], new int[0], new int[0])) {
            Check.same(0, none.sources().length, "sources of a graph without edges");
            none.neighborAllgather(Buf.NONE, Buf.NONE);
        }
    }

    @Contract
    public static void wrongArguments(Trial t) {
        Comm w = t.world();
        int n = t.size();
        String where = " (" + t.where() + ")";
        String ranks = " is not a rank of WORLD, which has ranks 0 to " + (n - 1) + where;
        int[] none = {}, zero = {0};
        Check.rejects(
                ErrorClass.ERR_ARG,
                "graph: " + (n + 1) + " nodes are more than the " + n + " available ranks" + where,
                () -> w.graph(new int[n + 1], none));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "graph: edges has 1 entries but index ends with 2" + where,
                () -> w.graph(new int[] {2}, zero));
        Check.rejects(
                ErrorClass.ERR_ARG, "graph: index[0]=-1 is less than 0" + where, () -> w.graph(new int[] {-1}, none));
        Check.rejects(ErrorClass.ERR_ARG, "graph: neighbors[0] is null" + where, () -> w.graph(new int[][] {null}));
        Check.rejects(
                ErrorClass.ERR_RANK,
                "graphMap: edges[0]=1 is not a node of a graph of 1" + where,
                () -> w.graphMap(new int[] {1}, new int[] {1}));
        Check.rejects(
                ErrorClass.ERR_RANK,
                "distGraphAdjacent: sources[1]=" + n + ranks,
                () -> w.distGraphAdjacent(new int[] {0, n}, none));
        Check.rejects(
                ErrorClass.ERR_RANK,
                "distGraphAdjacent: destinations[0]=-2" + ranks,
                () -> w.distGraphAdjacent(none, new int[] {Comm.PROC_NULL}));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "distGraphAdjacent: only the sources have weights; pass weights for sources and destinations, or for neither"
                        + where,
                () -> w.distGraphAdjacent(zero, zero, none, null));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "distGraphAdjacent: sourceWeights has 0 entries for 1 sources" + where,
                () -> w.distGraphAdjacent(zero, none, none, none));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "distGraphAdjacent: destinationWeights=[-1] contains a negative number" + where,
                () -> w.distGraphAdjacent(none, none, zero, new int[] {-1}));
        Check.rejects(
                ErrorClass.ERR_RANK,
                "distGraph: sources[0]=" + n + ranks,
                () -> w.distGraph(new int[] {n}, zero, none));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "distGraph: degrees has 0 entries for 1 sources" + where,
                () -> w.distGraph(zero, none, zero));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "distGraph: degrees[0]=-1 is negative" + where,
                () -> w.distGraph(zero, new int[] {-1}, zero));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "distGraph: the sum of degrees is 2 but destinations has 1 entries" + where,
                () -> w.distGraph(zero, new int[] {2}, zero));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "distGraph: weights has 2 entries for 1 destinations" + where,
                () -> w.distGraph(zero, new int[] {1}, zero, new int[2]));
        int[][] oneWay = new int[n][0];
        if (n == 1) return;
        oneWay[0] = new int[] {1};
        try (Graph g = w.graph(oneWay)) {
            String here = " (rank " + t.rank() + " of " + n + ", " + g.name() + ")";
            same(oneWay[t.rank()], g.neighbors(), "neighbors in a graph with one directed edge");
            Check.rejects(
                    ErrorClass.ERR_TOPOLOGY,
                    "neighborAllgather: rank 0 has 1 edges to rank 1, but rank 1 has 0 edges to rank 0; list each"
                            + " neighbor on the other rank equally often, or use distGraph" + here,
                    () -> g.neighborAllgather(buf(new int[1]), buf(new int[1])));
            Check.rejects(
                    ErrorClass.ERR_RANK,
                    "neighbors: rank=" + n + " is not a rank of " + g.name() + ", which has ranks 0 to " + (n - 1)
                            + here,
                    () -> g.neighbors(n));
        }
    }
}
