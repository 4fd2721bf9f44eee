package org.tutti.conformance.random;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.tutti.conformance.trial.Check;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Topology;

/// Neighborhood calls on a ring or a random graph, in every form.
final class NeighborStep {
    private final Step step;
    private final Comm comm;
    private final int count;
    private final boolean[][] edges;

    NeighborStep(Step step) {
        this.step = step;
        comm = step.comm();
        count = Math.min(step.count(), 2_000);
        int n = step.size();
        edges = new boolean[n][n];
        for (boolean[] row : edges)
            for (int r = 0; r < n; r++) row[r] = step.shared().nextInt(3) == 0;
    }

    void run() {
        int me = step.me(), n = step.size();
        boolean ring = step.shared().nextInt(3) == 0;
        if (ring) {
            int[] both = {(me + n - 1) % n, (me + 1) % n};
            try (Topology grid = comm.cartesian(new int[] {n}, new boolean[] {true})) {
                calls(grid, both, both);
            }
        } else {
            int[] sources = new int[n], destinations = new int[n];
            int in = 0, out = 0;
            for (int r = 0; r < n; r++) {
                if (edges[r][me]) sources[in++] = r;
                if (edges[me][r]) destinations[out++] = r;
            }
            int[] from = Arrays.copyOf(sources, in), to = Arrays.copyOf(destinations, out);
            try (Topology graph = comm.distGraphAdjacent(from, to)) {
                calls(graph, from, to);
            }
        }
    }

    private long value(int source, int dest, int i) {
        return step.seed() + 1_000_003L * source + 7_919L * dest + i;
    }

    private void calls(Topology topology, int[] sources, int[] destinations) {
        boolean toAll = step.shared().nextBoolean();
        int form = step.shared().nextInt(3), me = step.me();
        long[] out = new long[toAll ? count : count * destinations.length];
        long[] in = new long[count * sources.length];
        for (int k = 0; k < out.length; k++) out[k] = value(me, toAll ? 0 : destinations[k / count], k % count);
        Buf send = buf(out), recv = buf(in);
        switch (form) {
            case 0 -> {
                if (toAll) topology.neighborAllgather(send, recv);
                else topology.neighborAlltoall(send, recv);
            }
            case 1 ->
                (toAll ? topology.ineighborAllgather(send, recv) : topology.ineighborAlltoall(send, recv)).await();
            default -> {
                try (PersistentRequest again = toAll
                        ? topology.neighborAllgatherInit(send, recv)
                        : topology.neighborAlltoallInit(send, recv)) {
                    again.start();
                    again.await();
                }
            }
        }
        for (int k = 0; k < in.length; k++) {
            long expected = value(sources[k / count], toAll ? 0 : me, k % count);
            Check.same(expected, in[k], "element of a neighbor ", k);
        }
    }
}
