import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.train.Batch;
import org.tutti.train.DistributedSampler;

/// Trains a linear model. In each step, each rank computes the gradient for a part of the batch, and every rank
/// receives the sum of the gradients.
public class Main {
    static final int SAMPLES = 1000, INPUTS = 4, BATCH = 50, EPOCHS = 20;
    static final double RATE = 0.05;

    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            double[] weights = train(mpi.world());
            if (mpi.world().rank() == 0) System.out.println("weights: " + Arrays.toString(rounded(weights)));
        }
    }

    static double[] train(Comm world) {
        SplittableRandom random = new SplittableRandom(1); // the same samples on every rank
        double[][] x = new double[SAMPLES][INPUTS];
        for (double[] sample : x) Arrays.setAll(sample, i -> random.nextGaussian());

        DistributedSampler sampler = DistributedSampler.of(SAMPLES, world.rank(), world.size()).withShuffle(1);
        double[] weights = new double[INPUTS], gradient = new double[INPUTS];
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            for (Batch batch : sampler.withEpoch(epoch).globalBatches(BATCH)) {
                Arrays.fill(gradient, 0);
                for (int s : batch.samples()) {
                    double error = predict(weights, x[s]) - target(x[s]);
                    for (int i = 0; i < INPUTS; i++) gradient[i] += 2 * error * x[s][i];
                }
                world.allreduce(buf(gradient), Op.SUM);
                for (int i = 0; i < INPUTS; i++) weights[i] -= RATE * gradient[i] / batch.globalSize();
            }
        }
        return weights;
    }

    static double predict(double[] weights, double[] sample) {
        double sum = 0;
        for (int i = 0; i < weights.length; i++) sum += weights[i] * sample[i];
        return sum;
    }

    /// The function to learn: the weights are 1, 2, 3 and 4.
    static double target(double[] sample) {
        double sum = 0;
        for (int i = 0; i < sample.length; i++) sum += (i + 1) * sample[i];
        return sum;
    }

    static double[] rounded(double[] values) {
        return Arrays.stream(values).map(v -> Math.rint(v * 1000) / 1000).toArray();
    }
}
