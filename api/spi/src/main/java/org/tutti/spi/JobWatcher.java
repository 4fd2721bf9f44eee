package org.tutti.spi;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;

/// A service that watches a job from inside: one that another launcher than Tutti's has started, or whose ranks are
/// threads.
public interface JobWatcher {
    /// Watches the ranks of `status`, all of them on this machine, from a separate thread, until the result is closed.
    ///
    /// @param say prints a line
    /// @param end ends the job, for the reason that it is given
    Watch watch(JobStatus status, Consumer<String> say, Consumer<String> end);

    /// A job that is watched.
    interface Watch extends AutoCloseable {
        /// The first collective call that ranks have called differently, as a sentence; null if there is none.
        @Nullable
        String difference();

        @Override
        void close();
    }
}
