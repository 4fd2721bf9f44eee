package org.tutti.spi;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;

/// A service that watches a job from inside: a job started by a different launcher, or a job whose ranks are
/// threads.
public interface JobWatcher {
    /// Watches the ranks of `status`, which are all on this machine, from a separate thread until the result is
    /// closed.
    ///
    /// @param print prints a line
    /// @param end ends the job, with the given reason
    Watch watch(JobStatus status, Consumer<String> print, Consumer<String> end);

    /// A watched job.
    interface Watch extends AutoCloseable {
        /// Returns a sentence about the first collective call in which ranks differ; null if all calls agree.
        @Nullable
        String difference();

        @Override
        void close();
    }
}
