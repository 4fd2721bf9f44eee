package org.tutti.train.torch;

import java.lang.ref.Reference;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Tensor;
import org.tutti.train.ProcessGroup;
import org.tutti.train.torch.tensor.Tensors;

/// Evaluations over the samples of all ranks.
public final class Metrics {
    private Metrics() {}

    /// Returns the rows of all ranks, in the order of ranks, for example predictions or labels of an
    /// evaluation. The first dimension may differ between ranks and be 0; see
    /// [ProcessGroup#gatherForMetrics(org.tutti.train.model.Tensor)]. All ranks call it.
    ///
    ///     Tensor scores = Metrics.gatherForMetrics(group, net.forward(x));
    ///
    /// @return a new tensor on the CPU, without gradients
    /// @throws org.tutti.train.TrainingException on all ranks, if the rows of two ranks differ in type or shape
    public static Tensor gatherForMetrics(ProcessGroup group, Tensor mine) {
        org.tutti.train.model.Tensor all;
        try (PointerScope scope = new PointerScope()) {
            all = group.gatherForMetrics(
                    Tensors.shared("predictions", mine.detach().cpu().contiguous()));
        }
        long[] shape = all.spec().shape().stream().mapToLong(d -> d).toArray();
        Tensor copy = Tensors.over(all.data(), all.spec().dtype(), shape).clone();
        Reference.reachabilityFence(all);
        return copy;
    }
}
