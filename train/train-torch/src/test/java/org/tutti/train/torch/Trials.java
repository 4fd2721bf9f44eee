package org.tutti.train.torch;

import static org.bytedeco.pytorch.global.torch.cross_entropy_loss;
import static org.bytedeco.pytorch.global.torch.relu;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.Tensor;
import org.tutti.mpi.Tutti;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;

/// A small network, random data for it, and ranks in threads that train it.
public final class Trials {
    static final int SAMPLES = 240;
    static final int FEATURES = 20;
    static final int CLASSES = 5;

    /// Small, so that the network's gradients fill several buckets.
    static final Options BUCKETS = Options.DEFAULTS.withFirstBucketBytes(256).withBucketBytes(1024);

    private static final float[] X = new float[SAMPLES * FEATURES];
    private static final long[] Y = new long[SAMPLES];

    static {
        Random random = new Random(5);
        for (int i = 0; i < X.length; i++) X[i] = (float) random.nextGaussian();
        for (int i = 0; i < Y.length; i++) Y[i] = random.nextInt(CLASSES);
    }

    private Trials() {}

    /// A network with 20 inputs, 32 hidden units and 5 outputs. The parameters depend only on the seed.
    static final class Net extends Module {
        final LinearImpl hidden = register_module("hidden", new LinearImpl(FEATURES, 32));
        final LinearImpl out = register_module("out", new LinearImpl(32, CLASSES));

        Net(long seed) {
            Random random = new Random(seed);
            for (org.tutti.train.model.Tensor p : TorchModel.of(this).parameters()) {
                MemorySegment data = p.data();
                for (long at = 0; at < data.byteSize(); at += Float.BYTES) {
                    data.set(ValueLayout.JAVA_FLOAT, at, (float) (random.nextGaussian() * 0.2));
                }
            }
        }

        Tensor forward(Tensor x) {
            return out.forward(relu(hidden.forward(x)));
        }

        Tensor loss(int... samples) {
            return cross_entropy_loss(forward(x(samples)), y(samples));
        }

        List<float[]> parameterValues() {
            return TorchModel.of(this).parameters().stream()
                    .map(p -> p.data().toArray(ValueLayout.JAVA_FLOAT))
                    .toList();
        }
    }

    static Tensor x(int... samples) {
        float[] of = new float[samples.length * FEATURES];
        for (int i = 0; i < samples.length; i++) System.arraycopy(X, samples[i] * FEATURES, of, i * FEATURES, FEATURES);
        return Tensor.create(of, samples.length, FEATURES);
    }

    static Tensor y(int... samples) {
        long[] of = new long[samples.length];
        for (int i = 0; i < samples.length; i++) of[i] = Y[samples[i]];
        return Tensor.create(of, samples.length);
    }

    /// Trains from step `from` to step `to`, with global batches of 24 samples.
    static void train(Net net, Optimizer optimizer, ProcessGroup group, int from, int to) {
        DistributedDataParallel ddp = DistributedDataParallel.of(TorchModel.of(net), group, BUCKETS);
        DistributedSampler sampler = DistributedSampler.of(SAMPLES, group).withShuffle(7);
        int step = 0;
        for (int epoch = 0; step < to; epoch++) {
            for (Batch batch : sampler.withEpoch(epoch).globalBatches(24)) {
                if (++step <= from) continue;
                try (Step s = ddp.step(batch.size())) {
                    optimizer.zero_grad();
                    net.loss(batch.samples()).backward();
                    s.sync();
                    optimizer.step();
                }
                if (step == to) return;
            }
        }
    }

    public interface Body<T> {
        T run(ProcessGroup group) throws Exception;
    }

    /// Returns the results of the bodies, by rank.
    public static <T> List<T> onRanks(int size, Body<T> body) {
        ConcurrentSkipListMap<Integer, T> results = new ConcurrentSkipListMap<>();
        Tutti.local(size, mpi -> {
            try (ProcessGroup group = ProcessGroup.of(mpi, mpi.world())) {
                results.put(group.rank(), body.run(group));
            }
        });
        return List.copyOf(results.values());
    }
}
