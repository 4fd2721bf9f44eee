package org.tutti.bench.osu;

import org.tutti.bench.measure.IterationPlan;

/// What two ranks do with each other, one size of one test.
interface MessageExchange extends IterationPlan.Loop {
    /// Does it once more with data to look for; how many elements arrived wrong here.
    long wrong();

    /// Gives back what it holds.
    default void close() {}
}
