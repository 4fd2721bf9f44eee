package org.tutti.train.model;

/// Receives notifications about gradients while backward runs, on any thread.
public interface GradientListener {
    /// The gradient of parameter `i` is final.
    void onReady(int i);

    /// A newer listener has replaced this one for the same parameters: no further notifications follow.
    void onReplaced();
}
