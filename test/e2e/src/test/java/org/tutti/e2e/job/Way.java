package org.tutti.e2e.job;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/// The engine of a job, and the MPI library for the native engine.
public enum Way {
    SHM("TUTTI_RANK"),
    OPEN_MPI("OMPI_COMM_WORLD_RANK", "openmpi", "mpirun.openmpi"),
    MPICH("PMI_RANK", "mpich", "mpiexec.hydra");

    private final List<String> options;
    private final String launcher;

    /// The environment variable that contains the rank of a process.
    public final String rankVariable;

    Way(String rankVariable) {
        this.rankVariable = rankVariable;
        options = List.of();
        launcher = "";
    }

    Way(String rankVariable, String mpi, String launcher) {
        this.rankVariable = rankVariable;
        options = List.of("--engine", "libmpi", "--mpi", mpi);
        this.launcher = launcher;
    }

    /// Returns the library's name in `--mpi` and `TUTTI_LIBMPI`. Only for MPI libraries.
    public String library() {
        return options.getLast();
    }

    /// Returns the options of `tutti run` that select this engine and library.
    public List<String> options() {
        return options;
    }

    public boolean isNative() {
        return this != SHM;
    }

    /// Returns the launcher of the library. Only for MPI libraries.
    public String launcher() {
        return launcher;
    }

    /// Returns the MPI libraries.
    public static List<Way> natives() {
        return List.of(OPEN_MPI, MPICH);
    }

    /// Skips the test with the reason if the library is not installed; in CI, where tests may not be skipped,
    /// fails it. `-Dtutti.ways=SHM,MPICH` skips tests over other libraries, for draft builds.
    public void require() {
        if (!isRequested()) skip("-Dtutti.ways excludes it");
        if (!isNative()) return;
        need(isOnPath(launcher), launcher + " is not installed");
    }

    /// Returns whether jobs can run over this engine and library. For tests that cover all available libraries
    /// in one method.
    public boolean isHere() {
        return isRequested() && (!isNative() || isOnPath(launcher));
    }

    private boolean isRequested() {
        String requested = System.getProperty("tutti.ways", toString());
        return List.of(requested.split(",")).contains(toString());
    }

    /// Skips the test if the machine does not meet a requirement; in CI, fails it.
    public static void need(boolean given, String because) {
        if (given) return;
        if ("true".equals(System.getenv("CI"))) throw new AssertionError("CI must not skip tests, but " + because);
        skip(because);
    }

    /// Skips the test because this user lacks a permission; in CI, too.
    public static void skip(String because) {
        Assumptions.abort("skipped, because " + because);
    }

    public static boolean isOnPath(String command) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, command)));
    }

    /// Returns the arguments `run -n RANKS` and the options that select this engine and library.
    public List<String> run(int ranks) {
        List<String> arguments = new ArrayList<>(List.of("run", "-n", Integer.toString(ranks)));
        arguments.addAll(options);
        return arguments;
    }
}
