package org.tutti.train;

import java.util.OptionalInt;
import org.tutti.job.environment.Host;

/// The share of its machine's cores that a rank should use.
public final class CpuShare {
    private CpuShare() {}

    /// How many threads each operation of a tensor library should use, where so many ranks share the machine:
    /// two ranks with a thread for each core take turns at waiting for each other. Empty where the user has
    /// said it by `OMP_NUM_THREADS`.
    public static OptionalInt threads(int localSize) {
        if (System.getenv("OMP_NUM_THREADS") != null) return OptionalInt.empty();
        int seen = Runtime.getRuntime().availableProcessors();
        // tutti run has told the JVM already what its share is
        return OptionalInt.of(Host.coresTold() > 0 ? seen : Math.max(1, seen / localSize));
    }
}
