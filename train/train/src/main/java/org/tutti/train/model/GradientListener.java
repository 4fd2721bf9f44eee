package org.tutti.train.model;

/// Is notified of gradients while backward runs, on any thread.
public interface GradientListener {
    /// The gradient of parameter `i` is final.
    void onReady(int i);

    /// Another listener has taken this one's place, for the same parameters: it is not notified any more.
    void onReplaced();
}
