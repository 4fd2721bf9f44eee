package org.tutti.train;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/// Warns at the end of a training if the last steps were steps of `accumulate`: no later step has synchronized
/// the gradients, so the samples had no effect.
final class UnsynchronizedEnd implements Runnable {
    private static final Logger LOG = System.getLogger("org.tutti.train");

    private final SampleWeights weights;
    private final AccumulatedGradients accumulated;
    private final int rank;
    private final int size;
    private boolean isLeft;

    UnsynchronizedEnd(SampleWeights weights, AccumulatedGradients accumulated, int rank, int size) {
        this.weights = weights;
        this.accumulated = accumulated;
        this.rank = rank;
        this.size = size;
    }

    /// Sets whether the last step has failed or ended early, probably because of an exception. In this case,
    /// missing synchronization is no reason for a warning.
    void isLeft(boolean now) {
        isLeft = now;
    }

    @Override
    public void run() {
        String warning = warning();
        if (warning != null) LOG.log(Level.WARNING, warning);
    }

    /// Returns the warning; null if no gradients remain, or the program has discarded the gradients.
    @Nullable
    String warning() {
        if (isLeft || accumulated.isEmpty() || weights.samples() == 0) return null;
        try {
            if (accumulated.check(-1) == AccumulatedGradients.State.FORGOTTEN) return null;
        } catch (RuntimeException e) {
            return null; // the model was closed before its group; its gradients are unknown
        }
        return "the training ends after accumulate(), and no step has synchronized the gradients of "
                + weights.samples()
                + (weights.samples() == 1 ? " sample" : " samples") + " (rank " + rank + " of " + size
                + "); end an accumulation with a step() that calls sync(), or discard the gradients";
    }
}
