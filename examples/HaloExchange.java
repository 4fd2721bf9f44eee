/*
 * Simulates heat on a ring of cells. Each rank has a part of the ring, and neighbours exchange edges in every step.
 *
 * The counterpart of domain decomposition ("Pattern 1") in "MPI + GPU", on CPUs. A rank's array has one ghost cell at
 * each end, for a copy of the neighbour's edge.
 *
 *     ./tutti run -n 4 examples/HaloExchange.java
 *
 *     rank 0 has cells 0 … 29, warmest: 25.225
 *     rank 1 has cells 30 … 59, warmest: 4.173
 *     rank 2 has cells 60 … 89, warmest: 3.693
 *     rank 3 has cells 90 … 119, warmest: 25.175
 *     after 500 steps the heat is still 1000.000, the warmest cell has 25.225
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static final int CELLS = 120, STEPS = 500;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size(), right = (me + 1) % n, left = (me + n - 1) % n;

        int first = CELLS * me / n, cells = CELLS * (me + 1) / n - first;
        double[] heat = new double[cells + 2], next = new double[cells + 2]; // [0] and [cells + 1] are ghosts
        if (me == 0) heat[1] = 1000; // all heat is in the first cell of all

        for (int step = 0; step < STEPS; step++) {
            // The right edge is sent to the right while the left ghost is received from the left; then the reverse.
            // A send and a receive in one call: no rank has to wait for a neighbour to receive first.
            world.sendrecv(buf(heat, cells, 1), right, buf(heat, 0, 1), left);
            world.sendrecv(buf(heat, 1, 1), left, buf(heat, cells + 1, 1), right);

            for (int i = 1; i <= cells; i++) next[i] = heat[i] + 0.25 * (heat[i - 1] - 2 * heat[i] + heat[i + 1]);
            double[] swap = heat;
            heat = next;
            next = swap;
        }

        double sum = 0, max = 0;
        for (int i = 1; i <= cells; i++) {
            sum += heat[i];
            max = Math.max(max, heat[i]);
        }
        IO.println("rank %d has cells %d … %d, warmest: %.3f".formatted(me, first, first + cells - 1, max));
        sum = world.allreduce(sum, Op.SUM);
        max = world.allreduce(max, Op.MAX);
        if (me == 0) {
            IO.println("after %d steps the heat is still %.3f, the warmest cell has %.3f".formatted(STEPS, sum, max));
        }
    }
}
