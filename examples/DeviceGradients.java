/*
 * Trains a linear model, data-parallel: devices compute the gradients, and an allreduce averages the gradients over
 * all ranks.
 *
 * The counterpart of "Distributed Training Example" in "MPI + JAX" of "MPI + GPU". The gradient is computed
 * explicitly; the allreduce reads it from the device and writes it back.
 *
 *     ./tutti run -n 4 examples/DeviceGradients.java
 *
 *     step 0, loss 2.622…
 *     step 100, loss 0.0000
 *     step 200, loss 0.0000
 *     weights 1.000 -2.000 3.000 0.500
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.device.*;
import org.tutti.mpi.*;

static final float[] TRUE_WEIGHTS = {1, -2, 3, 0.5f};
static final int SAMPLES = 240, FEATURES = TRUE_WEIGHTS.length, STEPS = 200;

void main() {
    try (Mpi mpi = Mpi.init();
            Device device = Device.forRank(mpi.world())) {
        Comm world = mpi.world();
        int first = SAMPLES * world.rank() / world.size();
        int count = SAMPLES * (world.rank() + 1) / world.size() - first;
        ArrayKernels arrays = device.arrays();

        DeviceBuffer x = device.zeros(Datatype.FLOAT, count * FEATURES), y = device.zeros(Datatype.FLOAT, count);
        DeviceBuffer transposed = device.zeros(Datatype.FLOAT, count * FEATURES);
        arrays.uniform(x, 1, first * FEATURES);
        arrays.matmul(count, 1, FEATURES, x, device.of(TRUE_WEIGHTS), y);
        arrays.transpose(count, FEATURES, x, transposed);

        DeviceBuffer weights = device.zeros(Datatype.FLOAT, FEATURES), gradient = device.zeros(Datatype.FLOAT, FEATURES);
        DeviceBuffer error = device.zeros(Datatype.FLOAT, count), squares = device.zeros(Datatype.FLOAT, count);
        for (int step = 0; step <= STEPS; step++) {
            arrays.matmul(count, 1, FEATURES, x, weights, error);
            arrays.subtract(error, y, error);
            arrays.matmul(FEATURES, 1, count, transposed, error, gradient);
            world.allreduce(buf(gradient), Op.SUM);
            arrays.axpy(-1.0 / SAMPLES, gradient, weights);

            if (step % 100 == 0) {
                arrays.multiply(error, error, squares);
                double loss = world.allreduce(arrays.sum(squares), Op.SUM) / SAMPLES;
                if (world.rank() == 0) IO.println("step %d, loss %.4f".formatted(step, loss));
            }
        }
        if (world.rank() == 0) {
            float[] w = weights.toFloats();
            IO.println("weights %.3f %.3f %.3f %.3f".formatted(w[0], w[1], w[2], w[3]));
        }
    }
}
