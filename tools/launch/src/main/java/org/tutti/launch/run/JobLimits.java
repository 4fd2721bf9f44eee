package org.tutti.launch.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The limits at which the launcher ends, reports on, or restarts a job.
///
/// @param timeout the longest run time, of all tries together; null for unlimited
/// @param stall the time without progress after which the launcher reports a stall; zero for never
/// @param stallAbort whether a stall ends the job
/// @param grace how long ranks may run after a signal that ends the job; zero to end the ranks in the same way
///     as after a failure
/// @param maxRestarts the maximum number of restarts of all ranks after a failure
public record JobLimits(
        @Nullable Duration timeout, Duration stall, boolean stallAbort, Duration grace, int maxRestarts) {
    /// The default of the time without progress after which the launcher reports a stall.
    public static final Duration STALL = Duration.ofSeconds(10);

    /// The default time that ranks may run after a signal.
    public static final Duration GRACE = Duration.ofSeconds(30);
}
