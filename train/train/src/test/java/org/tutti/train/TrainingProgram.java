package org.tutti.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.model.DType;

/// A random sequence of training calls, the same on all ranks except for the numbers of samples, the gradients
/// that a rank discards, and a mistake.
final class TrainingProgram {
    private static final double RATE = 0.05, NORM = 0.3;

    /// The mistake of a program.
    enum Mistake {
        NO_SYNC("step\\(\\d+\\) was closed without sync\\(\\).*"),
        NO_SYNC_AND_NO_OPTIMIZER("step\\(\\d+\\) was closed without sync\\(\\).*"),
        SYNC_TWICE("this step was synchronized before"),
        SYNC_IN_ACCUMULATE("a step of accumulate\\(\\) is not synchronized"),
        SYNC_AFTER_CLOSE("Step.sync: the step is closed"),
        CLIP_BEFORE_SYNC("Step.clipGradNorm: call it after sync.*"),
        OPTIMIZER_BEFORE_SYNC("step \\d+: the replicas differ: .*parameters were changed before sync\\(\\) on rank.*"),
        OPTIMIZER_IN_ACCUMULATE(
                "step \\d+: the replicas differ: .*parameters were changed before sync\\(\\) on rank.*"),
        STEP_IN_STEP("the step before was not closed.*"),
        STEP_NOT_CLOSED(
                "the step before was not closed.*|DistributedDataParallel.close: the last step was not closed.*"),
        FORGETS_SOME("step \\d+: after accumulate\\(\\) the gradients of some but not all parameters were discarded.*"),
        TWO_BACKWARDS("a second backward in one step.*"),
        NO_BACKWARD("step \\d+: backward has not reached .*"),
        NEGATIVE_SAMPLES("a step of -1 samples"),
        SCALER_IGNORED("sync\\(scaler\\) returned false in step \\d+, and the parameters were changed.*"),
        LEAVES_UNCHANGED("the ranks are in different steps: .*"),
        ONE_STEP_MORE("the ranks do not do the same: .*");

        private final String text;

        Mistake(String text) {
            this.text = text;
        }

        /// Returns a pattern of the message on the rank with the mistake.
        String text() {
            return text;
        }

        /// Returns whether all ranks report this mistake, although a single rank made it.
        boolean isOfAll() {
            return switch (this) {
                case OPTIMIZER_BEFORE_SYNC,
                        OPTIMIZER_IN_ACCUMULATE,
                        FORGETS_SOME,
                        NO_BACKWARD,
                        SCALER_IGNORED,
                        LEAVES_UNCHANGED,
                        ONE_STEP_MORE -> true;
                case NO_SYNC,
                        NO_SYNC_AND_NO_OPTIMIZER,
                        SYNC_TWICE,
                        SYNC_IN_ACCUMULATE,
                        SYNC_AFTER_CLOSE,
                        CLIP_BEFORE_SYNC,
                        STEP_IN_STEP,
                        STEP_NOT_CLOSED,
                        TWO_BACKWARDS,
                        NEGATIVE_SAMPLES -> false;
            };
        }
    }

    private enum Kind {
        ACCUMULATE,
        FORGET,
        STEP,
        LEAVE
    }

    /// @param samples the numbers of each rank's samples
    /// @param forgets for each rank, whether it discards gradients: as the only action of FORGET, and before
    ///     backward in ACCUMULATE and STEP
    /// @param byZeros whether gradients are discarded by setting all numbers to zero
    /// @param keeps whether the gradients remain after the optimizer's step, so that the next gradients are
    ///     added
    private record Part(
            Kind kind,
            List<int[]> samples,
            boolean[] forgets,
            boolean byZeros,
            boolean clips,
            boolean scales,
            boolean keeps) {
        @Override
        public String toString() {
            return kind + " samples=" + samples.stream().map(Arrays::toString).toList() + " forgets="
                    + Arrays.toString(forgets) + (byZeros ? " byZeros" : "") + (clips ? " clips" : "")
                    + (scales ? " scales" : "") + (keeps ? " keeps" : "");
        }
    }

    private final int size;
    private final boolean notifies;
    private final List<Part> parts = new ArrayList<>();

    private @Nullable Mistake mistake;
    private int wrongPart = -1;
    private final boolean[] wrong;

    private TrainingProgram(int size, boolean notifies) {
        this.size = size;
        this.notifies = notifies;
        wrong = new boolean[size];
    }

    int size() {
        return size;
    }

    boolean notifies() {
        return notifies;
    }

    boolean isWrong(int rank) {
        return wrong[rank];
    }

    static TrainingProgram legal(SplittableRandom random) {
        TrainingProgram made = new TrainingProgram(1 + random.nextInt(4), random.nextInt(3) > 0);
        made.add(random, 2 + random.nextInt(8));
        if (made.parts.getLast().kind != Kind.STEP) made.parts.add(made.part(Kind.STEP, random, true, false));
        return made;
    }

    /// Returns a program that is legal except for a mistake at the end, on one rank or on all ranks. The ranks
    /// that do not make the mistake continue.
    static TrainingProgram wrong(SplittableRandom random, Mistake mistake) {
        boolean needsTelling = mistake == Mistake.TWO_BACKWARDS;
        boolean notifies = needsTelling || mistake != Mistake.SCALER_IGNORED && random.nextBoolean();
        TrainingProgram made = new TrainingProgram(2 + random.nextInt(3), notifies);
        made.mistake = mistake;
        made.add(random, random.nextInt(4));
        made.parts.add(made.part(Kind.STEP, random, true, false));
        made.wrongPart = made.parts.size();
        boolean isOnOne = mistake == Mistake.LEAVES_UNCHANGED || mistake == Mistake.ONE_STEP_MORE;
        boolean isOnAll = mistake == Mistake.SCALER_IGNORED || !isOnOne && random.nextBoolean();
        int one = random.nextInt(made.size);
        for (int r = 0; r < made.size; r++) made.wrong[r] = isOnAll || r == one;
        boolean accumulates = switch (mistake) {
            case SYNC_IN_ACCUMULATE, OPTIMIZER_IN_ACCUMULATE, FORGETS_SOME -> true;
            default -> false;
        };
        made.parts.add(made.part(accumulates ? Kind.ACCUMULATE : Kind.STEP, random, true, false));
        if (mistake != Mistake.ONE_STEP_MORE) made.parts.add(made.part(Kind.STEP, random, true, false));
        return made;
    }

    private void add(SplittableRandom random, int count) {
        boolean kept = false, pending = false;
        for (int i = 0; i < count; i++) {
            Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
            // gradients that remain after a synchronized step are not part of an accumulation
            Part part = part(kept ? Kind.STEP : kind, random, false, pending);
            parts.add(part);
            kept = part.keeps;
            pending = part.kind == Kind.ACCUMULATE || pending && part.kind != Kind.STEP;
        }
    }

    /// @param all whether all ranks have samples, and gradients are neither discarded before backward nor kept
    ///     after the optimizer's step
    private Part part(Kind kind, SplittableRandom random, boolean all, boolean pending) {
        List<int[]> samples = new ArrayList<>();
        for (int r = 0; r < size; r++) {
            boolean some = all || kind == Kind.STEP && r == 0;
            samples.add(random.ints(some ? 1 + random.nextInt(4) : random.nextInt(5), 0, 500)
                    .toArray());
        }
        // inside a step, discarded gradients are detected only by reports from backward
        boolean forgets =
                kind == Kind.FORGET || !all && pending && notifies && kind != Kind.LEAVE && random.nextInt(4) == 0;
        boolean[] ranks = new boolean[size];
        for (int r = 0; r < size; r++) ranks[r] = forgets && random.nextInt(3) > 0;
        return new Part(
                kind,
                samples,
                ranks,
                random.nextBoolean(),
                random.nextInt(4) == 0,
                random.nextInt(4) == 0,
                !all && kind == Kind.STEP && random.nextInt(5) == 0);
    }

    /// Returns the model of a single rank after the same steps with the whole batches.
    double[] expected() {
        TinyModel model = new TinyModel(DType.F64, false, 1);
        List<List<Integer>> pending = IntStream.range(0, size)
                .<List<Integer>>mapToObj(r -> new ArrayList<>())
                .toList();
        for (Part part : parts) {
            for (int r = 0; r < size; r++) {
                if (part.forgets[r]) pending.get(r).clear();
                if (part.kind == Kind.ACCUMULATE || part.kind == Kind.STEP) {
                    for (int n : part.samples.get(r)) pending.get(r).add(n);
                }
            }
            if (part.kind != Kind.STEP) continue;
            model.backward(
                    pending.stream().flatMap(List::stream).mapToInt(n -> n).toArray(), 0);
            if (part.clips) {
                double norm = Math.sqrt(model.squaredNorm(List.of(0, 1, 2, 3)));
                for (int i = 0; i < 4 && norm > NORM; i++) model.scaleGradient(i, NORM / norm);
            }
            model.descendAndKeep(RATE);
            if (!part.keeps) model.forgetGradients();
            pending.forEach(List::clear);
        }
        return model.all();
    }

    /// Runs the program on this rank of the group.
    void run(ProcessGroup group, TinyModel model) {
        DistributedDataParallel ddp = DistributedDataParallel.of(
                model, group, Options.DEFAULTS.withFirstBucketBytes(16).withBucketBytes(100));
        for (int i = 0; i < parts.size(); i++) {
            boolean isWrong = i == wrongPart && wrong[group.rank()];
            if (i == wrongPart && mistake == Mistake.ONE_STEP_MORE && !isWrong) continue;
            Part part = parts.get(i);
            int[] samples = part.samples.get(group.rank());
            boolean forgets = part.forgets[group.rank()];
            switch (part.kind) {
                case FORGET -> forget(model, part, forgets);
                case LEAVE -> leave(ddp, samples.length, part.byZeros);
                case ACCUMULATE -> {
                    try (Step step = ddp.accumulate(samples.length)) {
                        forget(model, part, forgets);
                        if (samples.length > 0) model.backward(samples, 0);
                        if (isWrong && mistake == Mistake.SYNC_IN_ACCUMULATE) step.sync();
                        if (isWrong && mistake == Mistake.OPTIMIZER_IN_ACCUMULATE) model.descendAndKeep(RATE);
                    }
                    if (isWrong && mistake == Mistake.FORGETS_SOME) model.forgetGradient(TinyModel.B1);
                }
                case STEP -> {
                    if (isWrong) wrongStep(ddp, model, samples);
                    else step(ddp, model, part, samples, forgets, i == wrongPart);
                }
            }
        }
        ddp.close();
    }

    private static void forget(TinyModel model, Part part, boolean forgets) {
        if (!forgets) return;
        if (part.byZeros) {
            for (int i = 0; i < 4; i++) if (model.hasGradient(i)) model.scaleGradient(i, 0);
        } else {
            model.forgetGradients();
        }
    }

    /// Ends a step early on all ranks, as if a sample could not be read.
    private static void leave(DistributedDataParallel ddp, int samples, boolean byException) {
        try (Step _ = ddp.step(samples)) {
            if (byException) throw new ArithmeticException("a bad sample");
        } catch (ArithmeticException e) {
            if (e.getSuppressed().length > 0) throw new AssertionError("close has something to say", e);
        }
    }

    private void step(
            DistributedDataParallel ddp,
            TinyModel model,
            Part part,
            int[] samples,
            boolean forgets,
            boolean nextToAMistake) {
        try (Step step = ddp.step(samples.length)) {
            forget(model, part, forgets);
            if (samples.length > 0) model.backward(samples, 0);
            if (part.scales) {
                boolean finite = step.sync(LossScaler.of(1, 0));
                if (!finite) throw new AssertionError("not finite");
            } else {
                step.sync();
            }
            if (part.clips && !nextToAMistake) step.clipGradNorm(NORM);
            model.descendAndKeep(RATE);
        }
        if (!part.keeps) model.forgetGradients();
    }

    private void wrongStep(DistributedDataParallel ddp, TinyModel model, int[] samples) {
        if (mistake == Mistake.LEAVES_UNCHANGED) {
            leave(ddp, samples.length, true);
            return;
        }
        if (mistake == Mistake.STEP_NOT_CLOSED) {
            Step step = ddp.step(samples.length);
            model.backward(samples, 0);
            step.sync();
            model.descend(RATE);
            return;
        }
        if (mistake == Mistake.SYNC_AFTER_CLOSE) {
            Step step = ddp.step(samples.length);
            step.close();
            step.sync();
        }
        try (Step step = ddp.step(mistake == Mistake.NEGATIVE_SAMPLES ? -1 : samples.length)) {
            if (mistake == Mistake.STEP_IN_STEP) ddp.step(1);
            if (mistake != Mistake.NO_BACKWARD) model.backward(samples, 0);
            if (mistake == Mistake.TWO_BACKWARDS) model.backward(samples, 0);
            if (mistake == Mistake.CLIP_BEFORE_SYNC) step.clipGradNorm(1);
            if (mistake == Mistake.NO_SYNC_AND_NO_OPTIMIZER) return;
            if (mistake == Mistake.SCALER_IGNORED) model.gradient(TinyModel.W2, 0, Double.POSITIVE_INFINITY);
            if (mistake == Mistake.OPTIMIZER_BEFORE_SYNC) model.descendAndKeep(RATE);
            if (mistake == Mistake.SCALER_IGNORED) step.sync(LossScaler.of(2, 0));
            else if (mistake != Mistake.NO_SYNC) step.sync();
            if (mistake == Mistake.SYNC_TWICE) step.sync();
            model.descend(RATE);
        }
    }

    @Override
    public String toString() {
        return size + " ranks" + (notifies ? ", with reports from backward" : "")
                + (mistake == null ? "" : ", " + mistake + " in part " + wrongPart + " on " + Arrays.toString(wrong))
                + IntStream.range(0, parts.size())
                        .mapToObj(i -> "\n  " + i + ": " + parts.get(i))
                        .collect(Collectors.joining());
    }
}
