/*
 * Trains a linear model, each rank on different data; the gradients are averaged in every step.
 *
 * The counterpart of the distributed training in "MPI + JAX" of "MPI + GPU", on CPUs. All ranks start with the same
 * weights and apply the same mean gradient, so the weights remain the same without being sent.
 *
 *     ./tutti run -n 4 examples/GradientAveraging.java
 *
 *     step   0: loss 376.…
 *     step  20: loss 0.06…
 *     step  40: loss 0.0001…
 *     step  60: loss 0.0000…
 *     step  80: loss 0.0000…
 *     all ranks agree; the largest error of a weight is 0.000…
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static final int SAMPLES = 1000, INPUTS = 10, STEPS = 100; // samples per rank
static final double LEARNING_RATE = 0.1;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        // The parameters to be found by the training: weights 0, 1, 2 … and, at the end, a bias.
        double[] truth = new double[INPUTS + 1];
        Arrays.setAll(truth, i -> i);

        SplittableRandom random = new SplittableRandom(me); // different samples on each rank
        double[][] x = new double[SAMPLES][INPUTS + 1];
        double[] y = new double[SAMPLES];
        for (int s = 0; s < SAMPLES; s++) {
            for (int i = 0; i < INPUTS; i++) x[s][i] = random.nextGaussian();
            x[s][INPUTS] = 1; // multiplied by the bias
            y[s] = dot(truth, x[s]) + 0.01 * random.nextGaussian();
        }

        double[] weights = new double[INPUTS + 1];
        double[] gradient = new double[INPUTS + 2]; // the last element adds up the loss, in the same allreduce
        Buf all = buf(gradient);
        for (int step = 0; step < STEPS; step++) {
            Arrays.fill(gradient, 0);
            for (int s = 0; s < SAMPLES; s++) {
                double error = dot(weights, x[s]) - y[s];
                for (int i = 0; i <= INPUTS; i++) gradient[i] += 2 * error * x[s][i] / SAMPLES;
                gradient[INPUTS + 1] += error * error / SAMPLES;
            }
            world.allreduce(all, Op.SUM); // in place: the sum over all ranks
            for (int i = 0; i <= INPUTS; i++) weights[i] -= LEARNING_RATE * gradient[i] / n;
            if (me == 0 && step % 20 == 0) IO.println("step %3d: loss %.6f".formatted(step, gradient[INPUTS + 1] / n));
        }

        double[] lowest = weights.clone(), highest = weights.clone();
        world.allreduce(buf(lowest), Op.MIN);
        world.allreduce(buf(highest), Op.MAX);
        if (!Arrays.equals(lowest, highest)) throw new AssertionError("the ranks have different weights");
        double worst = 0;
        for (int i = 0; i <= INPUTS; i++) worst = Math.max(worst, Math.abs(weights[i] - truth[i]));
        if (me == 0) IO.println("all ranks agree; the largest error of a weight is %.5f".formatted(worst));
    }
}

static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) sum += a[i] * b[i];
    return sum;
}
