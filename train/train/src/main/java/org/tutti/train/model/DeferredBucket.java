package org.tutti.train.model;

/// A bucket on a device. The check for finite numbers runs on the device, and the result is sent with the
/// gradients, so the host does not wait for the device while backward runs.
public interface DeferredBucket extends GradientBucket {
    /// Queues an operation on the device, which sets the mark to one if a number is not finite, otherwise to
    /// zero. Replaces [#isFinite] and [#setMark] before the sum.
    void markUnlessFinite();

    /// Returns whether all numbers of this rank's gradient are finite; called before [#take].
    boolean wasFinite(int place);
}
