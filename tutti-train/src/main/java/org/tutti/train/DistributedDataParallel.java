package org.tutti.train;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.train.model.DType;
import org.tutti.train.model.DataParallelModel;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// Keeps the model of all ranks one: it begins with rank 0's parameters, and in each step the gradients
/// become the mean over all samples of all ranks, so that the same optimizer does the same everywhere.
///
/// Gradients travel in buckets that begin while backward still runs, if the model tells when one is final;
/// the sums are the same bits on all ranks.
///
/// @see <a href="https://docs.pytorch.org/docs/stable/notes/ddp.html">PyTorch's DistributedDataParallel</a>
public final class DistributedDataParallel {
    /// How gradients travel.
    ///
    /// @param firstBucketBytes the most in the first bucket, which is small so that it starts early
    /// @param bucketBytes the most in each other
    /// @param busily whether a thread of its own moves buckets while the program computes; for ranks with a
    ///     core to spare
    /// @param unusedAllowed whether a parameter may have no gradient on some ranks, or on all: then it counts
    ///     as zero there, or keeps none
    public record Options(long firstBucketBytes, long bucketBytes, boolean busily, boolean unusedAllowed) {
        /// PyTorch's sizes, no thread, and a parameter without a gradient is an error.
        public static final Options USUAL = new Options(1 << 20, 25 << 20, false, false);

        public Options {
            if (firstBucketBytes <= 0 || bucketBytes <= 0) {
                throw new IllegalArgumentException(
                        "buckets of " + firstBucketBytes + " and " + bucketBytes + " bytes; they must have some");
            }
        }
    }

    /// What communication has cost so far.
    ///
    /// @param steps that were synchronized
    /// @param communicationNanos from the start of each step's first bucket to the end of its last
    /// @param exposedNanos of these, how long the program waited in [Step#sync]
    public record Costs(long steps, long communicationNanos, long exposedNanos) {}

    private final DataParallelModel model;
    private final ProcessGroup group;
    private final Options options;
    private final List<Tensor> parameters;
    private final List<Bucket> buckets = new ArrayList<>();

    /// For each parameter its bucket, and its place there.
    private final Bucket[] bucketOf;

    private final int[] placeIn;

    private @Nullable Step open;

    /// A step was left in the middle.
    private boolean unfinished;

    /// Of this rank, in steps since the last [Step#sync] and this one.
    private long samples;

    private long step;
    private long communicationNanos;
    private long exposedNanos;
    private final boolean tells;

    private DistributedDataParallel(DataParallelModel model, ProcessGroup group, Options options) {
        this.model = model;
        this.group = group;
        this.options = options;
        parameters = List.copyOf(model.parameters());
        List<TensorSpec> specs = parameters.stream().map(Tensor::spec).toList();
        for (TensorSpec s : specs) {
            if (s.type() != DType.F32 && s.type() != DType.F64) {
                throw new TrainingException("parameter " + s + " cannot be averaged; F32 and F64 can");
            }
        }
        List<TensorSpec> all = new ArrayList<>(specs);
        model.buffers().forEach(b -> all.add(b.spec()));
        SameStructure.check(all, group);
        parameters.forEach(p -> group.broadcast(p.data(), 0));
        model.buffers().forEach(b -> group.broadcast(b.data(), 0));

        bucketOf = new Bucket[specs.size()];
        placeIn = new int[specs.size()];
        for (List<Integer> chosen : BucketPlan.of(specs, options.firstBucketBytes(), options.bucketBytes())) {
            Bucket bucket = new Bucket(specs, chosen, group);
            buckets.add(bucket);
            for (int place = 0; place < chosen.size(); place++) {
                bucketOf[chosen.get(place)] = bucket;
                placeIn[chosen.get(place)] = place;
            }
        }
        tells = model.onGradientReady(this::ready);
    }

    /// Checks that all ranks have the same parameters, and gives them rank 0's. All ranks call it.
    ///
    /// @throws TrainingException on all ranks, when one has others
    public static DistributedDataParallel of(DataParallelModel model, ProcessGroup group) {
        return of(model, group, Options.USUAL);
    }

    /// As [#of(DataParallelModel, ProcessGroup)].
    public static DistributedDataParallel of(DataParallelModel model, ProcessGroup group, Options options) {
        return new DistributedDataParallel(model, group, options);
    }

    /// Begins a step in which this rank computes the mean loss of `samples` samples; possibly of none, when
    /// other ranks have more: it then leaves backward out and calls [Step#sync] alone.
    public Step step(long ofSamples) {
        if (ofSamples < 0) throw new IllegalArgumentException("a step of " + ofSamples + " samples");
        if (unfinished) {
            throw new IllegalStateException(
                    "a step was left without sync when gradients had been sent: the ranks are out of step; end the job");
        }
        if (open != null) throw new IllegalStateException("the step before was not closed; use try (Step step = …)");
        samples += ofSamples;
        Step made = new Step(model.openStep());
        open = made;
        return made;
    }

    /// As [#step], of which nothing is sent: gradients go on adding up in the model until a step that is
    /// synchronized (PyTorch's `no_sync`).
    public Step accumulate(long ofSamples) {
        Step made = step(ofSamples);
        made.alone = true;
        return made;
    }

    public Costs costs() {
        return new Costs(step, communicationNanos, exposedNanos);
    }

    /// Backward has finished with parameter `i`.
    private void ready(int i) {
        Step s = open;
        if (s == null || s.alone) return;
        if (bucketOf[i].isStarted()) {
            throw new IllegalStateException("a second backward in one step, after gradients had left; let all but the"
                    + " last run in steps of accumulate()");
        }
        put(i);
        s.startFullOnes();
    }

    /// What was put in for this step.
    private void forget() {
        buckets.forEach(Bucket::clear);
        samples = 0;
    }

    private void put(int i) {
        bucketOf[i].put(placeIn[i], model.gradient(i), samples);
    }

    /// One step of all ranks.
    public final class Step implements AutoCloseable {
        private final AutoCloseable scope;
        private boolean alone;
        private boolean synced;

        /// Buckets are started in one order on all ranks: those before this one were.
        private int started;

        private long startedAtNanos;

        private Step(AutoCloseable scope) {
            this.scope = scope;
        }

        private void startFullOnes() {
            while (started < buckets.size() && buckets.get(started).isFull()) {
                if (started == 0) startedAtNanos = System.nanoTime();
                buckets.get(started++).start(group, options.busily());
            }
        }

        /// Makes all gradients the mean over all samples of all ranks. All ranks call it, after backward.
        ///
        /// @throws TrainingException on all ranks, when one has no gradient for a parameter that all must
        ///     use, or one that is not a finite number
        public void sync() {
            if (alone) throw new IllegalStateException("a step of accumulate() is not synchronized");
            if (synced) throw new IllegalStateException("this step was synchronized before");
            synced = true;
            group.failing(false);
            step++;
            long from = System.nanoTime();
            List<Integer> unused = putTheRest();
            startFullOnes();
            // the smallest messages tell what all must know before a gradient is written
            long[] known = group.endOfStep(samples, unused.size());
            long all = 0;
            boolean someUnused = false;
            for (int r = 0; r < group.size(); r++) {
                all += known[2 * r];
                someUnused |= known[2 * r] > 0 && known[2 * r + 1] > 0;
            }
            int spoilt = 0;
            for (Bucket b : buckets) spoilt += b.await();
            long end = System.nanoTime();
            exposedNanos += end - from;
            communicationNanos += end - startedAtNanos;
            try {
                if (all == 0) throw new TrainingException("step " + step + ": no rank has any sample");
                if (someUnused && !options.unusedAllowed()) throw unusedSomewhere(unused);
                if (spoilt > 0) throw spoiltSomewhere();
                take(someUnused ? usedNowhere(unused) : new boolean[parameters.size()], 1.0 / all);
            } finally {
                forget();
            }
        }

        private void take(boolean[] usedNowhere, double factor) {
            for (int i = 0; i < parameters.size(); i++) {
                if (usedNowhere[i]) continue;
                MemorySegment gradient = model.gradient(i);
                bucketOf[i].take(placeIn[i], gradient == null ? model.makeGradient(i) : gradient, factor);
            }
        }

        /// What no hook has told of; returns the parameters that have no gradient.
        private List<Integer> putTheRest() {
            List<Integer> unused = new ArrayList<>();
            for (int i = parameters.size() - 1; i >= 0; i--) {
                if (model.gradient(i) == null) unused.add(i);
                if (!bucketOf[i].has(placeIn[i])) put(i);
            }
            return unused;
        }

        private boolean[] usedNowhere(List<Integer> unused) {
            long[] mine = new long[parameters.size()];
            unused.forEach(i -> mine[i] = 1);
            long[] all = group.allgather(mine);
            boolean[] nowhere = new boolean[mine.length];
            for (int i = 0; i < mine.length; i++) {
                nowhere[i] = true;
                for (int r = 0; r < group.size(); r++) nowhere[i] &= all[r * mine.length + i] == 1;
            }
            return nowhere;
        }

        private TrainingException unusedSomewhere(List<Integer> unused) {
            String mine = samples == 0 ? "" : names(unused);
            return new TrainingException("step " + step + ": backward has not reached " + said(mine)
                    + "; where that is intended, use Options with unusedAllowed");
        }

        private TrainingException spoiltSomewhere() {
            List<Integer> bad = new ArrayList<>();
            for (int i = 0; i < parameters.size(); i++) {
                MemorySegment gradient = model.gradient(i);
                if (gradient != null
                        && !Numbers.allFinite(gradient, parameters.get(i).spec().type())) bad.add(i);
            }
            return new TrainingException(
                    "step " + step + ": not a finite number in the gradient of " + said(names(bad)));
        }

        private String names(List<Integer> of) {
            return String.join(
                    ", ", of.stream().map(i -> parameters.get(i).name()).toList());
        }

        /// All ranks' words, by rank.
        private String said(String mine) {
            List<String> all = group.allgather(mine);
            List<String> parts = new ArrayList<>();
            for (int r = 0; r < all.size(); r++) if (!all.get(r).isEmpty()) parts.add(all.get(r) + " on rank " + r);
            return String.join("; ", parts);
        }

        /// Scales all gradients alike so that the square root of the sum of all their squares is at most
        /// `most`; after [#sync]. Returns what it was.
        public double clip(double most) {
            if (!synced) throw new IllegalStateException("clip belongs after sync");
            if (!(most > 0)) throw new IllegalArgumentException("a largest norm of " + most);
            double squares = 0;
            for (int i = 0; i < parameters.size(); i++) {
                MemorySegment gradient = model.gradient(i);
                if (gradient != null)
                    squares +=
                            Numbers.squares(gradient, parameters.get(i).spec().type());
            }
            double norm = Math.sqrt(squares);
            if (norm <= most) return norm;
            for (int i = 0; i < parameters.size(); i++) {
                MemorySegment gradient = model.gradient(i);
                if (gradient != null)
                    Numbers.scale(gradient, gradient, parameters.get(i).spec().type(), most / norm);
            }
            return norm;
        }

        /// A step that was left before [#sync], by an exception for instance, is as if it had not been,
        /// if all ranks left it so; but not once others have been sent a part of its gradients.
        @Override
        public void close() {
            open = null;
            if (!alone && !synced) {
                group.failing(true);
                if (started > 0) unfinished = true;
                else forget();
            }
            try {
                scope.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException("the step's scope could not be closed", e);
            }
        }
    }

    /// Whether the model tells of gradients while backward runs.
    public boolean overlaps() {
        return tells;
    }
}
