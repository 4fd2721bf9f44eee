package org.tutti.spi;

import java.util.List;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.status.JobStatus;

/// Creates an engine. Implementations are services, which are declared in module-info and in META-INF/services.
public interface EngineProvider {
    /// Returns the value of `--engine` and `TUTTI_ENGINE` that selects this engine: `shm` or `libmpi`.
    String name();

    /// Joins the job of `environment`. Called once per process.
    Engine open(RankEnvironment environment);

    /// An engine that can be used in a JVM that was not started as a rank: the threads of the JVM are all ranks,
    /// or the JVM is rank 0, and the other ranks are processes that the JVM has started.
    interface Local extends EngineProvider {
        /// Returns one engine per rank, each for a separate thread.
        List<? extends Engine> openLocal(int size);

        /// Returns the engine of rank 0 of a job whose other ranks are processes. A failure of the job does not
        /// end this process.
        Engine openHost(JobStatus status);
    }

    /// An engine with memory in which groups of processes of this machine connect, in addition to the job's
    /// engine.
    interface Connecting extends EngineProvider {
        /// Creates memory with the lifetime of this process.
        ///
        /// @throws Fault `ERR_NO_MEM` if the memory is not sufficient, `ERR_PORT` if no other process could
        ///     attach it
        ConnectionMemory createRendezvous();

        /// Attaches the memory of a different process, which must be alive.
        ///
        /// @param address the result of [ConnectionMemory#address] in that process
        /// @throws Fault `ERR_PORT` if the memory does not exist on this machine
        ConnectionMemory attachRendezvous(String address);

        /// Returns the distinct values that processes of this user have published under this key, in no
        /// particular order; see [NameService#publish].
        List<String> published(String key);
    }
}
