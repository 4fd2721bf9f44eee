package org.tutti.e2e.job;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/// What a job runs over.
public enum Way {
    SHM("TUTTI_RANK"),
    OPEN_MPI("OMPI_COMM_WORLD_RANK", "openmpi", "mpirun.openmpi"),
    MPICH("PMI_RANK", "mpich", "mpiexec.hydra");

    private final List<String> options;
    private final String launcher;

    /// Where its launcher tells a process which rank it is.
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

    /// What `--mpi` and `TUTTI_LIBMPI` call it; of a native way only.
    public String library() {
        return options.getLast();
    }

    /// What makes `tutti run` take it.
    public List<String> options() {
        return options;
    }

    public boolean isNative() {
        return this != SHM;
    }

    /// The library's own launcher; of a native way only.
    public String launcher() {
        return launcher;
    }

    /// Those of which a test needs at most one.
    public static List<Way> natives() {
        return List.of(OPEN_MPI, MPICH);
    }

    /// Skips the test, and says why, on a machine without it; fails it in CI, where nothing may be skipped.
    /// `-Dtutti.ways=SHM,MPICH` skips it over the others, for drafts.
    public void require() {
        if (!isAsked()) skip("-Dtutti.ways leaves it out");
        if (!isNative()) return;
        need(isOnPath(launcher), launcher + " is not installed");
    }

    /// The same of a test that tries all ways at once and does with those that there are.
    public boolean isHere() {
        return isAsked() && (!isNative() || isOnPath(launcher));
    }

    private boolean isAsked() {
        String asked = System.getProperty("tutti.ways", toString());
        return List.of(asked.split(",")).contains(toString());
    }

    /// Skips the test because of what the machine lacks; in CI that is a failure.
    public static void need(boolean given, String because) {
        if (given) return;
        if ("true".equals(System.getenv("CI"))) throw new AssertionError("nothing is skipped in CI, but " + because);
        skip(because);
    }

    /// The same because of what this user may not do on it, in CI, too.
    public static void skip(String because) {
        Assumptions.abort("skipped, because " + because);
    }

    public static boolean isOnPath(String command) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, command)));
    }

    /// `run -n RANKS` and what makes it run here.
    public List<String> run(int ranks) {
        List<String> words = new ArrayList<>(List.of("run", "-n", Integer.toString(ranks)));
        words.addAll(options);
        return words;
    }
}
