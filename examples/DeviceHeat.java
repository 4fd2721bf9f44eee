/*
 * Simulates heat on a ring of cells. Each rank's device has a part of the ring, and neighbours exchange edges in
 * every step.
 *
 * The counterpart of domain decomposition ("Pattern 1") in "MPI + GPU". The edges are slices of the device's
 * arrays, sent directly from one rank's device to the next rank's. examples/HaloExchange.java is the same without
 * devices.
 *
 *     ./tutti run -n 4 examples/DeviceHeat.java
 *
 *     after 500 steps the heat is still 1000.000, the warmest cell has 25.225
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.device.*;
import org.tutti.mpi.*;

static final String SPREAD = """
        extern "C" __global__ void spread(int cells, const double* heat, double* next) {
            int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
            if (i <= cells) next[i] = heat[i] + 0.25 * (heat[i - 1] - 2 * heat[i] + heat[i + 1]);
        }
        """;

static final HostKernel SPREAD_IN_JAVA = (thread, a) -> {
    int i = thread.x() + 1;
    if (i > a.intValue(0)) return;
    double around = a.getDouble(1, i - 1) - 2 * a.getDouble(1, i) + a.getDouble(1, i + 1);
    a.set(2, i, a.getDouble(1, i) + 0.25 * around);
};

static final int CELLS = 120, STEPS = 500;

void main() {
    try (Mpi mpi = Mpi.init();
            Device device = Device.forRank(mpi.world())) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size(), right = (me + 1) % n, left = (me + n - 1) % n;
        int cells = CELLS * (me + 1) / n - CELLS * me / n;

        // The first and the last element are ghosts: copies of the neighbours' edges.
        DeviceBuffer heat = device.zeros(Datatype.DOUBLE, cells + 2), next = device.zeros(Datatype.DOUBLE, cells + 2);
        if (me == 0) heat.slice(1, 1).fill(1000);
        Kernel spread = device.kernel("spread", SPREAD, SPREAD_IN_JAVA);

        for (int step = 0; step < STEPS; step++) {
            world.sendrecv(buf(heat.slice(cells, 1)), right, buf(heat.slice(0, 1)), left);
            world.sendrecv(buf(heat.slice(1, 1)), left, buf(heat.slice(cells + 1, 1)), right);
            spread.launch(Dim.blocks(cells, 32), Dim.of(32), cells, heat, next);
            DeviceBuffer swap = heat;
            heat = next;
            next = swap;
        }

        DeviceBuffer inside = heat.slice(1, cells);
        double sum = world.allreduce(device.arrays().sum(inside), Op.SUM);
        double max = world.allreduce(device.arrays().max(inside), Op.MAX);
        if (me == 0) {
            IO.println("after %d steps the heat is still %.3f, the warmest cell has %.3f".formatted(STEPS, sum, max));
        }
    }
}
