package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// Ends a rank's part of the job, or the job.
public interface JobControl {
    /// Disconnects from the job after a normal end: this rank starts no further activity. Local; does not wait
    /// for other ranks.
    void leave();

    /// Ends the job and all ranks with the exit code `code`. Does not return if this rank is a process.
    void abort(int code, String why);

    /// Fails the job: every later call of this rank throws `why`. Has no effect if the job has already failed.
    void fail(Fault why);

    /// Returns the exception that every later call throws once the job has failed; null before that.
    @Nullable
    RuntimeException poison();
}
