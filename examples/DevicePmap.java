/*
 * Sums squares of numbers on all devices of all ranks: each rank maps one function over the local devices.
 *
 * The counterpart of "Basic Example: Data Parallel with pmap" in "MPI + JAX" of "MPI + GPU". Each rank uses two
 * devices. A rank with one device opens it twice; a rank without devices opens the host twice.
 * Devices.forRank(world) opens all available devices.
 *
 *     ./tutti run -n 4 examples/DevicePmap.java
 *
 *     2 local devices on each of 4 ranks: the sum of all squares is 8000000
 */

import org.tutti.device.*;
import org.tutti.mpi.*;

static final int N = 1_000_000; // on each device

void main() {
    try (Mpi mpi = Mpi.init();
            Devices devices = Devices.forRank(mpi.world(), 2)) {
        Comm world = mpi.world();
        float[] ones = new float[devices.count() * N];
        Arrays.fill(ones, 1);
        ShardedBuffer data = devices.shard(ones); // a million on each device
        ShardedBuffer sums = devices.map(
                (device, x) -> {
                    DeviceBuffer squares = device.allocate(Datatype.FLOAT, N), sum = device.allocate(Datatype.FLOAT, 1);
                    device.arrays().multiply(x[0], x[0], squares);
                    device.arrays().sum(squares, sum);
                    squares.free();
                    return sum;
                },
                data);

        double local = 0;
        for (float sum : sums.toFloats()) local += sum;
        double total = world.allreduce(local, Op.SUM);
        if (world.rank() == 0) {
            IO.println("%d local devices on each of %d ranks: the sum of all squares is %.0f"
                    .formatted(devices.count(), world.size(), total));
        }
    }
}
