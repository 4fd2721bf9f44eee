package org.tutti.serve.job;

import java.time.Duration;

/// What a service takes at most.
///
/// @param queue jobs that wait
/// @param resultBytes of a result, as JSON
/// @param outputBytes of what a job says; the oldest goes first
/// @param jobTime how long a job may run
/// @param kept jobs that have ended and are remembered
/// @param keptTime for how long they are
/// @param requests under way at once, readers of events not among them
/// @param readers of events
/// @param unreadTime for how long a reader of events may not read
/// @param wrongTokens in a second, until they are refused as too many
public record ServiceLimits(
        int queue,
        long resultBytes,
        long outputBytes,
        Duration jobTime,
        int kept,
        Duration keptTime,
        int requests,
        int readers,
        Duration unreadTime,
        int wrongTokens) {
    public static final ServiceLimits DEFAULTS = new ServiceLimits(
            100,
            64L << 20,
            16L << 20,
            Duration.ofHours(1),
            1000,
            Duration.ofDays(7),
            256,
            1024,
            Duration.ofSeconds(10),
            10);

    public ServiceLimits jobTime(Duration time) {
        return new ServiceLimits(
                queue, resultBytes, outputBytes, time, kept, keptTime, requests, readers, unreadTime, wrongTokens);
    }
}
