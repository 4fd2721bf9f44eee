package org.tutti.spi;

import org.tutti.job.RankEnvironment;
import org.tutti.job.RankProcess;

/// A service that looks at what passes between the API and an engine, whichever it is: a recorder, a checker,
/// a tracer. It puts an engine of its own, a [ForwardingEngine], around the engine.
public interface Interceptor {
    /// Those with smaller numbers are nearer to the engine.
    int layer();

    /// The engine from now on; `engine` itself where there is nothing to do.
    Engine around(Engine engine, RankEnvironment place, RankProcess life);
}
