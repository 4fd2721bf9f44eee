/*
 * Runs a user-written kernel, y = a x + y, on every rank's device, and sums the result over all ranks, with each
 * step explicit.
 *
 * The counterpart of "MPI + CUDA Python" in "MPI + GPU": allocate, copy to the device, run a kernel, copy back,
 * reduce, free. The kernel is CUDA C, compiled for the available device; the Java form below it is for ranks without
 * a device.
 *
 *     ./tutti run -n 4 examples/DeviceSaxpy.java
 *
 *     the sum over 4 ranks is 16000000
 */

import org.tutti.device.*;
import org.tutti.mpi.*;

static final String SAXPY = """
        extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] += a * x[i];
        }
        """;

static final HostKernel SAXPY_IN_JAVA = (thread, a) -> {
    int i = thread.x();
    if (i < a.intValue(0)) a.set(3, i, a.getFloat(3, i) + a.floatValue(1) * a.getFloat(2, i));
};

static final int N = 4000;

void main() {
    try (Mpi mpi = Mpi.init();
            Device device = Device.forRank(mpi.world())) {
        Comm world = mpi.world();
        int first = N * world.rank() / world.size(), count = N * (world.rank() + 1) / world.size() - first;

        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) numbers[i] = first + i;
        DeviceBuffer x = device.allocate(Datatype.FLOAT, count), y = device.allocate(Datatype.FLOAT, count);
        x.copyFrom(numbers);
        y.fill(1);

        Kernel saxpy = device.kernel("saxpy", SAXPY, SAXPY_IN_JAVA);
        saxpy.launch(Dim.blocks(count, 128), Dim.of(128), count, 2f, x, y);

        double sum = 0;
        for (float value : y.toFloats()) sum += value;
        sum = world.allreduce(sum, Op.SUM);
        if (world.rank() == 0) IO.println("the sum over %d ranks is %.0f".formatted(world.size(), sum));
        x.free(); // earlier than at the end of the device, which frees all
        y.free();
    }
}
