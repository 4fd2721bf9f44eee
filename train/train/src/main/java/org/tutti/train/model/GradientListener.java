package org.tutti.train.model;

/// Who is told of gradients while backward runs, on whatever thread.
public interface GradientListener {
    /// The gradient of parameter `i` is final.
    void ready(int i);

    /// Another listener has taken this one's place, for the same parameters: it is told of nothing any more.
    void replaced();
}
