package org.tutti.train.torch;

import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;
import org.tutti.train.torch.tensor.SynchronizedNorm;
import org.tutti.train.torch.tensor.Tensors;

/// Batch norm with means and variances over the samples of all ranks together, for batches that are small on
/// each rank. Replaces `BatchNorm1dImpl` and similar modules. The first dimension is the samples, the second
/// one is the features, and further dimensions may follow. All ranks call forward and backward, each with at
/// least one sample.
///
/// Forward and backward of each such layer exchange two numbers for each feature, without overlap with
/// computation.
///
/// @see <a href="https://docs.pytorch.org/docs/stable/generated/torch.nn.SyncBatchNorm.html">PyTorch's
///     SyncBatchNorm</a>
public final class SyncBatchNorm extends Module {
    private static final double EPSILON = 1e-5, MOMENTUM = 0.1;

    private final SynchronizedNorm norm;
    private final long features;
    private final double epsilon;
    private final double momentum;
    private final Tensor weight;
    private final Tensor bias;
    private final Tensor runningMean;
    private final Tensor runningVariance;
    private final Tensor batches;

    /// Creates a batch norm with PyTorch's default epsilon and momentum.
    public SyncBatchNorm(long features, ProcessGroup group) {
        this(features, group, EPSILON, MOMENTUM);
    }

    /// @param epsilon added to variances
    /// @param momentum weight of a batch's values in the running values
    public SyncBatchNorm(long features, ProcessGroup group, double epsilon, double momentum) {
        norm = new SynchronizedNorm(group, epsilon, momentum);
        this.features = features;
        this.epsilon = epsilon;
        this.momentum = momentum;
        weight = new Tensor(register_parameter("weight", torch.ones(features)));
        bias = new Tensor(register_parameter("bias", torch.zeros(features)));
        // separate references, because register_buffer returns a reference into a list that moves when it grows
        runningMean = new Tensor(register_buffer("running_mean", torch.zeros(features)));
        runningVariance = new Tensor(register_buffer("running_var", torch.ones(features)));
        batches = new Tensor(
                register_buffer("num_batches_tracked", torch.zeros(new long[0], new TensorOptions(ScalarType.Long))));
    }

    public Tensor forward(Tensor x) {
        if (x.dim() < 2 || x.size(1) != features) {
            throw new TrainingException("SyncBatchNorm of " + features + " features has got a tensor of "
                    + Tensors.shape(x) + "; features are the second dimension");
        }
        Tensors.requireOnCpu("SyncBatchNorm", "its input", x);
        if (!is_training()) {
            return torch.batch_norm(
                    x,
                    new TensorOptional(weight),
                    new TensorOptional(bias),
                    new TensorOptional(runningMean),
                    new TensorOptional(runningVariance),
                    false,
                    momentum,
                    epsilon,
                    false);
        }
        try (NoGradGuard no = new NoGradGuard()) {
            batches.add_(new Scalar(1));
        }
        return norm.forward(x, weight, bias, runningMean, runningVariance);
    }
}
