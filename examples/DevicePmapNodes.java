/*
 * Runs a kernel on all devices of all ranks, and computes sums and means over all devices.
 *
 * The counterpart of "Multi-Node pmap (Advanced)" in "MPI + JAX" of "MPI + GPU": x² + sum(x), with one row of x per
 * device. No coordinator is configured; ranks on several machines are started in the same way (tutti run -H a:2,b:2
 * …).
 *
 *     ./tutti run -n 4 examples/DevicePmapNodes.java
 *
 *     8 devices on 4 ranks: the result has the shape (8, 1000)
 *     its rows are 1001 2004 3009 4016 5025 6036 7049 8064
 *     and their mean, which every device has, 4525.5
 */

import static org.tutti.mpi.Buf.*;

import org.tutti.device.*;
import org.tutti.mpi.*;

static final String SQUARES = """
        extern "C" __global__ void squares(int n, const double* x, const double* sum, double* y) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] = x[i] * x[i] + sum[0];
        }
        """;

static final HostKernel SQUARES_IN_JAVA = (thread, a) -> {
    int i = thread.x();
    if (i < a.intValue(0)) a.set(3, i, a.getDouble(1, i) * a.getDouble(1, i) + a.getDouble(2, 0));
};

static final int COLUMNS = 1000;

void main() {
    try (Mpi mpi = Mpi.init();
            Devices devices = Devices.forRank(mpi.world(), 2)) {
        Comm world = mpi.world();
        int all = world.allreduce(devices.count(), Op.SUM), before = world.exscan(devices.count(), Op.SUM).orElse(0);

        double[] rows = new double[devices.count() * COLUMNS]; // this rank's: row r of all has r + 1
        for (int i = 0; i < rows.length; i++) rows[i] = before + i / COLUMNS + 1;
        ShardedBuffer x = devices.shard(rows), y = devices.zeros(Datatype.DOUBLE, COLUMNS);
        ShardedBuffer sums = devices.map(
                (device, in) -> {
                    DeviceBuffer sum = device.allocate(Datatype.DOUBLE, 1);
                    device.arrays().sum(in[0], sum);
                    return sum;
                },
                x);
        ShardedKernel squares = devices.kernel("squares", SQUARES, SQUARES_IN_JAVA);
        squares.launch(Dim.blocks(COLUMNS, 128), Dim.of(128), COLUMNS, x, sums, y);

        double[] result = world.rank() == 0 ? new double[all * COLUMNS] : null;
        world.gather(buf(y.toDoubles()), result == null ? NONE : buf(result), 0);
        devices.mean(y, world);
        if (result != null) {
            StringJoiner firsts = new StringJoiner(" ");
            for (int row = 0; row < all; row++) firsts.add("%.0f".formatted(result[row * COLUMNS]));
            IO.println("%d devices on %d ranks: the result has the shape (%d, %d)"
                    .formatted(all, world.size(), all, COLUMNS));
            IO.println("its rows are " + firsts);
            IO.println("and their mean, which every device has, %.1f".formatted(y.shard(1).toDoubles()[0]));
        }
    }
}
