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

/// Keeps the models of all ranks identical: training begins with rank 0's parameters, and in each step the
/// gradients become the mean over all samples of all ranks, so the optimizer performs the same update on every
/// rank.
///
/// Gradients are sent in buckets while backward is still running, if the model reports when a gradient is
/// final; the sums are bitwise identical on all ranks. Buffers, such as the running means of a batch norm, are
/// set to the buffers of one rank after each step.
///
/// Only one instance at a time can train the parameters of a model: a new instance replaces the previous one,
/// which then refuses further steps.
///
/// @see <a href="https://docs.pytorch.org/docs/stable/notes/ddp.html">PyTorch's DistributedDataParallel</a>
public final class DistributedDataParallel implements AutoCloseable {
    /// Options for the average of gradients. Immutable.
    public static final class Options {
        /// The defaults: the buckets have PyTorch's sizes, no separate thread sends, a parameter without a
        /// gradient is an error, one rank broadcasts the buffers, and the sum is a plain all-reduce.
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
                        "buckets of " + firstBucketBytes + " and " + bucketBytes + " bytes; the size must be positive");
            }
            this.firstBucketBytes = firstBucketBytes;
            this.bucketBytes = bucketBytes;
            this.progressMode = progressMode;
            this.findUnusedParameters = findUnusedParameters;
            this.broadcastBuffers = broadcastBuffers;
            this.hook = Objects.requireNonNull(hook, "hook; the default is CommunicationHook.ALLREDUCE");
        }

        /// Returns options with this maximum size of the first bucket, which is small so that communication
        /// starts early.
        public Options withFirstBucketBytes(long bytes) {
            return new Options(bytes, bucketBytes, progressMode, findUnusedParameters, broadcastBuffers, hook);
        }

        /// Returns options with this maximum size of the other buckets; PyTorch's `bucket_cap_mb`.
        public Options withBucketBytes(long bytes) {
            return new Options(firstBucketBytes, bytes, progressMode, findUnusedParameters, broadcastBuffers, hook);
        }

        /// Returns options with or without a separate thread that sends buckets while the program computes, for
        /// ranks with an idle core.
        public Options withProgressThread(boolean on) {
            ProgressMode mode = on ? ProgressMode.THREAD : ProgressMode.CALLS;
            return new Options(firstBucketBytes, bucketBytes, mode, findUnusedParameters, broadcastBuffers, hook);
        }

        /// Returns options that, if `on` is true, allow parameters without a gradient. A rank without a gradient
        /// for a parameter contributes zeros; a parameter without a gradient on any rank remains without one.
        /// PyTorch's `find_unused_parameters`.
        public Options withFindUnusedParameters(boolean on) {
            return new Options(firstBucketBytes, bucketBytes, progressMode, on, broadcastBuffers, hook);
        }

        /// Returns options with or without a broadcast of buffers after each step, from the lowest rank with
        /// samples; PyTorch's `broadcast_buffers`.
        public Options withBroadcastBuffers(boolean on) {
            return new Options(firstBucketBytes, bucketBytes, progressMode, findUnusedParameters, on, hook);
        }

        /// Returns options in which this hook computes the sum of each bucket over all ranks; PyTorch's
        /// `register_comm_hook`.
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

    /// For each parameter the bucket, and the index in the bucket.
    private final Bucket[] bucketOf;

    private final int[] placeIn;

    private @Nullable Step open;

    /// Whether a step was closed without [Step#sync] after gradients had been sent, so that no further step is
    /// possible.
    private boolean unfinished;

    private final GroupMemory memory;
    private final Buffers buffers;
    private final SampleWeights weights;
    private final AccumulatedGradients accumulated;
    private final UnsynchronizedEnd unsynchronized;
    private final StepFailures failures;

    /// Whether, since the last synchronized step, the program has written parameters at a point where it may
    /// only compute gradients. The values then probably differ between ranks.
    private boolean isWrittenEarly;

    /// Whether the program has discarded the accumulated gradients of some parameters but not of all.
    private boolean isForgottenPartly;

    /// The names of the parameters for which gradients were discarded, if [#isForgottenPartly].
    private String forgotten = "";

    /// Referenced here, because the model may hold only a weak reference to the listener.
    private final GradientListener listener = new GradientListener() {
        @Override
        public void onReady(int i) {
            DistributedDataParallel.this.ready(i);
        }

        @Override
        public void onReplaced() {
            end("a second DistributedDataParallel was created for the same model");
        }
    };

    /// The reason why no further step can begin; null if one can.
    private @Nullable String endReason;

    /// The number of steps with synchronization that have begun.
    private long startedSteps;

    /// The number of calls of [Step#sync].
    private long step;
    private long communicationNanos;
    private long exposedNanos;
    private final boolean reportsGradients;

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
        reportsGradients = model.setGradientListener(listener);
    }

    /// Checks that all ranks have the same parameters, and broadcasts rank 0's values. All ranks call it.
    ///
    /// @throws TrainingException on all ranks, if the tensors of a rank's model differ from rank 0's in name,
    ///     type, shape or order
    /// @throws IllegalArgumentException if the gradients of a parameter's type cannot be averaged
    public static DistributedDataParallel of(DataParallelModel model, ProcessGroup group) {
        return of(model, group, Options.DEFAULTS);
    }

    /// As [#of(DataParallelModel, ProcessGroup)].
    public static DistributedDataParallel of(DataParallelModel model, ProcessGroup group, Options options) {
        return new DistributedDataParallel(model, group, options);
    }

    /// Begins a step in which this rank computes the mean loss of `ofSamples` samples. The number may be 0 if
    /// other ranks have samples: the rank then omits backward and only calls [Step#sync].
    public Step step(long ofSamples) {
        return begin(ofSamples, false);
    }

    private synchronized Step begin(long ofSamples, boolean isLocal) {
        if (ofSamples < 0) throw new IllegalArgumentException("a step of " + ofSamples + " samples");
        if (endReason == null && memory.isOver()) endReason = "its group was closed";
        if (endReason != null) throw new IllegalStateException("no step can begin: " + endReason);
        if (unfinished) {
            throw new IllegalStateException(
                    "a step was left without sync after gradients were sent: the ranks are out of step; end the job");
        }
        if (open != null) throw new IllegalStateException("the step before was not closed; use try (Step step = …)");
        if (!isLocal) startedSteps++; // also when it fails: the ranks' counts differ then
        AutoCloseable scope = model.openStep();
        if (!accumulated.isEmpty() && isForgotten(-1)) weights.clear();
        long samplesBefore = weights.samples(), unitBefore = weights.unit();
        double factor = weights.next(ofSamples);
        if (factor != 1) scaleAll(factor);
        Step made = new Step(scope, isLocal, ofSamples, samplesBefore, unitBefore, factor);
        open = made;
        return made;
    }

    /// Returns whether the program has discarded the accumulated gradients, so that the samples no longer
    /// count.
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

    /// As [#step], without communication: gradients accumulate in the model until the next synchronized step
    /// (PyTorch's `no_sync`), which computes the mean over the samples of all these steps. Do not divide the
    /// loss by the number of steps. All these steps must use the same DistributedDataParallel.
    ///
    /// Discard the gradients (`zero_grad`) before the first of these steps, or after the optimizer's step. If
    /// the program discards the gradients of all parameters between these steps, the samples of the previous
    /// steps do not count; if it discards only some of the gradients, [Step#sync] throws on all ranks.
    public Step accumulate(long ofSamples) {
        return begin(ofSamples, true);
    }

    /// Frees the memory for the communication of gradients. The model is unchanged, and may be trained further,
    /// with or without another DistributedDataParallel. Local. Without this call the memory is freed when the
    /// group is closed, when a new instance for the same model replaces this one, or, if this object is
    /// unreachable, when any new instance is created in the group.
    ///
    /// @throws IllegalStateException if a step is open
    @Override
    public void close() {
        model.removeGradientListener(listener);
        Step s = open;
        end("it was closed");
        if (s == null) return;
        throw new IllegalStateException("DistributedDataParallel.close: the last step was not closed"
                + (s.synced || s.isLocal ? "" : " and not synchronized") + rankText() + "; use try (Step step = …)");
    }

    private String rankText() {
        return " (rank " + group.rank() + " of " + group.size() + ")";
    }

    private synchronized void end(String why) {
        if (endReason != null) return;
        endReason = why;
        memory.close();
    }

    /// Returns the time that communication has taken so far.
    public CommunicationStats communicationStats() {
        return CommunicationStats.of(step, communicationNanos, exposedNanos);
    }

    /// Handles the final gradient of parameter `i`.
    private synchronized void ready(int i) {
        Step s = open;
        if (s == null) return;
        if (!s.reached) s.backwardBegins(i);
        if (s.isLocal) {
            accumulated.reached(i);
            return;
        }
        if (bucketOf[i].has(placeIn[i])) {
            throw new IllegalStateException(
                    "a second backward in one step; let all but the last run in steps of accumulate()");
        }
        put(i);
        if (weights.isAgreed()) s.startFullOnes(); // in the first step no data is sent before sync
    }

    /// Discards the contents of the buckets for this step.
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
        private final boolean isLocal;

        /// The number of samples and the unit in [SampleWeights] before this step, for [#restore].
        private final long samplesBefore, unitBefore;

        /// The factor by which the accumulated gradients were multiplied when this step began.
        private final double factor;

        private final long ofSamples;
        private boolean reached;
        private boolean synced;
        private boolean isClosed;

        /// Whether a call of `sync` has thrown.
        private boolean hasFailed;

        /// Whether a loss scaler has decided that the optimizer must skip this step.
        private boolean isLeftOut;

        /// Versions of the parameters: at the beginning of the step, at the beginning of backward, and after
        /// the synchronization.
        private final long versionAtBegin = model.parameterVersion();

        private long versionAtBackward = versionAtBegin;
        private long versionAtSync;

        /// Whether the step began without gradients. Only checked for models that do not report backward's
        /// progress.
        private final boolean wasClean = reportsGradients || accumulated.isClean();

        /// The number of started buckets. Buckets are started in the same order on all ranks.
        private int started;

        private long startedAtNanos;

        private Step(
                AutoCloseable scope,
                boolean isLocal,
                long ofSamples,
                long samplesBefore,
                long unitBefore,
                double factor) {
            this.scope = scope;
            this.isLocal = isLocal;
            this.ofSamples = ofSamples;
            this.samplesBefore = samplesBefore;
            this.unitBefore = unitBefore;
            this.factor = factor;
        }

        /// Records that backward has started, and that it has first reached parameter `i`.
        private void backwardBegins(int i) {
            reached = true;
            versionAtBackward = model.parameterVersion();
            keepExisting(i);
        }

        private void keepExisting(int reachedNow) {
            if (!accumulated.isEmpty() && isForgotten(reachedNow)) weights.keepOnly(ofSamples);
        }

        /// Returns whether the program has written parameters in the part of the step in which it may only
        /// compute gradients.
        private boolean isWrittenEarly() {
            return model.parameterVersion() != (reportsGradients && reached ? versionAtBackward : versionAtBegin);
        }

        private void startFullOnes() {
            while (started < buckets.size() && buckets.get(started).isFull()) {
                if (started == 0) startedAtNanos = System.nanoTime();
                memory.busy(true);
                buckets.get(started++).start(group, weights.before(), options.progressMode);
            }
        }

        /// Replaces all gradients by the mean over all samples of all ranks. All ranks call it, after backward.
        ///
        /// @throws TrainingException on all ranks, if a rank has no gradient for a parameter that all ranks
        ///     must use, or a non-finite gradient, or has made a different mistake in the step
        public void sync() {
            synchronized (DistributedDataParallel.this) {
                synchronize(null);
                hasFailed = false;
            }
        }

        /// As [#sync], for a loss that was multiplied by the scale of `scaler`. Returns false on all ranks if a
        /// rank has a non-finite gradient; the optimizer must then skip this step.
        ///
        /// @throws TrainingException as [#sync], except for non-finite numbers
        public boolean sync(LossScaler scaler) {
            synchronized (DistributedDataParallel.this) {
                boolean finite = synchronize(scaler);
                scaler.update(finite);
                isLeftOut = !finite;
                hasFailed = false;
                return finite;
            }
        }

        /// Returns whether all numbers are finite. Without a scaler, throws an exception if a number is not
        /// finite.
        private boolean synchronize(@Nullable LossScaler scaler) {
            hasFailed = true; // reset on success
            if (isLocal) throw new IllegalStateException("a step of accumulate() is not synchronized");
            if (synced) throw new IllegalStateException("this step was synchronized before");
            if (isClosed) throw new IllegalStateException("Step.sync: the step is closed");
            if (endReason == null && memory.isOver()) endReason = "its group was closed";
            if (endReason != null) throw new IllegalStateException("the step cannot be synchronized: " + endReason);
            synced = true;
            protocol.setFailing(false);
            step++;
            long from = System.nanoTime();
            isWrittenEarly |= isWrittenEarly();
            if (reportsGradients ? !reached : ofSamples == 0) keepExisting(-1);
            List<Integer> unused = putTheRest();
            if (!weights.isAgreed())
                weights.hint(
                        Arrays.stream(protocol.endOfStep(weights.unit())).max().orElse(0));
            startFullOnes();
            // a short message, sent after all buckets were started: from the result and the sums, all ranks
            // decide in the same way whether to write gradients
            StepSummary summary = new StepSummary(
                    protocol.endOfStep(startedSteps, weights.samples(), weights.unit(), unused.size(), misuse()));
            int nonFinite = 0;
            for (Bucket b : buckets) nonFinite += b.await();
            memory.busy(false);
            long end = System.nanoTime();
            exposedNanos += end - from;
            communicationNanos += end - (started == 0 ? from : startedAtNanos);
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

        /// Returns whether a sum has overflowed. The result is the same on all ranks, because the sums are
        /// bitwise identical.
        private boolean overflows(@Nullable LossScaler scaler) {
            List<String> overflown = new ArrayList<>();
            buckets.forEach(b -> b.addOverflown(overflown));
            if (overflown.isEmpty() || scaler != null) return !overflown.isEmpty();
            throw new TrainingException("step " + step + ": the sum over all ranks of the gradient of "
                    + String.join(", ", overflown)
                    + " is not finite, although the gradients of all ranks are; make the loss smaller");
        }

        private void take(boolean[] usedNowhere) {
            for (int i = 0; i < parameters.size(); i++) if (!usedNowhere[i]) bucketOf[i].take(placeIn[i]);
        }

        /// Copies to the buckets the gradients that the model has not reported to the listener. Returns the
        /// parameters without a gradient.
        private List<Integer> putTheRest() {
            List<Integer> unused = new ArrayList<>();
            for (int i = parameters.size() - 1; i >= 0; i--) {
                if (!model.hasGradient(i)) unused.add(i);
                if (!bucketOf[i].has(placeIn[i])) put(i);
            }
            return unused;
        }

        /// Returns the parameters with a non-finite gradient on this rank.
        private List<Integer> nonFinite() {
            List<Integer> bad = new ArrayList<>();
            for (int i = 0; i < parameters.size(); i++) if (bucketOf[i].isNonFinite(placeIn[i])) bad.add(i);
            return bad;
        }

        /// Scales all gradients by one factor so that the square root of the sum of all squares is at most
        /// `maxNorm`. Call it after [#sync]. Returns the previous norm. All ranks call it.
        public double clipGradNorm(double maxNorm) {
            if (!synced || isClosed) {
                throw new IllegalStateException("Step.clipGradNorm: call it after sync and before the step is closed");
            }
            if (!(maxNorm > 0)) throw new IllegalArgumentException("a largest norm of " + maxNorm);
            List<Integer> there = new ArrayList<>();
            for (int i = 0; i < parameters.size(); i++) if (model.hasGradient(i)) there.add(i);
            double squares = model.squaredNorm(there);
            // all ranks use rank 0's value: if the numbers of threads differ, sums differ in the last bits
            if (group.size() > 1) {
                squares = Double.longBitsToDouble(group.allgather(Double.doubleToRawLongBits(squares))[0]);
            }
            double norm = Math.sqrt(squares);
            if (norm > maxNorm) scaleAll(maxNorm / norm);
            return norm;
        }

        /// Undoes the beginning of a step in which backward has not started: restores the sample counts and the
        /// scale of the accumulated gradients.
        private void restore() {
            weights.restore(samplesBefore, unitBefore);
            if (factor != 1) scaleAll(1 / factor);
        }

        /// Ends the step. A step that all ranks leave before [#sync], for example by an exception, has no
        /// effect, unless part of the gradients was already sent to other ranks. If backward had started, the
        /// program must discard the gradients, including accumulated gradients.
        ///
        /// Local. In a try-with-resources statement, an exception of the body has priority, and this method's
        /// exception is suppressed.
        ///
        /// @throws IllegalStateException if gradients were computed and [#sync] was not called, or the
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
                if (misuse != null) throw new IllegalStateException(misuse + rankText());
            }
        }

        /// Returns a description of the program's mistake in this step; null if none.
        private @Nullable String end() {
            // if the model does not report backward's progress, assume that backward had not started
            boolean isLeft = !synced && !reached && (reportsGradients || !isLocal);
            unsynchronized.isLeft(isLeft || hasFailed || !isLocal && !synced);
            if (synced) {
                if (!isLeftOut || model.parameterVersion() == versionAtSync) return null;
                return "sync(scaler) returned false in step " + step + ", and the parameters were changed; leave the"
                        + " optimizer's step out: if (step.sync(scaler)) optimizer.step()";
            }
            boolean isWritten = isWrittenEarly();
            isWrittenEarly |= isWritten;
            if (isLeft) restore();
            if (isLocal) {
                if (!isLeft) accumulatedNow();
                return null;
            }
            protocol.setFailing(true);
            if (started > 0) unfinished = true;
            else if (!isLeft) forget();
            boolean isComputed = reportsGradients ? reached : isWritten || wasClean && !accumulated.isClean();
            if (!isComputed) return null;
            return "step(" + ofSamples + ") was closed without sync(): the gradients were not averaged over the ranks,"
                    + " so each rank trains a different model; call sync() after backward, or use accumulate("
                    + ofSamples + ") for a step without synchronization";
        }

        private void accumulatedNow() {
            if (!accumulated.isEmpty() && isForgotten(-1)) weights.clear();
            else accumulated.record();
        }
    }

    /// Returns whether communication overlaps with backward: the model reports gradients while backward runs.
    public boolean isOverlapping() {
        return reportsGradients;
    }
}
