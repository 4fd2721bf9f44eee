package org.tutti.shm.progress;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.Fault;

/// The failure of the job. Every later call of the ranks that share this object throws it.
public final class JobFailure {
    private volatile @Nullable Fault first;

    /// Records a failure unless there already is one. Returns whether this was the first.
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
