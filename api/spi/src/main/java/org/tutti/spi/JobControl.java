package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// How a rank's part in the job ends, and how the job does.
public interface JobControl {
    /// This rank is done, cleanly: it will start nothing more. Local; waits for nobody.
    void leave();

    /// Ends the job, all its ranks, with `code`. Never returns normally when the rank is a process.
    void abort(int code, String why);

    /// The job has failed: every later call of this rank throws `why`, unless it had failed before.
    void fail(Fault why);

    /// What every later call throws, once the job has failed; null while it has not.
    @Nullable
    RuntimeException poison();
}
