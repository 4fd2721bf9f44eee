package org.tutti.shm.progress;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.Fault;

/// That a job has failed, and how: what every later call of the ranks that share this object throws.
public final class JobFailure {
    private volatile @Nullable Fault first;

    /// Notes a failure; the first one stands. Returns whether this was the first.
    public synchronized boolean tell(Fault failure) {
        if (first != null) return false;
        first = failure;
        return true;
    }

    public @Nullable Fault first() {
        return first;
    }

    /// Throws when the job has failed.
    public void check() {
        Fault f = first;
        if (f != null) throw f;
    }
}
