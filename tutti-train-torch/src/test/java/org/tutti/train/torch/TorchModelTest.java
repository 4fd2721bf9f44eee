package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.bytedeco.pytorch.global.torch.cross_entropy_loss;
import static org.bytedeco.pytorch.global.torch.relu;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.tutti.mpi.Tutti;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.model.DType;

final class TorchModelTest {
    private static final int SAMPLES = 240;
    private static final int FEATURES = 20;
    private static final int CLASSES = 5;

    /// 20-32-5.
    private static final class Net extends Module {
        private final LinearImpl hidden = register_module("hidden", new LinearImpl(FEATURES, 32));
        private final LinearImpl out = register_module("out", new LinearImpl(32, CLASSES));

        Tensor forward(Tensor x) {
            return out.forward(relu(hidden.forward(x)));
        }
    }

    private static final float[] X = new float[SAMPLES * FEATURES];
    private static final long[] Y = new long[SAMPLES];

    static {
        Random random = new Random(5);
        for (int i = 0; i < X.length; i++) X[i] = (float) random.nextGaussian();
        for (int i = 0; i < Y.length; i++) Y[i] = random.nextInt(CLASSES);
    }

    private static Tensor x(int[] samples) {
        float[] of = new float[samples.length * FEATURES];
        for (int i = 0; i < samples.length; i++) System.arraycopy(X, samples[i] * FEATURES, of, i * FEATURES, FEATURES);
        return Tensor.create(of, samples.length, FEATURES);
    }

    private static Tensor y(int[] samples) {
        long[] of = new long[samples.length];
        for (int i = 0; i < samples.length; i++) of[i] = Y[samples[i]];
        return Tensor.create(of, samples.length);
    }

    static List<float[]> train(ProcessGroup group, int steps) {
        Net net = new Net();
        TorchModel model = TorchModel.of(net);
        if (group.rank() == 0) fillSeeded(model);
        DistributedDataParallel ddp = DistributedDataParallel.of(model, group, new Options(256, 1024, false, false));
        SGD optimizer = new SGD(net.parameters(), new SGDOptions(0.1));
        DistributedSampler sampler = DistributedSampler.of(SAMPLES, group).shuffled(7);
        int done = 0;
        for (int epoch = 0; done < steps; epoch++) {
            for (Batch batch : sampler.epoch(epoch).globalBatches(24)) {
                try (Step step = ddp.step(batch.size())) {
                    optimizer.zero_grad();
                    cross_entropy_loss(net.forward(x(batch.samples())), y(batch.samples()))
                            .backward();
                    step.sync();
                    optimizer.step();
                }
                if (++done == steps) break;
            }
        }
        List<float[]> all = new ArrayList<>();
        model.parameters().forEach(p -> all.add(p.data().toArray(ValueLayout.JAVA_FLOAT)));
        return all;
    }

    private static void fillSeeded(TorchModel model) {
        Random random = new Random(11);
        for (org.tutti.train.model.Tensor p : model.parameters()) {
            MemorySegment data = p.data();
            for (long at = 0; at < data.byteSize(); at += Float.BYTES) {
                data.set(ValueLayout.JAVA_FLOAT, at, (float) (random.nextGaussian() * 0.2));
            }
        }
    }

    private static List<List<float[]>> onRanks(int size, int steps) {
        ConcurrentSkipListMap<Integer, List<float[]>> results = new ConcurrentSkipListMap<>();
        Tutti.local(size, mpi -> {
            try (ProcessGroup group = ProcessGroup.of(mpi, mpi.world())) {
                results.put(group.rank(), train(group, steps));
            }
        });
        return List.copyOf(results.values());
    }

    @Test
    void oneRankAndManyLearnTheSame() {
        List<float[]> alone = onRanks(1, 100).getFirst();
        for (int size = 2; size <= 4; size++) {
            List<List<float[]>> all = onRanks(size, 100);
            for (List<float[]> one : all)
                assertThat(one).as("%d ranks", size).usingRecursiveComparison().isEqualTo(all.getFirst());
            for (int p = 0; p < alone.size(); p++) {
                double difference = 0;
                double norm = 0;
                for (int i = 0; i < alone.get(p).length; i++) {
                    difference += Math.pow(all.getFirst().get(p)[i] - alone.get(p)[i], 2);
                    norm += Math.pow(alone.get(p)[i], 2);
                }
                assertThat(Math.sqrt(difference / norm))
                        .as("parameter %d with %d ranks", p, size)
                        .isLessThan(1e-6);
            }
            assertThat(DType.F32.bytes()).isEqualTo(4);
        }
    }
}
