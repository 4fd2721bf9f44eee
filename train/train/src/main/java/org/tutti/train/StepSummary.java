package org.tutti.train;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The numbers that ranks exchange at the end of a step: five per rank.
final class StepSummary {
    private static final int STARTED = 0, SAMPLES = 1, UNIT = 2, UNUSED = 3, MISUSE = 4, EACH = 5;

    /// Flags of misuse by a rank: gradients of accumulated steps were discarded for some parameters only;
    /// parameters were written before the step was synchronized.
    static final long FORGOTTEN_PARTLY = 1, WRITTEN_EARLY = 2;

    private final long[] all;

    /// @param all for each rank the number of the step, the samples, the unit of [SampleWeights], the number of
    ///     parameters without a gradient, and the flags of misuse
    StepSummary(long[] all) {
        this.all = all;
    }

    private int ranks() {
        return all.length / EACH;
    }

    private long of(int rank, int field) {
        return all[EACH * rank + field];
    }

    private long most(int field) {
        long most = 0;
        for (int r = 0; r < ranks(); r++) most = Math.max(most, of(r, field));
        return most;
    }

    boolean areOfOneStep() {
        for (int r = 1; r < ranks(); r++) if (of(r, STARTED) != of(0, STARTED)) return false;
        return true;
    }

    String differentSteps() {
        StringBuilder text = new StringBuilder("the ranks are in different steps: ");
        for (int r = 0; r < ranks(); r++) {
            text.append(r == 0 ? "" : ", ")
                    .append("rank ")
                    .append(r)
                    .append(" in step ")
                    .append(of(r, STARTED));
        }
        return text + "; a rank has left a step before sync, for example after an exception, and other ranks have not."
                + " Leave it on all ranks, or end the job";
    }

    long samples() {
        long sum = 0;
        for (int r = 0; r < ranks(); r++) sum += of(r, SAMPLES);
        return sum;
    }

    long largestUnit() {
        return most(UNIT);
    }

    /// Returns whether a rank with samples has a parameter without a gradient.
    boolean someUnused() {
        for (int r = 0; r < ranks(); r++) if (of(r, SAMPLES) > 0 && of(r, UNUSED) > 0) return true;
        return false;
    }

    /// Returns whether a rank has reported this misuse.
    boolean some(long misuse) {
        for (int r = 0; r < ranks(); r++) if ((of(r, MISUSE) & misuse) != 0) return true;
        return false;
    }

    /// Returns the ranks that have reported this misuse, for example `rank 0, rank 2`.
    String ranksWith(long misuse) {
        return IntStream.range(0, ranks())
                .filter(r -> (of(r, MISUSE) & misuse) != 0)
                .mapToObj(r -> "rank " + r)
                .collect(Collectors.joining(", "));
    }

    int firstWithSamples() {
        for (int r = 0; r < ranks(); r++) if (of(r, SAMPLES) > 0) return r;
        return 0;
    }
}
