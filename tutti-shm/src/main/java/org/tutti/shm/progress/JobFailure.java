package org.tutti.shm.progress;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.MpiException;

/// That a job has failed, and how: what every later call of the ranks that share this object throws.
public final class JobFailure {
    private volatile @Nullable MpiException first;

    /// Notes a failure; the first one stands. Returns whether this was the first.
    public synchronized boolean tell(MpiException failure) {
        if (first != null) return false;
        first = failure;
        return true;
    }

    public @Nullable MpiException first() {
        return first;
    }

    /// Throws when the job has failed.
    public void check() {
        MpiException f = first;
        if (f != null) throw MpiException.again(f);
    }
}
