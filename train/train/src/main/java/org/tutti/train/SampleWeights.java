package org.tutti.train;

/// The weight of a rank's gradient. Backward computes the mean over the samples of one step on this rank; the
/// result must be the mean over all samples of all ranks. The unit of a rank's gradient is the number by which
/// backward has divided the sum over the samples: the number of samples in the last mean.
///
///     gradient · unit / hint  ──summed over ranks──▶  sum · hint / all samples
///
/// The hint keeps the factors before the sum close to one. Without it, gradients would be multiplied by numbers
/// of samples, and a sum could overflow although the mean does not. The hint is the largest unit of any rank in
/// the previous step, rounded down to a power of two. Therefore the bits of a mean do not depend on the hint,
/// and a training resumed from a checkpoint has the same bits as an uninterrupted one. With one rank, all
/// factors are one unless gradients accumulate.
final class SampleWeights {
    /// The hint before the first step.
    private static final long FIRST_HINT = 1 << 10;

    private final boolean isSingleRank;

    /// The unit of the model's gradient: the gradient is the sum over the samples since the last synchronized
    /// step, divided by this number.
    private long unit;

    private long samples;
    private long hint = FIRST_HINT;
    private boolean isAgreed;

    SampleWeights(boolean isSingleRank) {
        this.isSingleRank = isSingleRank;
        isAgreed = isSingleRank;
    }

    /// Begins a step of `ofSamples` samples; backward adds the mean of these samples' gradients to the
    /// gradient. Returns the factor by which the existing gradient must be multiplied first, so that it has the
    /// unit of the new mean; 1 if no change is needed.
    double next(long ofSamples) {
        samples = Math.addExact(samples, ofSamples);
        if (ofSamples == 0) return 1;
        double factor = unit == 0 ? 1 : (double) unit / ofSamples;
        unit = ofSamples;
        return factor;
    }

    /// Returns whether the ranks have exchanged their units. Before this exchange, no gradient is multiplied,
    /// since the first hint may differ widely from the units, and 16-bit floats would lose digits.
    boolean isAgreed() {
        return isAgreed;
    }

    /// Returns the samples of this rank since the last synchronized step.
    long samples() {
        return samples;
    }

    long unit() {
        return unit;
    }

    /// Returns the factor by which this rank's gradient is multiplied before the sum over the ranks.
    double before() {
        return isSingleRank ? 1 : (double) unit / hint;
    }

    /// Returns the factor by which the sum over the ranks is multiplied.
    double after(long allSamples) {
        return (double) (isSingleRank ? unit : hint) / allSamples;
    }

    /// Reverts the beginning of the last step, in which backward has not started.
    void restore(long samplesBefore, long unitBefore) {
        samples = samplesBefore;
        unit = unitBefore;
    }

    /// Drops the samples of the previous steps, because the program has discarded the gradients.
    void keepOnly(long ofSamples) {
        samples = ofSamples;
        if (ofSamples == 0) unit = 0;
    }

    /// Resets the counts after the gradients were used or discarded.
    void clear() {
        samples = 0;
        unit = 0;
    }

    /// Sets the hint for the next step, from the largest unit of this step over all ranks.
    void hint(long largestUnit) {
        if (largestUnit == 0) return;
        hint = Long.highestOneBit(largestUnit);
        isAgreed = true;
    }
}
