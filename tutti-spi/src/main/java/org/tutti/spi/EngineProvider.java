package org.tutti.spi;

import java.util.List;
import org.tutti.job.RankEnvironment;

/// How an engine is found: a service, declared in module-info and in META-INF/services.
public interface EngineProvider {
    /// `shm`, `libmpi`: what `--engine` and `TUTTI_ENGINE` say.
    String name();

    /// Joins the job at `environment`. Called once per process.
    Engine open(RankEnvironment environment);

    /// Ranks as threads of this JVM: a second power that an engine may have.
    interface Local extends EngineProvider {
        /// One engine per rank, each for a thread of its own.
        List<? extends Engine> openLocal(int size);
    }
}
