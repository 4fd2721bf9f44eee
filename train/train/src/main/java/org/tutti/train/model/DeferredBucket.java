package org.tutti.train.model;

/// A bucket on a device that is still computing its gradients: it is asked on the device whether all
/// numbers are finite, and the answer travels with them. So nobody waits for the device while backward
/// runs.
public interface DeferredBucket extends GradientBucket {
    /// Sets the mark to one if some number is not finite, else to zero, when the device comes to it. In
    /// place of [#isFinite] and [#setMark] before the sum.
    void markUnlessFinite();

    /// Whether all numbers of the gradient that this rank has put in are finite; asked before [#take].
    boolean wasFinite(int place);
}
