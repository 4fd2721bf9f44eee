package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// Observes a job with ranks as threads of this process, from the start of the job to [#close].
public interface LocalJobObserver extends AutoCloseable {
    /// Returns the observer of a rank's calls.
    Observer observer(int rank);

    /// Reports that `thread` executes the rank. Called before the rank's first call.
    void runs(int rank, Thread thread);

    /// Reports that the rank has failed.
    void failed(int rank, Throwable why);

    /// Returns a sentence about the first collective call in which ranks differ; null if all calls agree.
    @Nullable
    String difference();

    /// Ends the observation. Nothing is reported afterwards.
    @Override
    void close();
}
