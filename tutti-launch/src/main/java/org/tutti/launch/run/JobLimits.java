package org.tutti.launch.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// When the launcher ends a job by itself, speaks up, or starts it anew.
///
/// @param timeout how long it may run; null for as long as it takes
/// @param stall how long nothing may move until the launcher says what ranks wait for; zero for never
/// @param stallAbort whether the job ends when it says so
/// @param maxRestarts how often all ranks are started anew after one of them failed
public record JobLimits(@Nullable Duration timeout, Duration stall, boolean stallAbort, int maxRestarts) {
    /// How long nothing may move until the launcher says so, if it is not told otherwise.
    public static final Duration STALL = Duration.ofSeconds(10);
}
