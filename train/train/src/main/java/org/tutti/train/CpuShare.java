package org.tutti.train;

import java.util.OptionalInt;
import org.tutti.job.environment.Host;

/// Determines the share of the machine's cores that a rank should use.
public final class CpuShare {
    private CpuShare() {}

    /// Returns the number of threads that each operation of a tensor library should use, if `localSize` ranks
    /// share the machine. If each rank used one thread per core, the ranks would delay each other. Empty if the
    /// user has set `OMP_NUM_THREADS`.
    public static OptionalInt threads(int localSize) {
        if (System.getenv("OMP_NUM_THREADS") != null) return OptionalInt.empty();
        int seen = Runtime.getRuntime().availableProcessors();
        // tutti run has already set the JVM's processor count to the share
        return OptionalInt.of(Host.launcherCores() > 0 ? seen : Math.max(1, seen / localSize));
    }
}
