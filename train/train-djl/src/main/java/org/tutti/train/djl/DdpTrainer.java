package org.tutti.train.djl;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.training.Trainer;
import ai.djl.training.TrainingConfig;
import ai.djl.training.dataset.Batch;
import ai.djl.training.dataset.Dataset;
import ai.djl.training.listener.TrainingListener;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.translate.TranslateException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.tutti.train.CommunicationStats;
import org.tutti.train.DistributedDataParallel;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.ProcessGroup;
import org.tutti.train.TrainingException;
import org.tutti.train.model.Tensor;

/// A trainer in which [#step] first replaces the gradients by the mean over all samples of all ranks. Use it
/// instead of `model.newTrainer(config)`, including with [ai.djl.training.EasyTrain#fit]; all ranks make the
/// same calls.
///
/// The ranks begin with rank 0's parameters, as soon as parameters exist: in [#of] for a loaded model, in
/// [#initialize], or in the first forward. If parameters are frozen or unfrozen between steps, on all ranks,
/// the next step uses the new set of trained parameters.
///
/// **Samples.** The loss is a mean over a rank's batch, so gradients are weighted by the number of samples
/// passed to [#forward] since the last step, according to the first dimension of the first array, or to
/// [#withSampleCounter]. To run the model without training, use [#evaluate].
///
/// **Ranks with fewer batches.** A rank that has finished the epoch participates, without samples, in the steps
/// of the other ranks. This happens inside `hasNext` of the iterator of [#iterateDataset], so that all ranks
/// finish together with the same model. A loop over other data must have the same number of steps on all ranks.
public final class DdpTrainer extends Trainer {
    /// A measure, summed over the batches of a data set.
    @FunctionalInterface
    public interface Measure {
        /// Adds the values of a batch to `sums`.
        void add(NDList labels, NDList predictions, double[] sums);
    }

    private final ProcessGroup group;
    private final Options options;
    private ToLongFunction<NDList> samplesIn = DdpTrainer::firstDimension;
    private @Nullable DjlModel tensors;
    private @Nullable DistributedDataParallel ddp;

    /// Samples since the last step.
    private long samples;

    private long steps;
    private final Optimizer optimizer;
    private @Nullable Long seed;

    /// Whether forward was called since the last step.
    private boolean isStarted;

    private double largestNorm = Double.POSITIVE_INFINITY;

    /// Whether some rank still had a batch at the last [#exchangeState].
    private boolean someTrain;

    private DdpTrainer(Model model, TrainingConfig config, ProcessGroup group, Options options) {
        super(model, config);
        this.group = group;
        this.options = options;
        optimizer = config.getOptimizer();
        if (model.getBlock().isInitialized()) agree();
    }

    /// Creates a trainer with one CPU device in each rank. All ranks call it.
    ///
    /// @throws TrainingException if the ranks' models differ, or the devices of `config` are not exactly one
    ///     CPU
    public static DdpTrainer of(Model model, TrainingConfig config, ProcessGroup group) {
        return of(model, config, group, Options.DEFAULTS);
    }

    /// As [#of(Model, TrainingConfig, ProcessGroup)].
    public static DdpTrainer of(Model model, TrainingConfig config, ProcessGroup group, Options options) {
        Device[] devices = config.getDevices();
        if (devices.length != 1 || devices[0].isGpu()) {
            throw new TrainingException("training on " + Arrays.toString(devices)
                    + "; each rank trains on the CPU: optDevices(new Device[] {Device.cpu()})");
        }
        // unfreezes the loaded parameters, and sets the initializers
        model.newTrainer(new SilentConfig(config)).close();
        return new DdpTrainer(model, config, group, options);
    }

    /// Sets the function that counts the samples passed to forward. Necessary if the first dimension of the
    /// first array is not the number of samples. The function may return 0.
    public DdpTrainer withSampleCounter(ToLongFunction<NDList> in) {
        samplesIn = in;
        return this;
    }

    /// Derives the random numbers of each step, for example for dropout, only from `seed`, the step, the rank
    /// and the number of ranks, so that a training resumed from a checkpoint on the same number of ranks draws
    /// the same numbers. Without a seed this is impossible, because DJL does not expose the state of the
    /// generator.
    public DdpTrainer withSeed(long with) {
        seed = with;
        return this;
    }

    /// Scales all gradients by one factor in each [#step], after averaging, so that the square root of the sum
    /// of all squares is at most `norm`. DJL's clipping limits each number separately.
    public DdpTrainer withMaxGradNorm(double norm) {
        if (!(norm > 0)) throw new IllegalArgumentException("a largest norm of " + norm);
        largestNorm = norm;
        return this;
    }

    /// Returns the given listeners on rank 0, and none on the other ranks: for listeners that print, or save a
    /// model.
    ///
    ///     config.addTrainingListeners(DdpTrainer.onRank0(group, TrainingListener.Defaults.logging()))
    public static TrainingListener[] onRank0(ProcessGroup group, TrainingListener... listeners) {
        return group.rank() == 0 ? listeners.clone() : new TrainingListener[0];
    }

    private static long firstDimension(NDList data) {
        Shape shape = data.head().getShape();
        return shape.dimension() == 0 ? 1 : shape.get(0);
    }

    @Override
    public void initialize(Shape... shapes) {
        super.initialize(shapes);
        agree();
    }

    /// Compares the models of the ranks, and broadcasts rank 0's parameters.
    private DistributedDataParallel agree() {
        if (ddp != null) ddp.close();
        DjlModel now = DjlModel.of(getModel().getBlock());
        DistributedDataParallel made = DistributedDataParallel.of(now, group, options);
        tensors = now;
        ddp = made;
        return made;
    }

    @Override
    public NDList forward(NDList input) {
        prepare(input);
        return super.forward(input);
    }

    @Override
    public NDList forward(NDList data, NDList labels) {
        prepare(data);
        return super.forward(data, labels);
    }

    private void prepare(NDList data) {
        if (ddp == null) initialize(data.getShapes());
        Long drawn = seed;
        if (!isStarted && drawn != null) {
            long mixed = new SplittableRandom(drawn + steps * group.size() + group.rank()).nextLong();
            getManager().getEngine().setRandomSeed((int) mixed);
        }
        isStarted = true;
        samples += samplesIn.applyAsLong(data);
    }

    /// Averages the gradients and runs the optimizer. All ranks call it, each after backward.
    ///
    /// @throws TrainingException on all ranks, if a rank has a non-finite gradient, or no gradient for a
    ///     parameter that all ranks must use
    @Override
    public void step() {
        step(exchangeState(true));
    }

    private void step(boolean changed) {
        DistributedDataParallel now = ddp;
        if (changed || now == null) now = agree();
        long of = samples;
        samples = 0;
        long begin = System.nanoTime();
        try (Step step = now.step(of)) {
            step.sync();
            if (largestNorm < Double.POSITIVE_INFINITY) step.clipGradNorm(largestNorm);
            addMetric("synchronize", begin);
            super.step();
        }
        steps++;
        isStarted = false;
    }

    /// Exchanges whether each rank still has batches, and sets `someTrain`. Returns whether the set of trained
    /// parameters has changed on any rank.
    private boolean exchangeState(boolean training) {
        if (ddp == null && !getModel().getBlock().isInitialized()) {
            throw new TrainingException("a step of a model without parameters; call initialize(shapes) of the trainer"
                    + " before the first one");
        }
        DjlModel known = tensors;
        long changed = known == null || !known.isCurrent() ? 1 : 0;
        long[] all = group.allgather(training ? 1 : 0, changed);
        someTrain = false;
        boolean someChanged = false;
        for (int r = 0; r < group.size(); r++) {
            someTrain |= all[2 * r] == 1;
            someChanged |= all[2 * r + 1] == 1;
        }
        return someChanged;
    }

    /// Participates in the steps of the other ranks, because this rank has no more batches.
    private void endEpoch() {
        while (true) {
            boolean changed = exchangeState(false);
            if (!someTrain) break;
            step(changed);
        }
    }

    /// As in DJL. If the program runs training steps while it iterates, and other ranks have more batches than
    /// this rank, `hasNext` returns false only after this rank has participated, without samples, in their
    /// remaining steps. All ranks must iterate to the end.
    @Override
    public Iterable<Batch> iterateDataset(Dataset dataset) throws IOException, TranslateException {
        Iterator<Batch> batches = super.iterateDataset(dataset).iterator();
        return () -> new Joining(batches);
    }

    private final class Joining implements Iterator<Batch> {
        private final Iterator<Batch> batches;
        private final long before = steps;
        private boolean isFinished;

        Joining(Iterator<Batch> batches) {
            this.batches = batches;
        }

        @Override
        public boolean hasNext() {
            if (isFinished) return false;
            if (batches.hasNext()) return true;
            isFinished = true;
            if (steps > before) endEpoch();
            return false;
        }

        @Override
        public Batch next() {
            return batches.next();
        }
    }

    /// Runs the model over this rank's part of a data set, without training, and returns the sums over all
    /// ranks. All ranks call it. With batches from [DistributedBatches] every sample counts once.
    ///
    ///     double[] sums = trainer.evaluateSums(test, 2, (labels, predictions, sum) -> {
    ///         NDArray right = predictions.head().argMax(1).eq(labels.head());
    ///         sum[0] += right.countNonzero().getLong();
    ///         sum[1] += right.size();
    ///     });
    ///
    /// @param count the number of sums
    public double[] evaluateSums(Dataset dataset, int count, Measure measure) throws IOException, TranslateException {
        double[] mine = new double[count];
        for (Batch batch : super.iterateDataset(dataset)) {
            try (batch) {
                measure.add(batch.getLabels(), evaluate(batch.getData()), mine);
            }
        }
        return group.sum(mine);
    }

    /// Returns the rows of all ranks, in the order of ranks, for example predictions or labels of an
    /// evaluation. The first dimension may differ between ranks and be 0; see
    /// [ProcessGroup#gatherForMetrics(Tensor)]. All ranks call it.
    ///
    /// @return a new array, of the manager of `mine`
    /// @throws TrainingException on all ranks, if the rows of two ranks differ in type or shape
    public NDArray gatherForMetrics(NDArray mine) {
        Tensor all = group.gatherForMetrics(DjlModel.copy("predictions", mine));
        long[] shape = all.spec().shape().stream().mapToLong(d -> d).toArray();
        NDArray made = mine.getManager()
                .zeros(new Shape(shape), DjlModel.dataType(all.spec().dtype()));
        if (all.spec().count() > 0) DjlModel.tensor("predictions", made).data().copyFrom(all.data());
        return made;
    }

    /// Returns the trained model, for [org.tutti.train.ReplicaGuard] and checkpoints.
    ///
    /// @throws TrainingException if the model is not initialized
    public DjlModel dataParallelModel() {
        DjlModel known = tensors;
        return known != null ? known : DjlModel.of(getModel().getBlock());
    }

    /// Returns the number of steps; for a resumed training, this includes the steps before the checkpoint.
    long steps() {
        return steps;
    }

    void steps(long before) {
        steps = before;
    }

    Optimizer optimizer() {
        return optimizer;
    }

    /// Returns the time of communication since the model was initialized, or since parameters were last frozen
    /// or unfrozen.
    public CommunicationStats communicationStats() {
        DistributedDataParallel now = ddp;
        return now == null ? CommunicationStats.NONE : now.communicationStats();
    }

    @Override
    public void close() {
        if (ddp != null) ddp.close();
        super.close();
    }
}
