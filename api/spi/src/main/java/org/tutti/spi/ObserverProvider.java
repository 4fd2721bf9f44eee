package org.tutti.spi;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.RankProcess;

/// A service that watches ranks.
public interface ObserverProvider {
    /// Of several observers, those with smaller numbers are nearer to the engine: the last before a call, the
    /// first after it.
    int layer();

    /// Begins to watch; null where there is nothing to do. All ranks of the job attach the same ones, in the same
    /// order.
    @Nullable
    Observer attach(Engine engine, RankEnvironment environment, RankProcess process);

    /// Returns what observes a job of threads; null where this provider does not.
    ///
    /// @param engines of all ranks
    /// @param end ends the job for the reason that it is given: a deadlock
    default @Nullable LocalJobObserver attachLocal(List<? extends Engine> engines, Consumer<String> end) {
        return null;
    }
}
