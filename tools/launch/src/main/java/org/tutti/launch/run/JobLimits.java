package org.tutti.launch.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// When the launcher ends a job by itself, speaks up, or starts it anew.
///
/// @param timeout how long it may run; null for as long as it takes
/// @param stall how long nothing may move until the launcher says what ranks wait for; zero for never
/// @param stallAbort whether the job ends when it says so
/// @param grace how long ranks may run after a signal that ends the job; zero to end them as after a failure
/// @param maxRestarts how often all ranks are started anew after one of them failed
public record JobLimits(
        @Nullable Duration timeout, Duration stall, boolean stallAbort, Duration grace, int maxRestarts) {
    /// How long nothing may move until the launcher says so, if it is not told otherwise.
    public static final Duration STALL = Duration.ofSeconds(10);

    /// How long ranks may run after a signal, if the user does not say so.
    public static final Duration GRACE = Duration.ofSeconds(30);
}
