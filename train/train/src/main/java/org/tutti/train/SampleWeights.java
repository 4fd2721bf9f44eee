package org.tutti.train;

/// How much a rank's gradient counts. Backward leaves the mean over one step's samples; what all ranks
/// shall have is the mean over all samples of all ranks.
///
///     gradient · unit / hint  ──summed over ranks──▶  sum · hint / all samples
///
/// The hint keeps numbers of samples out of the sums, which would overflow where the mean does not: it is
/// the largest unit of the step before, which all ranks know, as a power of two. So the bits of a mean do not
/// depend on it, and a training that goes on from a checkpoint has those of one that never stopped. A rank that
/// is alone multiplies by nothing that is not one.
final class SampleWeights {
    /// Before the first step.
    private static final long FIRST_HINT = 1 << 10;

    private final boolean isAlone;

    /// Over how many samples the model's gradient is a mean, but for this factor: since the last
    /// synchronized step.
    private long unit;

    private long samples;
    private long hint = FIRST_HINT;
    private boolean isAgreed;

    SampleWeights(boolean isAlone) {
        this.isAlone = isAlone;
        isAgreed = isAlone;
    }

    /// A step of so many samples begins, whose backward adds its mean to the gradient. The factor that
    /// makes what is there a part of the same sum; 1 for nothing to do.
    double next(long ofSamples) {
        samples = Math.addExact(samples, ofSamples);
        if (ofSamples == 0) return 1;
        double factor = unit == 0 ? 1 : (double) unit / ofSamples;
        unit = ofSamples;
        return factor;
    }

    /// Whether the ranks have told each other a unit: before, no gradient is multiplied, or short floats would
    /// lose their digits.
    boolean isAgreed() {
        return isAgreed;
    }

    /// Of this rank, since the last synchronized step.
    long samples() {
        return samples;
    }

    long unit() {
        return unit;
    }

    /// What the gradient is multiplied by before it is summed.
    double before() {
        return isAlone ? 1 : (double) unit / hint;
    }

    /// What the sum is multiplied by.
    double after(long allSamples) {
        return (double) (isAlone ? unit : hint) / allSamples;
    }

    /// Takes the step back that has begun last, and whose backward has not.
    void rollBack(long samplesBefore, long unitBefore) {
        samples = samplesBefore;
        unit = unitBefore;
    }

    /// Drops the samples of the steps before this one, whose gradients the program has forgotten.
    void keepOnly(long ofSamples) {
        samples = ofSamples;
        if (ofSamples == 0) unit = 0;
    }

    /// The gradients are gone, used or not.
    void clear() {
        samples = 0;
        unit = 0;
    }

    /// For the next step; what all ranks have heard of the largest unit of this one.
    void hint(long largestUnit) {
        if (largestUnit == 0) return;
        hint = Long.highestOneBit(largestUnit);
        isAgreed = true;
    }
}
