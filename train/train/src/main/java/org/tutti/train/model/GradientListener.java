package org.tutti.train.model;

/// Receives notifications about gradients while backward runs, on any thread.
public interface GradientListener {
    /// Called when the gradient of parameter `i` is final.
    void onReady(int i);

    /// Called when a newer listener replaces this one for the same parameters; no further notifications follow.
    void onReplaced();
}
