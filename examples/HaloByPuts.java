/*
 * Simulates heat on a ring of cells, as in HaloExchange.java, but ranks put the edges into the neighbours' ghost
 * cells: one fence per step, and no receives.
 *
 *     ./tutti run -n 4 examples/HaloByPuts.java
 *
 *     after 500 steps the heat is still 1000.000, the warmest cell has 25.225
 */

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tutti.mpi.*;

static final int CELLS = 120, STEPS = 500;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size(), right = (me + 1) % n, left = (me + n - 1) % n;

        int first = CELLS * me / n, cells = CELLS * (me + 1) / n - first;
        double[] heat = new double[cells + 2], next = new double[cells + 2]; // [0] and [cells + 1] are ghosts
        if (me == 0) heat[1] = 1000; // all heat is in the first cell of all

        // Ghosts of two steps: neighbours may put values of the next step while this rank reads the values of
        // this step.
        try (Window ghosts = Window.allocate(world, 4 * 8, 8)) {
            MemorySegment mine = ghosts.memory();
            ghosts.fence();
            for (int step = 0; step < STEPS; step++) {
                int now = step % 2 * 2; // left ghost, right ghost
                ghosts.put(buf(heat, cells, 1), right, now);
                ghosts.put(buf(heat, 1, 1), left, now + 1);
                ghosts.fence();
                heat[0] = mine.getAtIndex(ValueLayout.JAVA_DOUBLE, now);
                heat[cells + 1] = mine.getAtIndex(ValueLayout.JAVA_DOUBLE, now + 1);

                for (int i = 1; i <= cells; i++) next[i] = heat[i] + 0.25 * (heat[i - 1] - 2 * heat[i] + heat[i + 1]);
                double[] swap = heat;
                heat = next;
                next = swap;
            }
        }

        double sum = 0, max = 0;
        for (int i = 1; i <= cells; i++) {
            sum += heat[i];
            max = Math.max(max, heat[i]);
        }
        sum = world.allreduce(sum, Op.SUM);
        max = world.allreduce(max, Op.MAX);
        if (me == 0) {
            IO.println("after %d steps the heat is still %.3f, the warmest cell has %.3f".formatted(STEPS, sum, max));
        }
    }
}
