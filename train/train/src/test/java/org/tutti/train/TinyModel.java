package org.tutti.train;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.tutti.train.model.CpuModel;
import org.tutti.train.model.DType;
import org.tutti.train.model.GradientListener;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// Two layers with tanh between the layers, in plain loops: a model with simple gradients.
final class TinyModel implements CpuModel {
    static final int IN = 5, HIDDEN = 7, OUT = 3;

    /// In the order of forward.
    static final int W1 = 0, B1 = 1, W2 = 2, B2 = 3;

    private static final long[][] SHAPES = {{HIDDEN, IN}, {HIDDEN}, {OUT, HIDDEN}, {OUT}};
    private static final String[] NAMES = {"hidden.weight", "hidden.bias", "out.weight", "out.bias"};

    private final DType type;
    private final boolean notifies;
    private final List<Tensor> parameters = new ArrayList<>();
    private final @Nullable MemorySegment[] gradients = new @Nullable MemorySegment[4];
    private @Nullable GradientListener listener;
    private boolean isClosed;

    TinyModel(DType type, boolean notifies, long seed) {
        this.type = type;
        this.notifies = notifies;
        Random random = new Random(seed);
        for (int i = 0; i < SHAPES.length; i++) {
            List<Long> shape = Arrays.stream(SHAPES[i]).boxed().toList();
            TensorSpec spec = new TensorSpec(NAMES[i], type, shape);
            MemorySegment data = Arena.ofAuto().allocate(spec.sizeBytes(), 8);
            for (long k = 0; k < spec.count(); k++) set(data, k, random.nextGaussian() / 2);
            parameters.add(new Tensor(spec, data));
        }
    }

    private double get(MemorySegment s, long k) {
        return type == DType.F32 ? s.getAtIndex(JAVA_FLOAT, k) : s.getAtIndex(JAVA_DOUBLE, k);
    }

    private void set(MemorySegment s, long k, double value) {
        if (type == DType.F32) s.setAtIndex(JAVA_FLOAT, k, (float) value);
        else s.setAtIndex(JAVA_DOUBLE, k, value);
    }

    double parameter(int i, long k) {
        return get(parameters.get(i).data(), k);
    }

    void parameter(int i, long k, double value) {
        set(parameters.get(i).data(), k, value);
    }

    void gradient(int i, long k, double value) {
        MemorySegment g = gradients[i];
        if (g != null) set(g, k, value);
    }

    /// Returns sample number n of an endless data set.
    static double[] input(int n) {
        return new Random(1000 + n).doubles(IN, -1, 1).toArray();
    }

    private static double target(double[] x, int out) {
        return Math.sin(x[0] + out) * x[1] - x[2];
    }

    /// Simulates a model of a native library after the memory was freed.
    void close() {
        isClosed = true;
    }

    void forgetGradients() {
        Arrays.fill(gradients, null);
    }

    void forgetGradient(int i) {
        gradients[i] = null;
    }

    /// Adds the gradients of the mean loss of the samples to the existing gradients; returns the loss. Omits
    /// the first `unused` parameters.
    double backward(int[] samples, int unused) {
        double loss = 0;
        double[][] g = new double[4][];
        for (int i = 0; i < 4; i++)
            g[i] = new double[(int) parameters.get(i).spec().count()];
        for (int n : samples) loss += backward(input(n), g, 1.0 / samples.length);
        for (int i = 3; i >= unused; i--) {
            MemorySegment sum = gradients[i] == null ? createGradient(i) : gradients[i];
            for (int k = 0; k < g[i].length; k++) set(sum, k, get(sum, k) + g[i][k]);
            if (listener != null) listener.onReady(i);
        }
        return loss;
    }

    private double backward(double[] x, double[][] g, double share) {
        double[] h = new double[HIDDEN];
        for (int j = 0; j < HIDDEN; j++) {
            double sum = parameter(B1, j);
            for (int k = 0; k < IN; k++) sum += parameter(W1, j * IN + k) * x[k];
            h[j] = Math.tanh(sum);
        }
        double loss = 0;
        double[] back = new double[HIDDEN];
        for (int o = 0; o < OUT; o++) {
            double y = parameter(B2, o);
            for (int j = 0; j < HIDDEN; j++) y += parameter(W2, o * HIDDEN + j) * h[j];
            double error = (y - target(x, o)) * share;
            loss += (y - target(x, o)) * error / 2;
            g[B2][o] += error;
            for (int j = 0; j < HIDDEN; j++) {
                g[W2][o * HIDDEN + j] += error * h[j];
                back[j] += error * parameter(W2, o * HIDDEN + j);
            }
        }
        for (int j = 0; j < HIDDEN; j++) {
            double d = back[j] * (1 - h[j] * h[j]);
            g[B1][j] += d;
            for (int k = 0; k < IN; k++) g[W1][j * IN + k] += d * x[k];
        }
        return loss;
    }

    /// Makes one step of plain gradient descent, then discards the gradients.
    void descend(double rate) {
        descendAndKeep(rate);
        forgetGradients();
    }

    void descendAndKeep(double rate) {
        for (int i = 0; i < 4; i++) {
            MemorySegment g = gradients[i];
            if (g == null) continue;
            for (long k = 0; k < parameters.get(i).spec().count(); k++)
                parameter(i, k, parameter(i, k) - rate * get(g, k));
        }
    }

    /// All parameters, one after the other.
    double[] all() {
        return parameters.stream()
                .flatMapToDouble(t ->
                        java.util.stream.LongStream.range(0, t.spec().count()).mapToDouble(k -> get(t.data(), k)))
                .toArray();
    }

    @Override
    public List<Tensor> parameters() {
        return parameters;
    }

    @Override
    public @Nullable MemorySegment gradient(int i) {
        if (isClosed) throw new IllegalStateException("the model is closed");
        return gradients[i];
    }

    @Override
    public MemorySegment createGradient(int i) {
        MemorySegment made = Arena.ofAuto().allocate(parameters.get(i).spec().sizeBytes(), 8);
        gradients[i] = made;
        return made;
    }

    @Override
    public boolean setGradientListener(GradientListener asks) {
        GradientListener before = listener;
        if (notifies) listener = asks;
        if (before != null && notifies) before.onReplaced();
        return notifies;
    }

    @Override
    public void removeGradientListener(GradientListener asked) {
        if (listener == asked) listener = null;
    }
}
