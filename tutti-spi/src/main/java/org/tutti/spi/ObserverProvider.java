package org.tutti.spi;

import org.jspecify.annotations.Nullable;
import org.tutti.job.RankEnvironment;
import org.tutti.job.RankProcess;

/// A service that watches ranks.
public interface ObserverProvider {
    /// Of several observers, those with smaller numbers are nearer to the engine: the last before a call, the
    /// first after it.
    int layer();

    /// Begins to watch; null where there is nothing to do. All ranks of the job attach the same ones, in the same
    /// order.
    @Nullable
    Observer attach(Engine engine, RankEnvironment environment, RankProcess process);
}
