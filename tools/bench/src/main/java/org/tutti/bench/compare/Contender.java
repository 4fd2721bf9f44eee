package org.tutti.bench.compare;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/// A measured implementation: an engine with a kind of memory, or a program in another language over a library.
interface Contender {
    /// Returns the contender's name in that test, which no other contender has.
    String name(CompareTest test);

    /// Whether this contender supports that test.
    boolean supports(CompareTest test);

    /// Executes one launch of new processes. Returns a value for each size: microseconds, MB/s, or seconds of
    /// start-up.
    ///
    /// @param sizes in bytes; for a kernel, one number of iterations, with the value in milliseconds
    /// @throws TrialException if it fails
    Map<Long, Double> run(CompareTest test, int ranks, List<Long> sizes)
            throws TrialException, IOException, InterruptedException;
}
