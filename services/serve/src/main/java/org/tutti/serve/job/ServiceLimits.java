package org.tutti.serve.job;

import java.time.Duration;

/// Limits of a service. Each value is a maximum.
///
/// @param queue waiting jobs
/// @param resultBytes size of a result, as JSON
/// @param outputBytes size of a job's events; the oldest are deleted first
/// @param jobTime run time of a job
/// @param kept number of ended jobs to retain
/// @param keptTime time for which these jobs are retained
/// @param requests number of concurrent requests, not counting readers of events
/// @param readers concurrent readers of events
/// @param unreadTime time for which a client may leave an answer unread
/// @param wrongTokens wrong tokens per second; above this number, status 429
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
