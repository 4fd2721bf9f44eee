package org.tutti.spi;

import org.jspecify.annotations.Nullable;

/// Observes a job whose ranks are threads of this process, from its start to [#close].
public interface LocalJobObserver extends AutoCloseable {
    /// The observer of a rank's calls.
    Observer observer(int rank);

    /// `thread` is the rank from now on. Before its first call.
    void runs(int rank, Thread thread);

    /// The rank has failed.
    void failed(int rank, Throwable why);

    /// The first collective call that ranks have called differently, as a sentence; null if there is none.
    @Nullable
    String difference();

    /// Ends the observation: no report comes anymore.
    @Override
    void close();
}
