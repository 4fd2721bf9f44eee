package org.tutti.train.device;

import java.util.Random;
import org.tutti.train.model.DataParallelModel;

/// A perceptron with two layers without biases, tanh between the layers, and cross entropy as the loss.
/// Implemented on the CPU and on a device.
interface Perceptron {
    int IN = 6, HIDDEN = 9, OUT = 3;

    /// The indices of the parameters, in the order of forward.
    int FIRST = 0, LAST = 1;

    DataParallelModel model();

    /// Adds the gradients of the mean loss of the samples to the existing gradients; returns the loss.
    ///
    /// @param firstLayer whether backward reaches the first layer
    double backward(int[] samples, boolean firstLayer);

    /// Makes one step of plain gradient descent, then discards the gradients.
    void descend(double rate);

    /// All parameters.
    float[] all();

    void gradient(int parameter, int element, float value);

    float gradient(int parameter, int element);

    static float[] initial(long seed, int count) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) values[i] = (float) random.nextGaussian() / 2;
        return values;
    }

    /// Returns sample number n of an endless data set.
    static float[] input(int n) {
        Random random = new Random(1000 + n);
        float[] x = new float[IN];
        for (int i = 0; i < IN; i++) x[i] = 2 * random.nextFloat() - 1;
        return x;
    }

    static int label(float[] x) {
        return x[0] + x[1] > 0.3 ? 0 : x[2] > x[3] ? 1 : 2;
    }
}
