package org.tutti.bench.compare;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/// A measured implementation: Tutti with one engine and one kind of memory, or a program in C or Python that
/// uses an MPI library.
interface Contender {
    /// Returns the contender's name in `test`; no other contender has the same name in this test.
    String name(CompareTest test);

    /// Whether this contender supports that test.
    boolean supports(CompareTest test);

    /// Executes one launch of new processes. Returns a value for each size: microseconds, MB/s, or seconds of
    /// start-up.
    ///
    /// @param sizes message sizes in bytes; for a kernel, a single element that is the number of iterations,
    ///     and the result is in milliseconds
    /// @throws TrialException if it fails
    Map<Long, Double> run(CompareTest test, int ranks, List<Long> sizes)
            throws TrialException, IOException, InterruptedException;
}
