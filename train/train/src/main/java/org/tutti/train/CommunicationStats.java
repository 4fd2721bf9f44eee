package org.tutti.train;

/// The time that communication has taken in a [DistributedDataParallel] so far, on this rank.
public final class CommunicationStats {
    /// The statistics before the first step.
    public static final CommunicationStats NONE = new CommunicationStats(0, 0, 0);

    private final long steps;
    private final long communicationNanos;
    private final long exposedNanos;

    private CommunicationStats(long steps, long communicationNanos, long exposedNanos) {
        this.steps = steps;
        this.communicationNanos = communicationNanos;
        this.exposedNanos = exposedNanos;
    }

    /// Returns statistics with these values, for a loop that does not use [DistributedDataParallel] and for
    /// tests.
    public static CommunicationStats of(long steps, long communicationNanos, long exposedNanos) {
        return new CommunicationStats(steps, communicationNanos, exposedNanos);
    }

    /// Returns the number of steps that have called [DistributedDataParallel.Step#sync].
    public long steps() {
        return steps;
    }

    /// Returns the sum, over all steps, of the time from the start of a step's first bucket to the end of the
    /// last bucket.
    public long communicationNanos() {
        return communicationNanos;
    }

    /// Returns the sum, over all steps, of the time from the call of [DistributedDataParallel.Step#sync] to the
    /// end of the last bucket. During this time, the program does not compute.
    public long exposedNanos() {
        return exposedNanos;
    }

    @Override
    public String toString() {
        return "CommunicationStats[steps=" + steps + ", communicationNanos=" + communicationNanos + ", exposedNanos="
                + exposedNanos + "]";
    }
}
