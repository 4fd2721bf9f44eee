package org.tutti.bench.compare;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/// Somebody who is measured: an engine with a kind of memory, or a program in another language on a library.
interface Contender {
    /// What all of them are told apart by in that test.
    String name(CompareTest test);

    /// Whether it can be measured by that test.
    boolean knows(CompareTest test);

    /// One launch of new processes: a value for each size, microseconds, MB/s, or of a start-up seconds.
    ///
    /// @param sizes bytes; of a kernel one number of iterations, for which the value is in milliseconds
    /// @throws TrialException if it does not work
    Map<Long, Double> run(CompareTest test, int ranks, List<Long> sizes)
            throws TrialException, IOException, InterruptedException;
}
