package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.train.torch.Trials.onRanks;

import java.util.List;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.tutti.train.DistributedSampler;
import org.tutti.train.torch.tensor.LibTorch;

final class MetricsTest {
    /// The rows are not contiguous in memory, and require a gradient.
    @Test
    void rowsAreInTheOrderOfTheDataSet() {
        LibTorch.load();
        for (int ranks = 1; ranks <= 4; ranks++) {
            List<Boolean> all = onRanks(ranks, group -> {
                try (PointerScope scope = new PointerScope()) {
                    Tensor data =
                            torch.arange(new org.bytedeco.pytorch.Scalar(21.0)).view(3, 7);
                    int[] mine = DistributedSampler.of(7, group).samples();
                    Tensor rows = data.t()
                            .index_select(0, Tensor.create(mine, mine.length))
                            .set_requires_grad(true);
                    Tensor gathered = Metrics.gatherForMetrics(group, rows);
                    System.gc(); // the result does not use memory of the group
                    return gathered.equal(data.t()) && !gathered.requires_grad();
                }
            });
            assertThat(all).as("%d ranks", ranks).containsOnly(true);
        }
    }

    @Test
    void labelsAndNumbersAreGathered() {
        LibTorch.load();
        List<Boolean> all = onRanks(3, group -> {
            try (PointerScope scope = new PointerScope()) {
                long[] mine = new long[group.rank()];
                java.util.Arrays.fill(mine, group.rank());
                Tensor labels = Metrics.gatherForMetrics(group, Tensor.create(mine, mine.length));
                Tensor flags =
                        Metrics.gatherForMetrics(group, labels.narrow(0, 0, 1).eq(labels.narrow(0, 1, 1)));
                Tensor number = Metrics.gatherForMetrics(
                        group, Tensor.create((double) group.rank()).squeeze());
                return labels.equal(Tensor.create(new long[] {1, 2, 2}, 3))
                        && flags.size(0) == 3
                        && number.equal(Tensor.create(new double[] {0, 1, 2}, 3));
            }
        });
        assertThat(all).containsOnly(true);
    }
}
