package org.tutti.serve.job;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The state of a job.
public enum JobState {
    QUEUED,
    RUNNING,
    DONE,
    FAILED,
    CANCELLED,
    /// The service ended while the job was running, or the job's file is damaged; the outcome is unknown.
    LOST;

    public boolean isFinal() {
        return this != QUEUED && this != RUNNING;
    }

    /// Returns the name that clients see.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Returns the state with this name; null if none.
    public static @Nullable JobState of(String word) {
        for (JobState state : values()) if (state.word().equals(word)) return state;
        return null;
    }
}
