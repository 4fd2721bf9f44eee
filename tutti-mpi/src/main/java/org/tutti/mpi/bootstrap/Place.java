package org.tutti.mpi.bootstrap;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;

/// Where this process stands in its job, by the environment its launcher gave it.
///
/// @param localRank the how-manieth rank of this machine it is
/// @param engine the engine that was asked for, or that the launcher needs
/// @param job where the job's file is, under Tutti's launcher
/// @param libmpi the native library that was asked for: a path, `openmpi` or `mpich`
public record Place(
        int rank,
        int size,
        int localRank,
        int localSize,
        Launcher launcher,
        String engine,
        @Nullable String job,
        @Nullable String libmpi) {

    /// Who started the process.
    public enum Launcher {
        NONE("no launcher"),
        TUTTI("tutti run"),
        OPEN_MPI("Open MPI's mpirun"),
        HYDRA("MPICH's mpiexec");

        private final String words;

        Launcher(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    public static final String RANK = "TUTTI_RANK";
    public static final String SIZE = "TUTTI_SIZE";
    public static final String ENGINE = "TUTTI_ENGINE";
    public static final String JOB = "TUTTI_JOB";

    /// The machine whose processes `TUTTI_JOB` speaks of; not set where all ranks are on it.
    public static final String JOB_HOST = "TUTTI_JOB_HOST";

    public static final String LIBMPI = "TUTTI_LIBMPI";

    /// The how-manieth rank of this machine a process is, and how many there are: for programs.
    public static final String LOCAL_RANK = "TUTTI_LOCAL_RANK";

    public static final String LOCAL_SIZE = "TUTTI_LOCAL_SIZE";

    /// The cores that all ranks of this machine have together, as the rank that has least sees it.
    public static final String CORES = "TUTTI_CORES";

    /// The world ranks that are Java's, as in `0,2-3`; not set where all are.
    public static final String JAVA_RANKS = "TUTTI_JAVA_RANKS";

    public static final String SHM = "shm";
    public static final String NATIVE = "libmpi";

    /// By this process's environment.
    public static Place current() {
        return of(System.getenv());
    }

    /// Where Open MPI's mpirun, when it started this process, says that its library is; null when it does
    /// not say.
    public static @Nullable String openMpiLibraryDirectory() {
        return System.getenv("OMPI_LIBDIR_LOC");
    }

    /// Whether the job's file can be reached: not on another machine than the launcher's.
    static boolean jobIsHere() {
        String host = System.getenv(JOB_HOST);
        return host == null || host.equals(Host.name());
    }

    /// By an environment.
    ///
    /// Over a native MPI's launcher, Tutti's gives its names to programs, too; the place is the native
    /// one's then.
    public static Place of(Map<String, String> env) {
        Place tutti = read(env, Launcher.TUTTI, RANK, SIZE, LOCAL_RANK, LOCAL_SIZE);
        Place openMpi = read(
                env,
                Launcher.OPEN_MPI,
                "OMPI_COMM_WORLD_RANK",
                "OMPI_COMM_WORLD_SIZE",
                "OMPI_COMM_WORLD_LOCAL_RANK",
                "OMPI_COMM_WORLD_LOCAL_SIZE");
        Place hydra = read(env, Launcher.HYDRA, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS");
        Place outer = openMpi != null ? openMpi : hydra;
        if (tutti != null && (outer == null || !NATIVE.equals(env.get(ENGINE)))) return tutti;
        if (openMpi != null && hydra != null && openMpi.size != hydra.size) {
            throw contradiction("OMPI_COMM_WORLD_SIZE", openMpi.size, "PMI_SIZE", hydra.size);
        }
        if (tutti != null && outer != null && tutti.size != outer.size) {
            String name = openMpi != null ? "OMPI_COMM_WORLD_SIZE" : "PMI_SIZE";
            throw contradiction(SIZE, tutti.size, name, outer.size);
        }
        if (outer != null) return outer;
        return new Place(0, 1, 0, 1, Launcher.NONE, env.getOrDefault(ENGINE, SHM), env.get(JOB), env.get(LIBMPI));
    }

    private static MpiException contradiction(String name, int size, String otherName, int otherSize) {
        return MpiException.job(
                ErrorClass.ERR_OTHER,
                "init",
                "two launchers contradict each other: " + name + "=" + size + " but " + otherName + "=" + otherSize
                        + "; unset the variables of the one that did not start this process",
                null);
    }

    private static @Nullable Place read(
            Map<String, String> env, Launcher launcher, String rank, String size, String localRank, String localSize) {
        if (!env.containsKey(rank) && !env.containsKey(size)) return null;
        int n = number(env, size, 1, Integer.MAX_VALUE, launcher);
        int r = number(env, rank, 0, n - 1, launcher);
        int ln = env.containsKey(localSize) ? number(env, localSize, 1, n, launcher) : 1;
        int lr = env.containsKey(localRank) ? number(env, localRank, 0, ln - 1, launcher) : 0;
        String engine = env.getOrDefault(ENGINE, launcher == Launcher.TUTTI ? SHM : NATIVE);
        return new Place(r, n, lr, ln, launcher, engine, env.get(JOB), env.get(LIBMPI));
    }

    private static int number(Map<String, String> env, String name, int low, int high, Launcher launcher) {
        String text = env.get(name);
        try {
            int value = Integer.parseInt(String.valueOf(text).strip());
            if (value >= low && value <= high) return value;
        } catch (NumberFormatException e) {
            // said below
        }
        throw MpiException.job(
                ErrorClass.ERR_OTHER,
                "init",
                name + "=" + text + " in the environment of " + launcher + " is no number from " + low + " to " + high,
                null);
    }
}
