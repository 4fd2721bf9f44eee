package org.tutti.bench.osu;

import org.tutti.bench.measure.IterationPlan;

/// The communication of two ranks in one test with one size.
interface MessageExchange extends IterationPlan.Loop {
    /// Executes one exchange with verified data; returns the number of wrong elements on this rank.
    long wrong();

    /// Releases resources.
    default void close() {}
}
