package org.tutti.spi;

import java.util.List;
import org.tutti.job.environment.RankEnvironment;

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

    /// Memory of this machine in which groups of processes meet that have no other in common: a third power that an
    /// engine may have, also beside another engine that a job runs on.
    interface Meeting extends EngineProvider {
        /// New memory of this process's.
        ///
        /// @throws Fault `ERR_NO_MEM` when there is no room, `ERR_PORT` where no other process could attach it
        ConnectionMemory createMeeting();

        /// That of another process, which lives.
        ///
        /// @param address as [ConnectionMemory#address] says it there
        /// @throws Fault `ERR_PORT` when there is no such memory, or not on this machine
        ConnectionMemory attachMeeting(String address);

        /// What processes of this user have published by this key in memory of theirs, as [NameService#publish]:
        /// different values, in no order.
        List<String> published(String key);
    }
}
