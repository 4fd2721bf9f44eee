package org.tutti.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.GradientListener;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;
import org.tutti.train.spi.GroupProtocol;

/// Keeps the model of all ranks one: it begins with rank 0's parameters, and in each step the gradients
/// become the mean over all samples of all ranks, so that the same optimizer does the same everywhere.
///
/// Gradients travel in buckets that begin while backward still runs, if the model tells when one is final;
/// the sums are the same bits on all ranks. Buffers, as the running means of a batch norm, become those of
/// one rank after each step.
///
/// One at a time for the parameters of a model: a second one takes the place of the first, which refuses
/// further steps.
///
/// @see <a href="https://docs.pytorch.org/docs/stable/notes/ddp.html">PyTorch's DistributedDataParallel</a>
public final class DistributedDataParallel implements AutoCloseable {
    /// How gradients are averaged. Immutable.
    public static final class Options {
        /// PyTorch's sizes, no thread, a parameter without a gradient is an error, buffers become those of one rank,
        /// a plain all-reduce.
        public static final Options DEFAULTS =
                new Options(1 << 20, 25 << 20, ProgressMode.CALLS, false, true, CommunicationHook.ALLREDUCE);

        private final long firstBucketBytes, bucketBytes;
        private final ProgressMode progressMode;
        private final boolean findUnusedParameters, broadcastBuffers;
        private final CommunicationHook hook;

        private Options(
                long firstBucketBytes,
                long bucketBytes,
                ProgressMode progressMode,
                boolean findUnusedParameters,
                boolean broadcastBuffers,
                CommunicationHook hook) {
            if (firstBucketBytes <= 0 || bucketBytes <= 0) {
                throw new IllegalArgumentException(
                        "buckets of " + firstBucketBytes + " and " + bucketBytes + " bytes; they must have some");
            }
            this.firstBucketBytes = firstBucketBytes;
            this.bucketBytes = bucketBytes;
            this.progressMode = progressMode;
            this.findUnusedParameters = findUnusedParameters;
            this.broadcastBuffers = broadcastBuffers;
            this.hook = Objects.requireNonNull(hook, "hook; for none there is CommunicationHook.ALLREDUCE");
        }

        /// Returns options with this maximum size of the first bucket, which is small so that it starts early.
        public Options withFirstBucketBytes(long bytes) {
            return new Options(bytes, bucketBytes, progressMode, findUnusedParameters, broadcastBuffers, hook);
        }

        /// Returns options with this maximum size of the other buckets; PyTorch's `bucket_cap_mb`.
        public Options withBucketBytes(long bytes) {
            return new Options(firstBucketBytes, bytes, progressMode, findUnusedParameters, broadcastBuffers, hook);
        }

        /// Returns options with or without a separate thread that sends buckets while the program computes, for ranks
        /// with a core to spare.
        public Options withProgressThread(boolean on) {
            ProgressMode mode = on ? ProgressMode.THREAD : ProgressMode.CALLS;
            return new Options(firstBucketBytes, bucketBytes, mode, findUnusedParameters, broadcastBuffers, hook);
        }

        /// Returns options that allow a parameter without a gradient on some ranks, where it counts as zero, or on all
        /// ranks, where it keeps none; PyTorch's `find_unused_parameters`.
        public Options withFindUnusedParameters(boolean on) {
            return new Options(firstBucketBytes, bucketBytes, progressMode, on, broadcastBuffers, hook);
        }

        /// Returns options with or without a broadcast of buffers after each step, from the lowest rank that had
        /// samples; PyTorch's `broadcast_buffers`.
        public Options withBroadcastBuffers(boolean on) {
            return new Options(firstBucketBytes, bucketBytes, progressMode, findUnusedParameters, on, hook);
        }

        /// Returns options with this sum of a bucket over all ranks; PyTorch's `register_comm_hook`.
        public Options withHook(CommunicationHook other) {
            return new Options(
                    firstBucketBytes, bucketBytes, progressMode, findUnusedParameters, broadcastBuffers, other);
        }
    }

    private final DataParallelModel model;
    private final ProcessGroup group;
    private final GroupProtocol protocol;
    private final Options options;
    private final List<Tensor> parameters;
    private final List<Bucket> buckets = new ArrayList<>();

    /// For each parameter its bucket, and its place there.
    private final Bucket[] bucketOf;

    private final int[] placeIn;

    private @Nullable Step open;

    /// A step was left in the middle.
    private boolean unfinished;

    private final GroupMemory memory;
    private final Buffers buffers;
    private final SampleWeights weights;
    private final AccumulatedGradients accumulated;
    private final UnsynchronizedEnd unsynchronized;
    private final StepFailures failures;

    /// Whether the program has written parameters where only gradients are computed, since the last
    /// synchronized step: different ones on each rank, probably.
    private boolean isWrittenEarly;

    /// Whether it has forgotten the accumulated gradients of some parameters and kept those of others.
    private boolean isForgottenPartly;

    /// The names of the former.
    private String forgotten = "";

    /// Kept for the model, which does not.
    private final GradientListener listener = new GradientListener() {
        @Override
        public void onReady(int i) {
            DistributedDataParallel.this.ready(i);
        }

        @Override
        public void onReplaced() {
            end("another DistributedDataParallel was made of the same model");
        }
    };

    /// Why no step can begin any more; null while one can.
    private @Nullable String ended;

    /// Steps that were begun to be synchronized; those that were.
    private long begun;

    private long step;
    private long communicationNanos;
    private long exposedNanos;
    private final boolean tells;

    private DistributedDataParallel(DataParallelModel model, ProcessGroup group, Options options) {
        this.model = model;
        this.group = group;
        protocol = group instanceof GroupProtocol own ? own : new PlainProtocol(group);
        this.options = options;
        parameters = List.copyOf(model.parameters());
        List<TensorSpec> specs = parameters.stream().map(Tensor::spec).toList();
        SameStructure.check(model, group);
        parameters.forEach(p -> group.broadcast(p.storage(), 0));
        model.frozen().forEach(p -> group.broadcast(p.storage(), 0));
        model.buffers().forEach(b -> group.broadcast(b.storage(), 0));

        weights = new SampleWeights(group.size() == 1);
        accumulated = new AccumulatedGradients(model);
        unsynchronized = new UnsynchronizedEnd(weights, accumulated, group.rank(), group.size());
        failures = new StepFailures(model, group);
        memory = new GroupMemory(this, group);
        memory.beforeFree(unsynchronized);
        buffers = new Buffers(options.broadcastBuffers ? model.buffers() : List.of(), memory);
        bucketOf = new Bucket[specs.size()];
        placeIn = new int[specs.size()];
        for (List<Integer> chosen : BucketPlan.of(specs, options.firstBucketBytes, options.bucketBytes)) {
            Bucket bucket = new Bucket(model, chosen, group.size() == 1, memory, options.hook);
            buckets.add(bucket);
            for (int place = 0; place < chosen.size(); place++) {
                bucketOf[chosen.get(place)] = bucket;
                placeIn[chosen.get(place)] = place;
            }
        }
        tells = model.setGradientListener(listener);
    }

    /// Checks that all ranks have the same parameters, and gives them rank 0's. All ranks call it.
    ///
    /// @throws TrainingException on all ranks, when one has others
    /// @throws IllegalArgumentException when the gradients of a parameter's type cannot be averaged
    public static DistributedDataParallel of(DataParallelModel model, ProcessGroup group) {
        return of(model, group, Options.DEFAULTS);
    }

    /// As [#of(DataParallelModel, ProcessGroup)].
    public static DistributedDataParallel of(DataParallelModel model, ProcessGroup group, Options options) {
        return new DistributedDataParallel(model, group, options);
    }

    /// Begins a step in which this rank computes the mean loss of `samples` samples; possibly of none, when
    /// other ranks have more: it then leaves backward out and calls [Step#sync] alone.
    public Step step(long ofSamples) {
        return begin(ofSamples, false);
    }

    private synchronized Step begin(long ofSamples, boolean alone) {
        if (ofSamples < 0) throw new IllegalArgumentException("a step of " + ofSamples + " samples");
        if (ended == null && memory.isOver()) ended = "its group was closed";
        if (ended != null) throw new IllegalStateException("no step can begin: " + ended);
        if (unfinished) {
            throw new IllegalStateException(
                    "a step was left without sync when gradients had been sent: the ranks are out of step; end the job");
        }
        if (open != null) throw new IllegalStateException("the step before was not closed; use try (Step step = …)");
        if (!alone) begun++; // also when it fails: then the ranks do not count alike
        AutoCloseable scope = model.openStep();
        if (!accumulated.isEmpty() && isForgotten(-1)) weights.clear();
        long samplesBefore = weights.samples(), unitBefore = weights.unit();
        double factor = weights.next(ofSamples);
        if (factor != 1) scaleAll(factor);
        Step made = new Step(scope, alone, ofSamples, samplesBefore, unitBefore, factor);
        open = made;
        return made;
    }

    /// Whether the program has forgotten what was accumulated, so that those samples no longer count.
    ///
    /// @param reached the parameter whose gradient backward has just computed; -1 for none
    private boolean isForgotten(int reached) {
        AccumulatedGradients.State state = accumulated.check(reached);
        if (state == AccumulatedGradients.State.PARTLY) {
            isForgottenPartly = true;
            forgotten = accumulated.absent();
        }
        if (state != AccumulatedGradients.State.FORGOTTEN) return false;
        accumulated.clear();
        return true;
    }

    /// As [#step], of which nothing is sent: gradients go on adding up in the model until a step that is
    /// synchronized (PyTorch's `no_sync`), which makes them the mean over the samples of all these steps.
    /// Nothing is to be divided by their number. All of them are steps of one DistributedDataParallel.
    ///
    /// Gradients are forgotten (`zero_grad`) before the first of these steps, or after the optimizer's step.
    /// When they are forgotten in between, of all parameters, the samples of the steps before do not count;
    /// when they are forgotten for some parameters only, [Step#sync] throws on all ranks.
    public Step accumulate(long ofSamples) {
        return begin(ofSamples, true);
    }

    /// Gives back the memory in which gradients travel; the model is as it is, and may be trained on
    /// without, or in another DistributedDataParallel. Local. What is dropped without it gives its memory
    /// back when the group ends, or another one is made in it.
    ///
    /// @throws IllegalStateException when a step is open
    @Override
    public void close() {
        model.removeGradientListener(listener);
        Step s = open;
        end("it was closed");
        if (s == null) return;
        throw new IllegalStateException("DistributedDataParallel.close: the last step was not closed"
                + (s.synced || s.alone ? "" : " and not synchronized") + who() + "; use try (Step step = …)");
    }

    private String who() {
        return " (rank " + group.rank() + " of " + group.size() + ")";
    }

    private synchronized void end(String why) {
        if (ended != null) return;
        ended = why;
        memory.close();
    }

    /// The time that communication has taken so far.
    public CommunicationStats communicationStats() {
        return CommunicationStats.of(step, communicationNanos, exposedNanos);
    }

    /// Backward has finished with parameter `i`.
    private synchronized void ready(int i) {
        Step s = open;
        if (s == null) return;
        if (!s.reached) s.backwardBegins(i);
        if (s.alone) {
            accumulated.reached(i);
            return;
        }
        if (bucketOf[i].has(placeIn[i])) {
            throw new IllegalStateException(
                    "a second backward in one step; let all but the last run in steps of accumulate()");
        }
        put(i);
        if (weights.isAgreed()) s.startFullOnes(); // in the first step nothing leaves before sync
    }

    /// What was put in for this step.
    private void forget() {
        buckets.forEach(Bucket::clear);
        weights.clear();
        accumulated.clear();
    }

    private void put(int i) {
        bucketOf[i].put(placeIn[i]);
    }

    private void scaleAll(double factor) {
        for (int i = 0; i < parameters.size(); i++) if (model.hasGradient(i)) model.scaleGradient(i, factor);
    }

    /// One step of all ranks.
    public final class Step implements AutoCloseable {
        private final AutoCloseable scope;
        private final boolean alone;

        /// What was accumulated before.
        private final long samplesBefore, unitBefore;

        /// What that was multiplied by.
        private final double factor;

        private final long ofSamples;
        private boolean reached;
        private boolean synced;
        private boolean isClosed;

        /// A call of `sync` has thrown.
        private boolean hasFailed;

        /// A loss scaler has found that the optimizer must leave this step out.
        private boolean isLeftOut;

        /// Of the parameters: when the step began, when its backward did, and when it was synchronized.
        private final long versionAtBegin = model.parameterVersion();

        private long versionAtBackward = versionAtBegin;
        private long versionAtSync;

        /// Whether the step began without gradients. Only checked for models that do not report backward's progress.
        private final boolean wasClean = tells || accumulated.isClean();

        /// Buckets are started in one order on all ranks: those before this one were.
        private int started;

        private long startedAtNanos;

        private Step(
                AutoCloseable scope,
                boolean alone,
                long ofSamples,
                long samplesBefore,
                long unitBefore,
                double factor) {
            this.scope = scope;
            this.alone = alone;
            this.ofSamples = ofSamples;
            this.samplesBefore = samplesBefore;
            this.unitBefore = unitBefore;
            this.factor = factor;
        }

        /// Parameter `i` is the first one that backward has reached.
        private void backwardBegins(int i) {
            reached = true;
            versionAtBackward = model.parameterVersion();
            keepWhatIsThere(i);
        }

        private void keepWhatIsThere(int reachedNow) {
            if (!accumulated.isEmpty() && isForgotten(reachedNow)) weights.keepOnly(ofSamples);
        }

        /// Whether parameters were written while only gradients are computed.
        private boolean isWrittenEarly() {
            return model.parameterVersion() != (tells && reached ? versionAtBackward : versionAtBegin);
        }

        private void startFullOnes() {
            while (started < buckets.size() && buckets.get(started).isFull()) {
                if (started == 0) startedAtNanos = System.nanoTime();
                memory.busy(true);
                buckets.get(started++).start(group, weights.before(), options.progressMode);
            }
        }

        /// Makes all gradients the mean over all samples of all ranks. All ranks call it, after backward.
        ///
        /// @throws TrainingException on all ranks, when one has no gradient for a parameter that all must
        ///     use, or one that is not a finite number
        public void sync() {
            synchronized (DistributedDataParallel.this) {
                synchronize(null);
                hasFailed = false;
            }
        }

        /// As [#sync], of a loss that was multiplied by what `scaler` said. False on all ranks, when one has a
        /// gradient that is not a finite number: the optimizer leaves this step out, on all ranks.
        ///
        /// @throws TrainingException as [#sync], but for numbers that are not finite
        public boolean sync(LossScaler scaler) {
            synchronized (DistributedDataParallel.this) {
                boolean finite = synchronize(scaler);
                scaler.update(finite);
                isLeftOut = !finite;
                hasFailed = false;
                return finite;
            }
        }

        /// Whether all numbers were finite; without a scaler an exception says so.
        private boolean synchronize(@Nullable LossScaler scaler) {
            hasFailed = true; // until it has not
            if (alone) throw new IllegalStateException("a step of accumulate() is not synchronized");
            if (synced) throw new IllegalStateException("this step was synchronized before");
            if (isClosed) throw new IllegalStateException("Step.sync: the step is closed");
            if (ended == null && memory.isOver()) ended = "its group was closed";
            if (ended != null) throw new IllegalStateException("the step cannot be synchronized: " + ended);
            synced = true;
            protocol.setFailing(false);
            step++;
            long from = System.nanoTime();
            isWrittenEarly |= isWrittenEarly();
            if (tells ? !reached : ofSamples == 0) keepWhatIsThere(-1);
            List<Integer> unused = putTheRest();
            if (!weights.isAgreed())
                weights.hint(
                        Arrays.stream(protocol.endOfStep(weights.unit())).max().orElse(0));
            startFullOnes();
            // the smallest messages tell what all must know before a gradient is written
            StepSummary summary = new StepSummary(
                    protocol.endOfStep(begun, weights.samples(), weights.unit(), unused.size(), misuse()));
            int nonFinite = 0;
            for (Bucket b : buckets) nonFinite += b.await();
            memory.busy(false);
            long end = System.nanoTime();
            exposedNanos += end - from;
            communicationNanos += end - startedAtNanos;
            try {
                if (!summary.areOfOneStep()) throw new TrainingException(summary.differentSteps());
                if (summary.samples() == 0) throw new TrainingException("step " + step + ": no rank has any sample");
                if (summary.some(StepSummary.FORGOTTEN_PARTLY)) throw failures.forgottenPartly(step, forgotten);
                if (summary.some(StepSummary.WRITTEN_EARLY))
                    failures.checkReplicas(step, summary.ranksWith(StepSummary.WRITTEN_EARLY));
                boolean someUnused = summary.someUnused();
                if (someUnused && !options.findUnusedParameters)
                    throw failures.unused(step, weights.samples() == 0 ? List.of() : unused);
                if (nonFinite > 0 && scaler == null) throw failures.notFinite(step, nonFinite());
                if (nonFinite > 0 || overflows(scaler)) return false;
                double factor = weights.after(summary.samples()) / (scaler == null ? 1 : scaler.scale());
                buckets.forEach(b -> b.scale(factor));
                if (factor > 1 && overflows(scaler)) return false;
                take(
                        someUnused
                                ? UnusedParameters.onAllRanks(unused, parameters.size(), group)
                                : new boolean[parameters.size()]);
                buffers.broadcast(group, summary.firstWithSamples());
                return true;
            } finally {
                forget();
                isWrittenEarly = false;
                isForgottenPartly = false;
                forgotten = "";
                weights.hint(summary.largestUnit());
                versionAtSync = model.parameterVersion();
            }
        }

        private long misuse() {
            return (isForgottenPartly ? StepSummary.FORGOTTEN_PARTLY : 0)
                    | (DistributedDataParallel.this.isWrittenEarly ? StepSummary.WRITTEN_EARLY : 0);
        }

        /// Whether a sum has overflowed, which has the same bits on all ranks.
        private boolean overflows(@Nullable LossScaler scaler) {
            List<String> overflown = new ArrayList<>();
            buckets.forEach(b -> b.addOverflown(overflown));
            if (overflown.isEmpty() || scaler != null) return !overflown.isEmpty();
            throw new TrainingException("step " + step + ": the sum over all ranks of the gradient of "
                    + String.join(", ", overflown)
                    + " is not a finite number, and no rank's own is; make the loss smaller");
        }

        private void take(boolean[] usedNowhere) {
            for (int i = 0; i < parameters.size(); i++) if (!usedNowhere[i]) bucketOf[i].take(placeIn[i]);
        }

        /// What no hook has told of; returns the parameters that have no gradient.
        private List<Integer> putTheRest() {
            List<Integer> unused = new ArrayList<>();
            for (int i = parameters.size() - 1; i >= 0; i--) {
                if (!model.hasGradient(i)) unused.add(i);
                if (!bucketOf[i].has(placeIn[i])) put(i);
            }
            return unused;
        }

        /// The parameters for which this rank has put in a number that is not finite.
        private List<Integer> nonFinite() {
            List<Integer> bad = new ArrayList<>();
            for (int i = 0; i < parameters.size(); i++) if (bucketOf[i].isNonFinite(placeIn[i])) bad.add(i);
            return bad;
        }

        /// Scales all gradients alike so that the square root of the sum of all their squares is at most
        /// `maxNorm`; after [#sync]. Returns what it was. All ranks call it.
        public double clipGradNorm(double maxNorm) {
            if (!synced || isClosed) {
                throw new IllegalStateException("Step.clipGradNorm: call it after sync and before the step is closed");
            }
            if (!(maxNorm > 0)) throw new IllegalArgumentException("a largest norm of " + maxNorm);
            List<Integer> there = new ArrayList<>();
            for (int i = 0; i < parameters.size(); i++) if (model.hasGradient(i)) there.add(i);
            double squares = model.squaredNorm(there);
            // one rank's: where ranks have other numbers of threads, sums differ in their last bits
            if (group.size() > 1) {
                squares = Double.longBitsToDouble(group.allgather(Double.doubleToRawLongBits(squares))[0]);
            }
            double norm = Math.sqrt(squares);
            if (norm > maxNorm) scaleAll(maxNorm / norm);
            return norm;
        }

        /// Backward has not begun: what was accumulated before is as it was.
        private void rollBack() {
            weights.rollBack(samplesBefore, unitBefore);
            if (factor != 1) scaleAll(1 / factor);
        }

        /// A step that was left before [#sync], by an exception for instance, is as if it had not been,
        /// if all ranks left it so; but not once others have been sent a part of its gradients. Where
        /// its backward had begun, gradients are to be forgotten, with those that were accumulated.
        ///
        /// Local. In a try-with-resources statement, an exception of the body has priority, and this
        /// method's exception is suppressed.
        ///
        /// @throws IllegalStateException when gradients were computed and [#sync] was not called, or the
        ///     parameters were changed although [#sync(LossScaler)] has returned false
        @Override
        public void close() {
            synchronized (DistributedDataParallel.this) {
                if (isClosed) return;
                isClosed = true;
                if (open == this) open = null;
                String misuse = end();
                try {
                    scope.close();
                } catch (RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new IllegalStateException("the step's scope could not be closed", e);
                }
                if (misuse != null) throw new IllegalStateException(misuse + who());
            }
        }

        /// Returns what the program has done wrong in this step.
        private @Nullable String end() {
            // without reports from backward, assume that it had not begun
            boolean isLeft = !synced && !reached && (tells || !alone);
            unsynchronized.isLeft(isLeft || hasFailed || !alone && !synced);
            if (synced) {
                if (!isLeftOut || model.parameterVersion() == versionAtSync) return null;
                return "sync(scaler) returned false in step " + step + ", and the parameters were changed; leave the"
                        + " optimizer's step out: if (step.sync(scaler)) optimizer.step()";
            }
            boolean isWritten = isWrittenEarly();
            isWrittenEarly |= isWritten;
            if (isLeft) rollBack();
            if (alone) {
                if (!isLeft) accumulatedNow();
                return null;
            }
            protocol.setFailing(true);
            if (started > 0) unfinished = true;
            else if (!isLeft) forget();
            boolean isComputed = tells ? reached : isWritten || wasClean && !accumulated.isClean();
            if (!isComputed) return null;
            return "step(" + ofSamples + ") was closed without sync(): the gradients were not averaged over the ranks,"
                    + " so each trains another model; call sync() after backward, or accumulate("
                    + ofSamples + ") for a step that is not synchronized";
        }

        private void accumulatedNow() {
            if (!accumulated.isEmpty() && isForgotten(-1)) weights.clear();
            else accumulated.record();
        }
    }

    /// Whether communication overlaps with backward: the model reports gradients while backward runs.
    public boolean isOverlapping() {
        return tells;
    }
}
