/*
 * Adds two vectors with a kernel, a part on every rank's device, and gathers the result on rank 0.
 *
 * The counterpart of "Basic Example: Distributed Custom Kernel" in "MPI + Numba" of "MPI + GPU", and of "Pattern 3:
 * Scatter-Compute-Gather" there. Numba's cuda.grid(1) corresponds to thread.x() in the kernel's Java form.
 *
 *     ./tutti run -n 4 examples/DeviceVectorAdd.java
 *
 *     1000 sums, the first is 0, the last 2997
 */

import static org.tutti.mpi.Buf.*;

import org.tutti.device.*;
import org.tutti.mpi.*;

static final String ADD = """
        extern "C" __global__ void add(int n, const int* x, const int* y, int* sum) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) sum[i] = x[i] + y[i];
        }
        """;

static final HostKernel ADD_IN_JAVA = (thread, a) -> {
    int i = thread.x();
    if (i < a.intValue(0)) a.set(3, i, a.getInt(1, i) + a.getInt(2, i));
};

static final int N = 1000;

void main() {
    try (Mpi mpi = Mpi.init();
            Device device = Device.forRank(mpi.world())) {
        Comm world = mpi.world();
        int n = world.size(), me = world.rank();
        int[] counts = new int[n]; // parts that differ by one at most
        for (int r = 0; r < n; r++) counts[r] = N * (r + 1) / n - N * r / n;

        DeviceBuffer x = null, y = null, sums = null; // whole vectors, only on rank 0
        if (me == 0) {
            x = device.of(IntStream.range(0, N).toArray());
            y = device.of(IntStream.range(0, N).map(i -> 2 * i).toArray());
            sums = device.zeros(Datatype.INT, N);
        }
        DeviceBuffer myX = device.zeros(Datatype.INT, counts[me]), myY = device.zeros(Datatype.INT, counts[me]);
        DeviceBuffer mySum = device.zeros(Datatype.INT, counts[me]);
        world.scatter(x == null ? NONE : buf(x).blocks(counts), buf(myX), 0);
        world.scatter(y == null ? NONE : buf(y).blocks(counts), buf(myY), 0);

        Kernel add = device.kernel("add", ADD, ADD_IN_JAVA);
        add.launch(Dim.blocks(counts[me], 128), Dim.of(128), counts[me], myX, myY, mySum);

        world.gather(buf(mySum), sums == null ? NONE : buf(sums).blocks(counts), 0);
        if (sums != null) {
            int[] all = sums.toInts();
            IO.println("%d sums, the first is %d, the last %d".formatted(N, all[0], all[N - 1]));
        }
    }
}
