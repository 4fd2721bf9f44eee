package org.tutti.spi;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.RankProcess;

/// A service that observes ranks.
public interface ObserverProvider {
    /// Returns the position of the observer. Observers with smaller numbers are closer to the engine: they are
    /// notified last before a call, and first after it.
    int layer();

    /// Begins to observe a rank. Returns the observer; null if observation is not needed. All ranks of a job
    /// attach the same observers in the same order.
    @Nullable
    Observer attach(Engine engine, RankEnvironment environment, RankProcess process);

    /// Returns the observer of a job whose ranks are threads; null if this provider has none.
    ///
    /// @param engines the engines of all ranks
    /// @param end ends the job with the given reason, for example a deadlock
    default @Nullable LocalJobObserver attachLocal(List<? extends Engine> engines, Consumer<String> end) {
        return null;
    }
}
