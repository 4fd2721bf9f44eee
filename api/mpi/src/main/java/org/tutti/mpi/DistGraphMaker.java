package org.tutti.mpi;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;

/// Sends each edge of a distributed graph to the ranks at the two ends, and checks that these two ranks agree.
final class DistGraphMaker {
    /// The indices of the data that each pair of ranks exchanges first: the number of edges in each direction,
    /// and whether the edges have weights. The last constant is the length of this data.
    private static final int FROM = 0, TO = 1, WEIGHTED = 2, WORDS = 3;

    private final Mpi mpi;
    private final EngineCalls engine;
    private final CommPort port;
    private final String operation;
    private final Collectives describe;

    /// @param port the new communicator, on which no other call communicates yet
    DistGraphMaker(Mpi mpi, EngineCalls engine, CommPort port, String operation) {
        this.mpi = mpi;
        this.engine = engine;
        this.port = port;
        this.operation = operation;
        describe = new Collectives(port);
    }

    /// Returns the edges of this rank for a graph in which each rank passes the edges adjacent to it.
    DistGraph.OwnEdges adjacent(
            int[] sources, int @Nullable [] sourceWeights, int[] destinations, int @Nullable [] destinationWeights) {
        boolean weighted = sourceWeights != null;
        int[] mine = new int[WORDS * port.size()];
        for (int s : sources) mine[WORDS * s + TO]++;
        for (int d : destinations) mine[WORDS * d + FROM]++;
        int[] theirs = exchange(mine, weighted);
        // edges that this rank counts as FROM are counted as TO by the other rank, and vice versa
        for (int r = 0; r < port.size(); r++) {
            int out = mine[WORDS * r + FROM], outThere = theirs[WORDS * r + TO];
            int in = mine[WORDS * r + TO], inThere = theirs[WORDS * r + FROM];
            if (out != outThere) throw differs("this rank passed " + out + " edges to rank " + r, outThere);
            if (in != inThere) throw differs("this rank passed " + in + " edges from rank " + r, inThere);
        }
        return new DistGraph.OwnEdges(
                sources.clone(),
                sourceWeights == null ? ones(sources.length) : sourceWeights.clone(),
                destinations.clone(),
                destinationWeights == null ? ones(destinations.length) : destinationWeights.clone(),
                weighted);
    }

    /// Returns the edges of this rank for a graph in which a rank may pass any edges.
    DistGraph.OwnEdges any(int[] sources, int[] degrees, int[] destinations, int @Nullable [] weights) {
        int size = port.size();
        int[] mine = new int[WORDS * size];
        for (int i = 0, e = 0; i < sources.length; i++) {
            mine[WORDS * sources[i] + FROM] += degrees[i];
            for (int end = e + degrees[i]; e < end; e++) mine[WORDS * destinations[e] + TO]++;
        }
        int[] theirs = exchange(mine, weights != null);
        // the block for rank r contains first the edges that begin at r, then the edges that end at r; an edge
        // is represented by the rank at the other end, and the weight
        long[] lengths = new long[size];
        int[] at = new int[size];
        int[] atTo = new int[size];
        int all = 0;
        for (int r = 0; r < size; r++) {
            at[r] = all;
            atTo[r] = all + 2 * mine[WORDS * r + FROM];
            lengths[r] = 2L * (mine[WORDS * r + FROM] + mine[WORDS * r + TO]);
            all += (int) lengths[r];
        }
        int[] out = new int[all];
        for (int i = 0, e = 0; i < sources.length; i++) {
            for (int end = e + degrees[i]; e < end; e++) {
                int weight = weights == null ? 1 : weights[e];
                int from = sources[i], to = destinations[e];
                out[at[from]++] = to;
                out[at[from]++] = weight;
                out[atTo[to]++] = from;
                out[atTo[to]++] = weight;
            }
        }
        long[] coming = new long[size];
        int froms = 0, tos = 0;
        for (int r = 0; r < size; r++) {
            froms += theirs[WORDS * r + FROM];
            tos += theirs[WORDS * r + TO];
            coming[r] = 2L * (theirs[WORDS * r + FROM] + theirs[WORDS * r + TO]);
        }
        int[] in = new int[2 * (froms + tos)];
        exchange(buf(out).blocks(lengths), buf(in).blocks(coming));
        int[] from = new int[tos], fromWeights = new int[tos];
        int[] to = new int[froms], toWeights = new int[froms];
        for (int r = 0, e = 0, f = 0, t = 0; r < size; r++) {
            for (int i = 0; i < theirs[WORDS * r + FROM]; i++, t++) {
                to[t] = in[e++];
                toWeights[t] = in[e++];
            }
            for (int i = 0; i < theirs[WORDS * r + TO]; i++, f++) {
                from[f] = in[e++];
                fromWeights[f] = in[e++];
            }
        }
        return new DistGraph.OwnEdges(from, fromWeights, to, toWeights, weights != null);
    }

    private int[] exchange(int[] mine, boolean weighted) {
        for (int r = 0; r < port.size(); r++) mine[WORDS * r + WEIGHTED] = weighted ? 1 : 0;
        int[] theirs = new int[mine.length];
        exchange(buf(mine), buf(theirs));
        for (int r = 0; r < port.size(); r++) {
            if (theirs[WORDS * r + WEIGHTED] == (weighted ? 1 : 0)) continue;
            throw mismatch("this rank passed "
                    + (weighted ? "weights and rank " + r + " none" : "no weights and rank " + r + " some")
                    + "; pass weights on all ranks or on none");
        }
        return theirs;
    }

    private void exchange(Buf send, Buf recv) {
        engine.complete(describe.alltoall(mpi.scratch().collective(), operation, send, recv));
    }

    private static int[] ones(int n) {
        int[] ones = new int[n];
        Arrays.fill(ones, 1);
        return ones;
    }

    private MpiException differs(String here, int there) {
        return mismatch(here + ", which passed " + there);
    }

    private MpiException mismatch(String detail) {
        return MpiException.job(ErrorClass.ERR_MISMATCH, operation, detail, port);
    }
}
