package programs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.tutti.train.Batch;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.DistributedSampler;
import org.tutti.train.ProcessGroup;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.model.CpuModel;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// Trains until it is killed or reaches step LAST, and saves every second step in the background, with one part
/// per rank.
///
///     from 34 91ab…     the checkpoint at the start, and the checksum of the parameters
///     stored 40         a checkpoint on the disk
///     at 45 77f0…       with LAST only: the parameters of each step that would be saved
///
/// Arguments: the directory, and LAST.
public final class KilledTraining {
    private static final int SAMPLES = 90, EVERY = 2, TENSORS = 6, NUMBERS = 5_000;

    private KilledTraining() {}

    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        long last = Long.parseLong(args[1]);
        try (ProcessGroup group = ProcessGroup.init();
                Checkpoints checkpoints = Checkpoints.open(directory)) {
            Model model = new Model();
            long from = 0;
            try (Arena arena = Arena.ofShared()) {
                Checkpoints.LoadedCheckpoint newest = checkpoints.loadNewest(group, arena);
                if (newest != null) {
                    from = newest.step();
                    for (Tensor t : model.all()) {
                        t.data().copyFrom(newest.state().tensor(t.name()).data());
                    }
                }
            }
            if (group.rank() == 0) print("from " + from + " " + model.sum());
            train(group, checkpoints, model, from, last);
        }
    }

    private static void print(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static void train(ProcessGroup group, Checkpoints checkpoints, Model model, long from, long last)
            throws IOException {
        DistributedDataParallel ddp = DistributedDataParallel.of(model, group);
        DistributedSampler sampler = DistributedSampler.of(SAMPLES, group).withShuffle(3);
        long step = 0, saving = from;
        for (int epoch = 0; step < last; epoch++) {
            for (Batch batch : sampler.withEpoch(epoch).globalBatches(9)) {
                if (step == last) break;
                if (++step <= from) continue;
                try (Step s = ddp.step(batch.size())) {
                    model.backward(batch.samples());
                    s.sync();
                    model.descend();
                }
                if (step % EVERY != 0) continue;
                checkpoints.saveAsync(step, model.part(step, group), group);
                if (group.rank() == 0 && saving > from) print("stored " + saving);
                if (group.rank() == 0 && last < Long.MAX_VALUE) print("at " + step + " " + model.sum());
                saving = step;
            }
        }
        checkpoints.await();
    }

    /// Moves each number towards a number of the sample, with momentum.
    private static final class Model implements CpuModel {
        private final double[][] numbers = new double[TENSORS][NUMBERS];
        private final double[][] gradients = new double[TENSORS][NUMBERS];
        private final double[][] velocities = new double[TENSORS][NUMBERS];

        private static List<Tensor> tensors(String name, double[][] data) {
            List<Tensor> tensors = new ArrayList<>();
            for (int i = 0; i < data.length; i++) {
                TensorSpec spec = new TensorSpec(name + i, DType.F64, List.of((long) data[i].length));
                tensors.add(new Tensor(spec, MemorySegment.ofArray(data[i])));
            }
            return tensors;
        }

        @Override
        public List<Tensor> parameters() {
            return tensors("number", numbers);
        }

        @Override
        public MemorySegment gradient(int i) {
            return MemorySegment.ofArray(gradients[i]);
        }

        @Override
        public MemorySegment createGradient(int i) {
            return gradient(i);
        }

        List<Tensor> all() {
            List<Tensor> all = new ArrayList<>(parameters());
            all.addAll(tensors("velocity", velocities));
            return all;
        }

        /// Returns the part that this rank saves: a share of the velocities, and on rank 0 the numbers.
        Safetensors part(long step, ProcessGroup group) {
            List<Tensor> part = new ArrayList<>(group.rank() == 0 ? parameters() : List.of());
            List<Tensor> velocity = tensors("velocity", velocities);
            for (int i = group.rank(); i < TENSORS; i += group.size()) part.add(velocity.get(i));
            return new Safetensors(part, group.rank() == 0 ? Map.of("step", "" + step) : Map.of());
        }

        void backward(int[] samples) {
            for (double[] g : gradients) Arrays.fill(g, 0);
            for (int sample : samples) {
                double target = new Random(sample).nextGaussian();
                for (int t = 0; t < TENSORS; t++) {
                    for (int i = 0; i < NUMBERS; i++) {
                        gradients[t][i] += (numbers[t][i] - target * (i + 1)) / samples.length;
                    }
                }
            }
        }

        void descend() {
            for (int t = 0; t < TENSORS; t++) {
                for (int i = 0; i < NUMBERS; i++) {
                    velocities[t][i] = 0.9 * velocities[t][i] - 0.01 * gradients[t][i];
                    numbers[t][i] += velocities[t][i];
                }
            }
        }

        String sum() {
            long sum = 0;
            for (double[] n : numbers) sum = 31 * sum + Arrays.hashCode(n);
            return Long.toHexString(sum);
        }
    }
}
