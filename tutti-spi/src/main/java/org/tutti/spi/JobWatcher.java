package org.tutti.spi;

import java.util.function.Consumer;
import org.tutti.job.JobStatus;

/// A service that watches a job from inside, where it was started by another launcher than Tutti's.
public interface JobWatcher {
    /// Watches the ranks of `status`, all of them on this machine, from a thread of its own, for as long
    /// as this process runs.
    ///
    /// @param say says a line
    /// @param end ends the job, for the reason that it is given
    void watch(JobStatus status, Consumer<String> say, Consumer<String> end);
}
