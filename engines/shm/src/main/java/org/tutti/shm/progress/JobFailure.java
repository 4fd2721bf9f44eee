package org.tutti.shm.progress;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.Fault;

/// The failure of the job. Every later call of the ranks that share this object throws this failure.
public final class JobFailure {
    private volatile @Nullable Fault first;

    /// Records a failure unless the job has already failed. Returns whether this is the first failure.
    public synchronized boolean report(Fault failure) {
        if (first != null) return false;
        first = failure;
        return true;
    }

    public @Nullable Fault first() {
        return first;
    }

    /// Throws the failure if the job has failed.
    public void check() {
        Fault f = first;
        if (f != null) throw f;
    }
}
