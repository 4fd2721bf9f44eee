package org.tutti.serve.job;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Where a job is in its life.
public enum JobState {
    QUEUED,
    RUNNING,
    DONE,
    FAILED,
    CANCELLED,
    /// The service ended while it ran; what became of it is not known.
    LOST;

    public boolean isFinal() {
        return this != QUEUED && this != RUNNING;
    }

    /// As clients see it.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Null when there is none.
    public static @Nullable JobState of(String word) {
        for (JobState state : values()) if (state.word().equals(word)) return state;
        return null;
    }
}
