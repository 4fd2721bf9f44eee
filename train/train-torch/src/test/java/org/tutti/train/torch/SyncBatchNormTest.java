package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.bytedeco.pytorch.global.torch.cross_entropy_loss;
import static org.tutti.train.torch.Trials.onRanks;
import static org.tutti.train.torch.Trials.x;
import static org.tutti.train.torch.Trials.y;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.BatchNorm1dImpl;
import org.bytedeco.pytorch.BatchNormOptions;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;

final class SyncBatchNormTest {
    private static final int STEPS = 100, BATCH = 24;

    /// Uses libtorch's batch norm if `group` is null.
    private static final class Net extends Module {
        final LinearImpl hidden = register_module("hidden", new LinearImpl(Trials.FEATURES, 8));
        final SyncBatchNorm norm;
        final BatchNorm1dImpl plain;
        final LinearImpl out;

        Net(ProcessGroup group) {
            norm = group == null ? null : register_module("norm", new SyncBatchNorm(8, group));
            plain = group == null ? register_module("norm", new BatchNorm1dImpl(new BatchNormOptions(8))) : null;
            out = register_module("out", new LinearImpl(8, Trials.CLASSES));
        }

        Tensor forward(Tensor x) {
            Tensor h = hidden.forward(x);
            return out.forward(torch.relu(norm == null ? plain.forward(h) : norm.forward(h)));
        }

        List<double[]> values() {
            List<double[]> all = new ArrayList<>();
            TorchModel shown = TorchModel.of(this);
            List<org.tutti.train.model.Tensor> tensors = new ArrayList<>(shown.parameters());
            tensors.addAll(shown.buffers());
            for (org.tutti.train.model.Tensor t : tensors) {
                all.add(
                        switch (t.spec().dtype()) {
                            case F64 -> t.data().toArray(ValueLayout.JAVA_DOUBLE);
                            case F32 -> {
                                float[] f = t.data().toArray(ValueLayout.JAVA_FLOAT);
                                yield IntStream.range(0, f.length)
                                        .mapToDouble(i -> f[i])
                                        .toArray();
                            }
                            default -> new double[] {t.data().get(ValueLayout.JAVA_LONG, 0)};
                        });
            }
            return all;
        }
    }

    /// Trains with global batches that are distributed unevenly over the ranks.
    private static List<double[]> train(ProcessGroup group, boolean plain, ScalarType type) {
        Net net;
        synchronized (SyncBatchNormTest.class) { // all ranks draw from one generator
            torch.manual_seed(4);
            net = new Net(plain ? null : group);
        }
        net.to(type, false);
        SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.05));
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group);
        int size = group.size(), each = BATCH / size;
        int from = group.rank() == 0 ? 0 : each * group.rank() - 1;
        int to = group.rank() == size - 1 ? BATCH : each * (group.rank() + 1) - 1;
        for (int k = 0; k < STEPS; k++) {
            int first = k * BATCH % Trials.SAMPLES;
            int[] mine = IntStream.range(first + from, first + to).toArray();
            try (Step step = ddp.step(mine.length)) {
                optimizer.zero_grad();
                cross_entropy_loss(net.forward(x(mine).to(type)), y(mine)).backward();
                step.sync();
                optimizer.step();
            }
        }
        return net.values();
    }

    private static double distance(List<double[]> a, List<double[]> b) {
        double most = 0;
        for (int t = 0; t < a.size(); t++) {
            for (int i = 0; i < a.get(t).length; i++) {
                most = Math.max(most, Math.abs(a.get(t)[i] - b.get(t)[i]) / Math.max(1, Math.abs(b.get(t)[i])));
            }
        }
        return most;
    }

    @Test
    void threeRanksTrainAsOneWithLibtorchsOwn() {
        trainAsOne(3);
    }

    @Test
    @Tag("full")
    void anyNumberOfRanksDoes() {
        trainAsOne(1, 2, 4, 5);
    }

    private static void trainAsOne(int... sizes) {
        for (ScalarType type : new ScalarType[] {ScalarType.Float, ScalarType.Double}) {
            double most = type == ScalarType.Float ? 1e-5 : 1e-10;
            List<double[]> plain = onRanks(1, g -> train(g, true, type)).getFirst();
            for (int size : sizes) {
                List<List<double[]>> all = onRanks(size, g -> train(g, false, type));
                for (List<double[]> one : all) {
                    assertThat(distance(one, plain))
                            .as("%s on %d ranks", type, size)
                            .isLessThan(most);
                }
            }
        }
    }

    @Test
    void planesHaveTheMeansOfTheirFeature() {
        onRanks(2, group -> {
            SyncBatchNorm norm = new SyncBatchNorm(3, group);
            Tensor mine = torch.full(new long[] {2, 3, 5, 2}, new org.bytedeco.pytorch.Scalar((double) group.rank()));
            Tensor out = norm.forward(mine);
            // zeros on rank 0, ones on rank 1; normalized over all samples, these are -1 and 1
            assertThat(out.mean().item_float())
                    .isCloseTo(group.rank() == 0 ? -1 : 1, org.assertj.core.data.Offset.offset(1e-3f));
            norm.eval();
            assertThat(norm.forward(mine).sizes().size()).isEqualTo(4);
            assertThatThrownBy(() -> norm.forward(torch.zeros(2, 4)))
                    .isInstanceOf(TrainingException.class)
                    .hasMessage(
                            "SyncBatchNorm of 3 features has got a tensor of [2, 4]; features are the second dimension");
            return true;
        });
    }
}
