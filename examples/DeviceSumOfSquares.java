/*
 * Sums the squares of random numbers on every rank's device, and over all ranks.
 *
 * The counterpart of "Basic Example: Distributed Array Operations" in "MPI + CuPy" of "MPI + GPU". The ranks share a
 * single sequence of random numbers, so the result does not depend on the number of ranks or the devices.
 *
 *     ./tutti run -n 4 examples/DeviceSumOfSquares.java
 *
 *     the mean of 1000000 squares is 1.00
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.device.*;
import org.tutti.mpi.*;

static final int N = 1_000_000;

void main() {
    try (Mpi mpi = Mpi.init();
            Device device = Device.forRank(mpi.world())) {
        Comm world = mpi.world();
        int first = (int) ((long) N * world.rank() / world.size());
        int count = (int) ((long) N * (world.rank() + 1) / world.size()) - first;

        ArrayKernels arrays = device.arrays();
        DeviceBuffer x = device.allocate(Datatype.FLOAT, count), sum = device.allocate(Datatype.FLOAT, 1);
        arrays.normal(x, 42, first);
        arrays.multiply(x, x, x);
        arrays.sum(x, sum);
        world.allreduce(buf(sum), Op.SUM); // on the device
        if (world.rank() == 0) IO.println("the mean of %d squares is %.2f".formatted(N, sum.toFloats()[0] / N));
    }
}
