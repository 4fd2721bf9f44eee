package org.tutti.train.device;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.train.model.CpuModel;
import org.tutti.train.model.DType;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// Computes the expected results with plain loops.
final class HostPerceptron implements CpuModel, Perceptron {
    private final List<Tensor> parameters = new ArrayList<>();
    private final @Nullable MemorySegment[] gradients = new @Nullable MemorySegment[2];

    HostPerceptron(long seed) {
        add("hidden.weight", seed, IN, HIDDEN);
        add("out.weight", seed + 1, HIDDEN, OUT);
    }

    private void add(String name, long seed, int rows, int columns) {
        MemorySegment data = Arena.ofAuto().allocateFrom(JAVA_FLOAT, Perceptron.initial(seed, rows * columns));
        parameters.add(new Tensor(new TensorSpec(name, DType.F32, List.of((long) rows, (long) columns)), data));
    }

    @Override
    public DataParallelModel model() {
        return this;
    }

    private float weight(int p, int k) {
        return parameters.get(p).data().getAtIndex(JAVA_FLOAT, k);
    }

    @Override
    public double backward(int[] samples, boolean firstLayer) {
        double[] g1 = new double[IN * HIDDEN], g2 = new double[HIDDEN * OUT];
        double loss = 0;
        for (int n : samples) loss += backward(Perceptron.input(n), 1.0 / samples.length, g1, g2);
        add(LAST, g2);
        if (firstLayer) add(FIRST, g1);
        return loss;
    }

    private void add(int p, double[] more) {
        MemorySegment sum = gradients[p] == null ? createGradient(p) : gradients[p];
        for (int k = 0; k < more.length; k++) gradient(p, k, (float) (sum.getAtIndex(JAVA_FLOAT, k) + more[k]));
    }

    private double backward(float[] x, double share, double[] g1, double[] g2) {
        double[] h = new double[HIDDEN], z = new double[OUT];
        for (int j = 0; j < HIDDEN; j++) {
            for (int i = 0; i < IN; i++) h[j] += x[i] * weight(FIRST, i * HIDDEN + j);
            h[j] = Math.tanh(h[j]);
        }
        double sum = 0;
        for (int c = 0; c < OUT; c++) {
            for (int j = 0; j < HIDDEN; j++) z[c] += h[j] * weight(LAST, j * OUT + c);
            sum += Math.exp(z[c]);
        }
        int label = Perceptron.label(x);
        for (int j = 0; j < HIDDEN; j++) {
            double back = 0;
            for (int c = 0; c < OUT; c++) {
                double error = share * (Math.exp(z[c]) / sum - (c == label ? 1 : 0));
                g2[j * OUT + c] += h[j] * error;
                back += error * weight(LAST, j * OUT + c);
            }
            for (int i = 0; i < IN; i++) g1[i * HIDDEN + j] += x[i] * back * (1 - h[j] * h[j]);
        }
        return share * (Math.log(sum) - z[label]);
    }

    @Override
    public void descend(double rate) {
        for (int p = 0; p < 2; p++) {
            MemorySegment g = gradients[p], w = parameters.get(p).data();
            if (g == null) continue;
            for (int k = 0; k < w.byteSize() / Float.BYTES; k++) {
                w.setAtIndex(JAVA_FLOAT, k, (float) (weight(p, k) - rate * g.getAtIndex(JAVA_FLOAT, k)));
            }
        }
        Arrays.fill(gradients, null);
    }

    @Override
    public float[] all() {
        float[] all = Arrays.copyOf(parameters.get(0).data().toArray(JAVA_FLOAT), IN * HIDDEN + HIDDEN * OUT);
        System.arraycopy(parameters.get(1).data().toArray(JAVA_FLOAT), 0, all, IN * HIDDEN, HIDDEN * OUT);
        return all;
    }

    @Override
    public void gradient(int parameter, int element, float value) {
        Objects.requireNonNull(gradients[parameter]).setAtIndex(JAVA_FLOAT, element, value);
    }

    @Override
    public float gradient(int parameter, int element) {
        return Objects.requireNonNull(gradients[parameter]).getAtIndex(JAVA_FLOAT, element);
    }

    @Override
    public List<Tensor> parameters() {
        return parameters;
    }

    @Override
    public @Nullable MemorySegment gradient(int i) {
        return gradients[i];
    }

    @Override
    public MemorySegment createGradient(int i) {
        MemorySegment made = Arena.ofAuto().allocate(parameters.get(i).spec().sizeBytes(), 8);
        gradients[i] = made;
        return made;
    }
}
