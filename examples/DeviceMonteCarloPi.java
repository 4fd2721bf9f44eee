/*
 * Estimates π by the Monte Carlo method: the threads of all ranks' devices throw darts at a square.
 *
 * The counterpart of "Multi-GPU Monte Carlo Simulation" in "MPI + Numba" of "MPI + GPU", with the same random
 * number generator. The threads are numbered across all ranks, and the darts of a thread depend only on the thread's
 * number, so the result is the same on any number of ranks. Coordinates are integers below 2^31, so that the result
 * does not depend on the rounding of a device.
 *
 *     ./tutti run -n 4 examples/DeviceMonteCarloPi.java
 *
 *     1024 threads on 4 ranks threw 2048000 darts: pi is about 3.14…
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.device.*;
import org.tutti.mpi.*;

static final long SIDE = 1L << 31;
static final int THREADS = 1024, SAMPLES = 2000;

static final String DARTS = """
        __device__ long long next(long long seed) {
            return (seed * 1103515245LL + 12345LL) % 2147483648LL;
        }

        extern "C" __global__ void darts(int threads, int first, int samples, int* hits) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= threads) return;
            long long seed = (first + i) * 1000003LL % 2147483648LL;
            int count = 0;
            for (int s = 0; s < samples; s++) {
                long long x = next(seed), y = next(x);
                seed = next(y);
                if (x * x + y * y <= 2147483648LL * 2147483648LL) count++;
            }
            atomicAdd(hits, count);
        }
        """;

static final HostKernel DARTS_IN_JAVA = (thread, a) -> {
    if (thread.x() >= a.intValue(0)) return;
    long seed = (a.intValue(1) + thread.x()) * 1000003L % SIDE;
    int count = 0;
    for (int s = 0; s < a.intValue(2); s++) {
        long x = next(seed), y = next(x);
        seed = next(y);
        if (x * x + y * y <= SIDE * SIDE) count++;
    }
    a.set(3, 0, a.getInt(3, 0) + count);
};

static long next(long seed) {
    return (seed * 1103515245L + 12345L) % SIDE;
}

void main() {
    try (Mpi mpi = Mpi.init();
            Device device = Device.forRank(mpi.world())) {
        Comm world = mpi.world();
        int first = THREADS * world.rank() / world.size();
        int threads = THREADS * (world.rank() + 1) / world.size() - first;

        DeviceBuffer hits = device.of(0);
        Kernel darts = device.kernel("darts", DARTS, DARTS_IN_JAVA);
        darts.launch(Dim.blocks(threads, 64), Dim.of(64), threads, first, SAMPLES, hits);
        world.allreduce(buf(hits), Op.SUM);

        if (world.rank() == 0) {
            double pi = 4.0 * hits.toInts()[0] / THREADS / SAMPLES;
            IO.println("%d threads on %d ranks threw %d darts: pi is about %.6f"
                    .formatted(THREADS, world.size(), THREADS * SAMPLES, pi));
        }
    }
}
