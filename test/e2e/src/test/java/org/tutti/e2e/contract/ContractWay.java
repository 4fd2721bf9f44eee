package org.tutti.e2e.contract;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The engine of the ranks, and whether the ranks are threads or processes.
enum ContractWay {
    SHM_THREADS("shm", null, List.of()),
    SHM_PROCESSES("shm", null, List.of("--engine", "shm")),
    OPEN_MPI("libmpi", "mpirun.openmpi", List.of("--engine", "libmpi", "--mpi", "openmpi")),
    MPICH("libmpi", "mpiexec.hydra", List.of("--engine", "libmpi", "--mpi", "mpich"));

    final String engine;
    final List<String> options;
    private final @Nullable String program;

    ContractWay(String engine, @Nullable String program, List<String> options) {
        this.engine = engine;
        this.program = program;
        this.options = options;
    }

    boolean isNative() {
        return program != null;
    }

    boolean inProcesses() {
        return this != SHM_THREADS;
    }

    /// Returns the reason why this machine cannot run jobs in this way, or null.
    @Nullable
    String missing() {
        if (program == null) return null;
        boolean found = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
        return found ? null : program + " is not installed";
    }
}
