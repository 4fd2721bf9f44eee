package programs;

import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.nn.norm.BatchNorm;
import ai.djl.nn.norm.Dropout;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.EasyTrain;
import ai.djl.training.Trainer;
import ai.djl.training.dataset.ArrayDataset;
import ai.djl.training.dataset.Batch;
import ai.djl.training.dataset.Sampler;
import ai.djl.training.listener.TrainingListenerAdapter;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.OwnedComm;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ReplicaGuard;
import org.tutti.train.TrainingException;
import org.tutti.train.checkpoint.Checkpoints;
import org.tutti.train.checkpoint.Safetensors;
import org.tutti.train.djl.DdpTrainer;
import org.tutti.train.djl.DistributedBatches;
import org.tutti.train.djl.DjlState;
import org.tutti.train.model.Tensor;

/// All ranks train DJL models. The first argument selects the trial. Rank 0 prints the results.
public final class Djl {
    private Djl() {}

    private static final int IN = 12, OUT = 5;

    public static void main(String[] args) throws Exception {
        if (args[0].equals("sizes")) {
            sizes(Path.of(args[1]), args);
            return;
        }
        try (ProcessGroup group = ProcessGroup.init()) {
            switch (args[0]) {
                case "train" -> train(group, Path.of(args[1]));
                case "facts" -> facts(group);
                case "forwardThrows" -> forwardThrows(group);
                case "oneBatchFewer" -> oneBatchFewer(group);
                case "memory" -> memory(group, Integer.parseInt(args[1]));
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    private static void print(ProcessGroup group, String text) {
        if (group.rank() == 0) System.out.println(text);
    }

    private static SequentialBlock net(int hidden) {
        return new SequentialBlock()
                .add(Linear.builder().setUnits(hidden).build())
                .add(Activation::tanh)
                .add(Linear.builder().setUnits(OUT).build());
    }

    private static ArrayDataset data(NDManager manager, int samples, long seed, Sampler sampler) {
        Random random = new Random(seed);
        float[] x = new float[samples * IN];
        long[] y = new long[samples];
        for (int i = 0; i < x.length; i++) x[i] = (float) random.nextGaussian();
        for (int i = 0; i < samples; i++)
            for (int k = 1; k < OUT; k++) if (x[i * IN + k] > x[i * IN + (int) y[i]]) y[i] = k;
        return new ArrayDataset.Builder()
                .setData(manager.create(x, new Shape(samples, IN)))
                .optLabels(manager.create(y))
                .setSampling(sampler)
                .build();
    }

    private static DefaultTrainingConfig config(float rate) {
        return new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss())
                .optOptimizer(Optimizer.sgd()
                        .setLearningRateTracker(Tracker.fixed(rate))
                        .optMomentum(0.9f)
                        .build());
    }

    /// Trains twice on all ranks, then on rank 0 and on the other ranks separately, and stores each result in a
    /// file.
    private static void sizes(Path directory, String[] args) throws Exception {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            for (String name : List.of("all", "again")) {
                try (ProcessGroup group = ProcessGroup.of(mpi, world)) {
                    train(group, directory.resolve(name));
                }
            }
            boolean isFirst = world.rank() == 0;
            try (OwnedComm part = world.split(isFirst ? 0 : 1, world.rank());
                    ProcessGroup group = ProcessGroup.of(mpi, part)) {
                train(group, directory.resolve(isFirst ? "single" : "rest"));
            }
        }
    }

    /// Trains 100 steps with 24 samples of all ranks per step, in DJL's loop; then writes the model to a file
    /// and prints the loss.
    private static void train(ProcessGroup group, Path file) throws Exception {
        Engine.getInstance().setRandomSeed(3 + group.rank());
        try (Model model = Model.newInstance("train");
                NDManager manager = NDManager.newBaseManager()) {
            model.setBlock(net(20));
            // 90 samples: 3 steps of 24 and one of 18
            ArrayDataset samples = data(
                    manager, 90, 1, DistributedBatches.ofGlobalSize(24, group).withShuffle(7));
            ArrayDataset test = data(manager, 499, 2, DistributedBatches.of(16, group));
            try (DdpTrainer trainer = DdpTrainer.of(model, config(0.1f), group)) {
                Engine.getInstance().setRandomSeed(3); // the same initial values for every number of ranks
                trainer.initialize(new Shape(1, IN));
                EasyTrain.fit(trainer, 25, samples, null);
                print(group, "steps: " + trainer.communicationStats().steps());
                ReplicaGuard.of(group, 1).check(0, trainer.dataParallelModel().parameters());
                print(group, "test: " + right(trainer, test));
                if (group.rank() == 0) write(file, trainer);
            }
        }
    }

    private static String right(DdpTrainer trainer, ArrayDataset test) throws Exception {
        double[] sums = trainer.evaluateSums(test, 2, (labels, predictions, sum) -> {
            NDArray right = predictions.head().argMax(1).eq(labels.head());
            sum[0] += right.countNonzero().getLong();
            sum[1] += right.size();
        });
        return "%.0f of %.0f".formatted(sums[0], sums[1]);
    }

    private static void write(Path file, DdpTrainer trainer) throws IOException {
        try (var out = Files.newOutputStream(file)) {
            for (Tensor t : trainer.dataParallelModel().parameters()) {
                out.write(t.data().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
            }
        }
    }

    private static void facts(ProcessGroup group) throws Exception {
        print(group, "threads: " + JniUtils.getNumThreads());
        print(group, "offline: " + System.getProperty("ai.djl.offline"));
        try (NDManager manager = NDManager.newBaseManager()) {
            otherModel(group);
            notANumber(group, manager);
            unevenBatches(group, manager);
            fewerSamplesThanRanksAtTheEnd(group, manager);
            frozenBetweenSteps(group, manager);
            meansAreThoseOfRank0(group, manager);
            unused(group, manager);
            clipped(group, manager);
            listenersOnRank0(group, manager);
            checkpoint(group, manager);
            goesOn(group, manager);
        }
    }

    /// Trains forty steps with dropout, and repeats the last twenty from the saved state.
    private static void goesOn(ProcessGroup group, NDManager manager) {
        try (Model model = Model.newInstance("whole");
                Model again = Model.newInstance("resumed")) {
            Safetensors middle;
            try (DdpTrainer trainer = dropping(model, group)) {
                steps(trainer, group, manager, 0, 20);
                middle = copy(DjlState.of(trainer, Map.of()));
                steps(trainer, group, manager, 20, 40);
            }
            try (DdpTrainer trainer = dropping(again, group)) {
                DjlState.restore(middle, trainer);
                steps(trainer, group, manager, 20, 40);
            }
            boolean same = true;
            for (Tensor t : DjlState.of(model.getBlock(), Map.of()).tensors()) {
                Tensor resumed = DjlState.of(again.getBlock(), Map.of()).tensor(t.name());
                same &= resumed.data().mismatch(t.data()) == -1;
            }
            print(group, "continues with the same bits: " + group.sum(same ? 1 : 0));
        }
    }

    private static DdpTrainer dropping(Model model, ProcessGroup group) {
        model.setBlock(new SequentialBlock()
                .add(Linear.builder().setUnits(6).build())
                .add(Dropout.builder().optRate(0.5f).build())
                .add(Linear.builder().setUnits(OUT).build()));
        DefaultTrainingConfig config = new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss())
                .optOptimizer(Optimizer.adam().build());
        DdpTrainer trainer = DdpTrainer.of(model, config, group).withSeed(5);
        trainer.initialize(new Shape(1, IN));
        return trainer;
    }

    private static void steps(DdpTrainer trainer, ProcessGroup group, NDManager manager, int from, int to) {
        for (int i = from; i < to; i++) {
            try (var collector = trainer.newGradientCollector()) {
                NDArray x = manager.ones(new Shape(2, IN)).mul(i + group.rank());
                collector.backward(
                        trainer.forward(new NDList(x)).head().square().sum());
            }
            trainer.step();
        }
    }

    private static Safetensors copy(Safetensors state) {
        return new Safetensors(
                state.tensors().stream()
                        .map(t -> new Tensor(
                                t.spec(), MemorySegment.ofArray(t.data().toArray(ValueLayout.JAVA_BYTE))))
                        .toList(),
                state.metadata());
    }

    /// Checks that one step of plain gradient descent moves the parameters by the rate times the maximum norm.
    private static void clipped(ProcessGroup group, NDManager manager) {
        try (Model model = Model.newInstance("clipped")) {
            model.setBlock(net(3));
            Optimizer plain =
                    Optimizer.sgd().setLearningRateTracker(Tracker.fixed(0.5f)).build();
            DefaultTrainingConfig config =
                    new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss()).optOptimizer(plain);
            try (DdpTrainer trainer = DdpTrainer.of(model, config, group).withMaxGradNorm(0.01)) {
                trainer.initialize(new Shape(1, IN));
                List<float[]> before = values(trainer);
                try (var collector = trainer.newGradientCollector()) {
                    NDArray x = manager.ones(new Shape(1, IN)).mul(group.rank() + 1);
                    collector.backward(
                            trainer.forward(new NDList(x)).head().square().sum().mul(1000));
                }
                trainer.step();
                double squares = 0;
                for (int t = 0; t < before.size(); t++) {
                    float[] after = values(trainer).get(t);
                    for (int i = 0; i < after.length; i++) squares += Math.pow(after[i] - before.get(t)[i], 2);
                }
                print(group, "clipped: moved by %.4f".formatted(Math.sqrt(squares)));
            }
        }
    }

    private static List<float[]> values(DdpTrainer trainer) {
        return trainer.dataParallelModel().parameters().stream()
                .map(t -> t.data().toArray(ValueLayout.JAVA_FLOAT))
                .toList();
    }

    private static void listenersOnRank0(ProcessGroup group, NDManager manager) throws Exception {
        long[] batches = {0};
        var counting = new TrainingListenerAdapter() {
            @Override
            public void onTrainingBatch(Trainer trainer, BatchData data) {
                batches[0]++;
            }
        };
        try (Model model = Model.newInstance("heard")) {
            model.setBlock(net(3));
            ArrayDataset samples =
                    data(manager, 60, 4, DistributedBatches.of(5, group).withShuffle(1));
            var config = config(0.1f).addTrainingListeners(DdpTrainer.onRank0(group, counting));
            try (DdpTrainer trainer = DdpTrainer.of(model, config, group)) {
                trainer.initialize(new Shape(1, IN));
                EasyTrain.fit(trainer, 1, samples, null);
            }
        }
        print(group, "heard: " + java.util.Arrays.toString(group.allgather(batches[0])));
    }

    private static SequentialBlock norm() {
        return new SequentialBlock()
                .add(Linear.builder().setUnits(6).build())
                .add(BatchNorm.builder().build())
                .add(Linear.builder().setUnits(OUT).build());
    }

    /// Restores a checkpoint into a new model, on all ranks, including the running means.
    private static void checkpoint(ProcessGroup group, NDManager manager) throws Exception {
        String made =
                group.rank() == 0 ? Files.createTempDirectory("djl-checkpoints").toString() : "";
        Checkpoints checkpoints = Checkpoints.open(Path.of(group.allgather(made).getFirst()));
        ArrayDataset samples =
                data(manager, 60, 4, DistributedBatches.of(5, group).withShuffle(1));
        try (Model model = Model.newInstance("saved");
                Model again = Model.newInstance("restored");
                Arena arena = Arena.ofShared()) {
            model.setBlock(norm());
            again.setBlock(norm());
            try (DdpTrainer trainer = DdpTrainer.of(model, config(0.1f), group)) {
                trainer.initialize(new Shape(1, IN));
                EasyTrain.fit(trainer, 1, samples, null);
            }
            if (group.rank() == 0) checkpoints.save(4, DjlState.of(model.getBlock(), Map.of("epoch", "1")));
            try (DdpTrainer trainer = DdpTrainer.of(again, config(0.1f), group)) {
                trainer.initialize(new Shape(1, IN));
                Checkpoints.LoadedCheckpoint loaded = checkpoints.loadNewest(group, arena);
                DjlState.restore(loaded.state(), again.getBlock());
                boolean same = true;
                for (Tensor t : DjlState.of(model.getBlock(), Map.of()).tensors()) {
                    Tensor restored = DjlState.of(again.getBlock(), Map.of()).tensor(t.name());
                    // all ranks have the means of rank 0
                    same &= restored.data().mismatch(t.data()) == -1;
                }
                EasyTrain.fit(trainer, 1, samples, null);
                ReplicaGuard.of(group, 1).check(0, trainer.dataParallelModel().parameters());
                print(
                        group,
                        "checkpoint: step " + loaded.step() + ", epoch "
                                + loaded.state().metadata().get("epoch") + ", the same on ranks "
                                + group.sum(same ? 1 : 0));
                print(group, other(loaded));
            }
        }
        group.barrier();
        if (group.rank() != 0) return;
        Path directory = Path.of(made);
        try (var files = Files.list(directory)) {
            for (Path f : files.toList()) Files.delete(f);
        }
        Files.delete(directory);
    }

    private static String other(Checkpoints.LoadedCheckpoint loaded) {
        try (Model model = Model.newInstance("different");
                NDManager manager = NDManager.newBaseManager()) {
            SequentialBlock net = net(6);
            net.initialize(manager, ai.djl.ndarray.types.DataType.FLOAT32, new Shape(1, IN - 1));
            model.setBlock(net);
            DjlState.restore(loaded.state(), net);
            return "restored";
        } catch (TrainingException e) {
            return "different block: " + e.getMessage();
        }
    }

    private static void otherModel(ProcessGroup group) {
        try (Model model = Model.newInstance("other")) {
            model.setBlock(net(group.rank() == 1 ? 4 : 3));
            try (Trainer trainer = DdpTrainer.of(model, config(0.1f), group)) {
                trainer.initialize(new Shape(1, IN));
            } catch (TrainingException e) {
                print(group, "other model: " + e.getMessage());
            }
        }
    }

    private static void notANumber(ProcessGroup group, NDManager manager) {
        try (Model model = Model.newInstance("nan")) {
            model.setBlock(net(3));
            try (DdpTrainer trainer = DdpTrainer.of(model, config(0.1f), group)) {
                trainer.initialize(new Shape(1, IN));
                float[] x = new float[IN];
                if (group.rank() == 1) x[2] = Float.NaN;
                try (var collector = trainer.newGradientCollector()) {
                    NDArray y = trainer.forward(new NDList(manager.create(x, new Shape(1, IN))))
                            .head();
                    // a gradient of the second layer's bias does not propagate further
                    collector.backward(y.sum());
                }
                trainer.step();
            } catch (TrainingException e) {
                print(group, "NaN: " + e.getMessage());
            }
        }
    }

    /// With DJL's sampler, rank r of 3 has a data set of 4 + r batches.
    private static void unevenBatches(ProcessGroup group, NDManager manager) throws Exception {
        try (Model model = Model.newInstance("uneven")) {
            model.setBlock(net(3));
            int mine = 8 * (4 + group.rank()) - 3;
            ArrayDataset samples = new ArrayDataset.Builder()
                    .setData(manager.ones(new Shape(mine, IN)).mul(group.rank() + 1))
                    .optLabels(manager.zeros(new Shape(mine), ai.djl.ndarray.types.DataType.INT64))
                    .setSampling(8, true)
                    .build();
            ArrayDataset test = data(manager, 10, 2, DistributedBatches.of(3, group));
            try (DdpTrainer trainer = DdpTrainer.of(model, config(0.1f), group)) {
                trainer.initialize(new Shape(1, IN));
                EasyTrain.fit(trainer, 2, samples, test);
                ReplicaGuard.of(group, 1).check(0, trainer.dataParallelModel().parameters());
                print(
                        group,
                        "uneven: " + trainer.communicationStats().steps() + " steps for " + 2 * (4 + group.size() - 1));
            }
        }
    }

    /// The last step has one sample less than there are ranks: 5 samples for each rank, and size - 1 more.
    private static void fewerSamplesThanRanksAtTheEnd(ProcessGroup group, NDManager manager) throws Exception {
        try (Model model = Model.newInstance("few")) {
            model.setBlock(net(3));
            int all = 5 * group.size() + group.size() - 1;
            ArrayDataset samples =
                    data(manager, all, 4, DistributedBatches.of(5, group).withShuffle(1));
            try (DdpTrainer trainer = DdpTrainer.of(model, config(0.1f), group)) {
                trainer.initialize(new Shape(1, IN));
                long batches = 0;
                for (int epoch = 0; epoch < 2; epoch++) {
                    for (Batch batch : trainer.iterateDataset(samples)) {
                        EasyTrain.trainBatch(trainer, batch);
                        trainer.step();
                        batch.close();
                        batches++;
                    }
                }
                ReplicaGuard.of(group, 1).check(0, trainer.dataParallelModel().parameters());
                print(
                        group,
                        "few: " + group.sum(batches) + " batches, "
                                + trainer.communicationStats().steps() + " steps");
            }
        }
    }

    private static void frozenBetweenSteps(ProcessGroup group, NDManager manager) throws Exception {
        try (Model model = Model.newInstance("frozen")) {
            SequentialBlock net = net(3);
            model.setBlock(net);
            ArrayDataset samples =
                    data(manager, 20, 4, DistributedBatches.of(5, group).withShuffle(1));
            try (DdpTrainer trainer = DdpTrainer.of(model, config(0.1f), group)) {
                trainer.initialize(new Shape(1, IN));
                EasyTrain.fit(trainer, 1, samples, null);
                byte[] before = first(trainer.dataParallelModel().parameters().getFirst());
                net.getChildren().get(0).getValue().freezeParameters(true);
                EasyTrain.fit(trainer, 1, samples, null);
                boolean same = java.util.Arrays.equals(
                        before, first(trainer.dataParallelModel().frozen().getFirst()));
                int trained = trainer.dataParallelModel().parameters().size();
                net.getChildren().get(0).getValue().freezeParameters(false);
                EasyTrain.fit(trainer, 1, samples, null);
                boolean moved = !java.util.Arrays.equals(
                        before, first(trainer.dataParallelModel().parameters().getFirst()));
                ReplicaGuard.of(group, 1).check(0, trainer.dataParallelModel().parameters());
                print(group, "frozen: " + trained + " trained, the first stays " + same + ", then moves " + moved);
            }
        }
    }

    private static byte[] first(Tensor tensor) {
        return tensor.data().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    }

    private static void meansAreThoseOfRank0(ProcessGroup group, NDManager manager) throws Exception {
        try (Model model = Model.newInstance("norm")) {
            model.setBlock(new SequentialBlock()
                    .add(Linear.builder().setUnits(6).build())
                    .add(BatchNorm.builder().build())
                    .add(Linear.builder().setUnits(OUT).build()));
            ArrayDataset samples =
                    data(manager, 60, 4, DistributedBatches.of(5, group).withShuffle(1));
            try (DdpTrainer trainer = DdpTrainer.of(model, config(0.1f), group)) {
                trainer.initialize(new Shape(1, IN));
                EasyTrain.fit(trainer, 1, samples, null);
                ReplicaGuard.of(group, 1).check(0, trainer.dataParallelModel().parameters());
                ReplicaGuard.of(group, 1).check(0, trainer.dataParallelModel().buffers());
                print(
                        group,
                        "norm: "
                                + trainer.dataParallelModel().buffers().stream()
                                        .map(Tensor::name)
                                        .toList());
            }
        }
    }

    private static void unused(ProcessGroup group, NDManager manager) {
        try (Model model = Model.newInstance("unused")) {
            SequentialBlock net = net(3);
            model.setBlock(net);
            try (DdpTrainer trainer = DdpTrainer.of(model, config(0.1f), group)) {
                trainer.initialize(new Shape(1, IN));
                try (var collector = trainer.newGradientCollector()) {
                    NDArray x = manager.ones(new Shape(1, IN));
                    NDArray y = trainer.forward(new NDList(x)).head();
                    NDArray bias = net.getParameters().get("03Linear_bias").getArray();
                    collector.backward(group.rank() == 1 ? bias.sum() : y.sum());
                }
                trainer.step();
            } catch (TrainingException e) {
                print(group, "unused: " + e.getMessage());
            }
        }
    }

    private static void forwardThrows(ProcessGroup group) throws Exception {
        try (Model model = Model.newInstance("throws");
                NDManager manager = NDManager.newBaseManager()) {
            int rank = group.rank();
            int[] calls = {0};
            model.setBlock(net(3).add(list -> {
                if (rank == 1 && ++calls[0] == 3) throw new IllegalStateException("forward throws on purpose");
                return list;
            }));
            ArrayDataset samples =
                    data(manager, 60, 4, DistributedBatches.of(5, group).withShuffle(1));
            try (DdpTrainer trainer = DdpTrainer.of(model, config(0.1f), group)) {
                trainer.initialize(new Shape(1, IN));
                EasyTrain.fit(trainer, 2, samples, null);
            }
        }
    }

    /// Rank 1 omits the last step, in a loop without an end of epochs.
    private static void oneBatchFewer(ProcessGroup group) throws Exception {
        try (Model model = Model.newInstance("fewer");
                NDManager manager = NDManager.newBaseManager()) {
            model.setBlock(net(3));
            try (DdpTrainer trainer = DdpTrainer.of(model, config(0.1f), group)) {
                trainer.initialize(new Shape(1, IN));
                for (int i = 0; i < (group.rank() == 1 ? 4 : 5); i++) {
                    try (var collector = trainer.newGradientCollector();
                            NDManager mine = manager.newSubManager()) {
                        NDArray x = mine.ones(new Shape(2, IN));
                        collector.backward(trainer.forward(new NDList(x)).head().sum());
                    }
                    trainer.step();
                }
            }
        }
    }

    /// Prints the resident memory in KiB, ten times.
    private static void memory(ProcessGroup group, int steps) throws Exception {
        try (Model model = Model.newInstance("memory");
                NDManager manager = NDManager.newBaseManager()) {
            model.setBlock(net(400));
            ArrayDataset samples = data(
                    manager, 640, 4, DistributedBatches.ofGlobalSize(64, group).withShuffle(1));
            try (DdpTrainer trainer = DdpTrainer.of(model, config(0.01f), group)) {
                trainer.initialize(new Shape(1, IN));
                for (int tenth = 0; tenth < 10; tenth++) {
                    EasyTrain.fit(trainer, steps / 100, samples, null);
                    print(group, "KiB after " + trainer.communicationStats().steps() + " steps: " + residentKib());
                }
            }
        }
    }

    private static long residentKib() throws IOException {
        System.gc();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", ""));
        }
        return 0;
    }
}
