package org.tutti.train.torch.tensor;

import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.bytedeco.pytorch.FunctionPreHook;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;
import org.tutti.train.ProcessGroup;

/// Normalizes with means and variances over the samples of all ranks together. All ranks call it, each with at least
/// one sample. Forward and backward exchange two numbers for each feature; forward also exchanges the number of
/// samples.
public final class SynchronizedNorm {
    /// Hooks that backward has not called yet. This set keeps the hooks alive, because libtorch does not. When
    /// backward calls a hook, the hook is removed.
    private static final Set<Correction> UNDER_WAY = ConcurrentHashMap.newKeySet();

    private final ProcessGroup group;
    private final double epsilon;
    private final double momentum;

    /// @param epsilon added to variances
    /// @param momentum weight of a batch's values in the running values
    public SynchronizedNorm(ProcessGroup group, double epsilon, double momentum) {
        this.group = group;
        this.epsilon = epsilon;
        this.momentum = momentum;
    }

    /// Returns the normalized values.
    ///
    /// @param x samples x features, and further dimensions
    /// @param weight null for 1
    /// @param bias null for 0
    /// @param runningMean updated, as is `runningVariance`
    public Tensor forward(
            Tensor x, @Nullable Tensor weight, @Nullable Tensor bias, Tensor runningMean, Tensor runningVariance) {
        Tensor flat = x.reshape(x.size(0), x.size(1), -1);
        Moments all = Moments.of(flat, group);
        remember(all, runningMean, runningVariance);
        Tensor mean = ofFeatures(all.mean, x);
        Tensor scale = ofFeatures(all.scale(epsilon), x);
        Tensor normal = flat.sub(mean).mul(scale);
        if (normal.requires_grad()) correct(normal, x.size(0), all.count);
        Tensor result = normal;
        if (weight != null) result = result.mul(weight.view(1, -1, 1));
        if (bias != null) result = result.add(bias.view(1, -1, 1));
        return result.reshape(x.sizes());
    }

    private static Tensor ofFeatures(double[] values, Tensor like) {
        return Tensor.create(values, 1, values.length, 1).to(like.scalar_type());
    }

    private void remember(Moments all, Tensor runningMean, Tensor runningVariance) {
        try (NoGradGuard no = new NoGradGuard()) {
            double unbiased = all.count > 1 ? all.count / (all.count - 1) : 1;
            update(runningMean, all.mean, 1);
            update(runningVariance, all.variance, unbiased);
        }
    }

    private void update(Tensor running, double[] batch, double factor) {
        Tensor now = Tensor.create(batch, batch.length).mul(new Scalar(factor * momentum));
        running.mul_(new Scalar(1 - momentum)).add_(now.to(running.scalar_type()));
    }

    /// Registers a hook that corrects the gradient of `normal` during backward, because autograd treats means
    /// and variances as constants.
    private void correct(Tensor normal, long samples, double count) {
        Tensor kept = normal.detach();
        kept.retainReference(); // stays alive when a PointerScope of forward ends
        Correction hook = new Correction(kept, samples, count, group);
        normal.grad_fn().add_pre_hook(hook);
        hook.retainReference();
        hook.deallocate(false); // the node frees it
        UNDER_WAY.add(hook);
    }

    /// The moments of each feature, over the samples of all ranks; the same bits on all ranks.
    private record Moments(double[] mean, double[] variance, double count) {
        static Moments of(Tensor flat, ProcessGroup group) {
            int features = (int) flat.size(1);
            double[] mean, squares;
            long mine = flat.size(0) * flat.size(2);
            try (NoGradGuard no = new NoGradGuard()) {
                Tensor x = flat.detach().to(ScalarType.Double);
                Tensor m = x.mean(0, 2);
                Tensor s = x.sub(m.view(1, -1, 1)).square().sum(0, 2);
                mean = values(m);
                squares = values(s);
            }
            long[] values = new long[2 * features + 1];
            for (int c = 0; c < features; c++) {
                values[c] = Double.doubleToRawLongBits(mean[c]);
                values[features + c] = Double.doubleToRawLongBits(squares[c]);
            }
            values[2 * features] = mine;
            long[] all = group.allgather(values);
            double[] sum = new double[features], spread = new double[features];
            double count = 0;
            for (int r = 0; r < group.size(); r++) {
                int at = r * values.length;
                double n = all[at + 2 * features];
                for (int c = 0; c < features; c++) {
                    double theirs = Double.longBitsToDouble(all[at + c]);
                    double before = count == 0 ? theirs : sum[c];
                    double apart = theirs - before;
                    sum[c] = before + apart * n / (count + n);
                    spread[c] +=
                            Double.longBitsToDouble(all[at + features + c]) + apart * apart * count * n / (count + n);
                }
                count += n;
            }
            for (int c = 0; c < features; c++) spread[c] /= count;
            return new Moments(sum, spread, count);
        }

        double[] scale(double epsilon) {
            double[] scale = new double[variance.length];
            for (int c = 0; c < scale.length; c++) scale[c] = 1 / Math.sqrt(variance[c] + epsilon);
            return scale;
        }
    }

    private static double[] values(Tensor t) {
        return Tensors.memory(t.contiguous()).toArray(ValueLayout.JAVA_DOUBLE);
    }

    /// Subtracts, from the gradient of the normalized values, the mean of this gradient and the projection of
    /// this gradient onto the normalized values. The mean and the projection are over all ranks' samples with
    /// equal weight, although each rank's loss is a mean over the samples of that rank only.
    private static final class Correction extends FunctionPreHook {
        private final Tensor normal;
        private final long samples;
        private final double count;
        private final ProcessGroup group;

        Correction(Tensor normal, long samples, double count, ProcessGroup group) {
            this.normal = normal;
            this.samples = samples;
            this.count = count;
            this.group = group;
        }

        @Override
        public TensorVector apply(TensorVector gradients) {
            UNDER_WAY.remove(this);
            try {
                return corrected(gradients);
            } finally {
                normal.releaseReference();
            }
        }

        private TensorVector corrected(TensorVector gradients) {
            try (NoGradGuard no = new NoGradGuard()) {
                Tensor gradient = gradients.get(0);
                Tensor g = gradient.to(ScalarType.Double), n = normal.to(ScalarType.Double);
                double[] means = values(g.sum(0, 2)), along = values(g.mul(n).sum(0, 2));
                double[] sums = new double[2 * means.length];
                for (int c = 0; c < means.length; c++) {
                    sums[c] = means[c] * samples;
                    sums[means.length + c] = along[c] * samples;
                }
                sums = group.sum(sums);
                for (int c = 0; c < means.length; c++) {
                    means[c] = sums[c] / samples / count;
                    along[c] = sums[means.length + c] / samples / count;
                }
                Tensor corrected = g.sub(Tensor.create(means, 1, means.length, 1))
                        .sub(n.mul(Tensor.create(along, 1, along.length, 1)));
                return new TensorVector(corrected.to(gradient.scalar_type()));
            }
        }
    }
}
