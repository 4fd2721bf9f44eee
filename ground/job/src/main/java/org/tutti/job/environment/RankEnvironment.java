package org.tutti.job.environment;

import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/// The rank of this process in the job, according to the environment that the launcher has set.
///
/// @param size the number of ranks of the job; 0 if only the library can determine it
/// @param localRank the number of the rank on this machine; if unknown, 0, and `localSize` is 1
/// @param pmi the interface by which processes exchange addresses; a native library must support it
/// @param engine the engine that was requested, or that the launcher requires
/// @param job the path of the job's file, if Tutti's launcher has started this process
/// @param libmpi the native library that was requested: a path, a library name, `openmpi`, `mpich` or `abi`
/// @param javaRanks the ranks of the world that are Java programs; null if all ranks are
/// @param variables the variables that were read, with their values, for error messages
public record RankEnvironment(
        int rank,
        int size,
        int localRank,
        int localSize,
        Launcher launcher,
        Pmi pmi,
        String engine,
        @Nullable String job,
        @Nullable String libmpi,
        @Nullable SortedSet<Integer> javaRanks,
        String variables) {

    /// The program that started the process.
    public enum Launcher {
        NONE("no launcher"),
        TUTTI("tutti run"),
        OPEN_MPI("Open MPI's mpirun"),
        HYDRA("MPICH's mpiexec"),
        /// A task of a job step. Programs that a batch script or an allocation's shell runs without `srun` are
        /// not tasks.
        SLURM("srun"),
        /// `prterun`, and other launchers that only set the rank.
        PMIX("a PMIx launcher");

        private final String words;

        Launcher(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /// The process management interface by which a native library obtains the other ranks from the launcher.
    public enum Pmi {
        /// No interface was detected.
        NONE,
        /// Used by Open MPI.
        PMIX,
        /// PMI-1 or PMI-2: used by MPICH and derived libraries.
        PMI
    }

    public static final String RANK = "TUTTI_RANK";
    public static final String SIZE = "TUTTI_SIZE";
    public static final String ENGINE = "TUTTI_ENGINE";
    public static final String JOB = "TUTTI_JOB";

    /// The machine on which `TUTTI_JOB` is valid; not set if all ranks are on one machine.
    public static final String JOB_HOST = "TUTTI_JOB_HOST";

    public static final String LIBMPI = "TUTTI_LIBMPI";

    /// The number of a rank on this machine, and the number of ranks on this machine. Programs may read these
    /// variables, too.
    public static final String LOCAL_RANK = "TUTTI_LOCAL_RANK";

    public static final String LOCAL_SIZE = "TUTTI_LOCAL_SIZE";

    /// The number of cores of all ranks of this machine together: the number of cores of the machine or, if ranks
    /// are bound and this is less, the number of ranks multiplied by the smallest CPU share of a rank.
    public static final String CORES = "TUTTI_CORES";

    /// The number of seconds after which a wait without progress is reported, or 0 for never. It is for ranks
    /// whose waits the launcher cannot read.
    public static final String STALL = "TUTTI_STALL";

    /// The Java ranks of a job with programs in other languages, for example `0,2-3`.
    public static final String JAVA_RANKS = "TUTTI_JAVA_RANKS";

    /// The number of restarts of the job after failures: 0, 1, …
    public static final String RESTART = "TUTTI_RESTART";

    /// The variable that replaces `TUTTI_JOB` for ranks that `tutti run` starts on one of several nodes,
    /// because such ranks have no common job file. It names the file in which these ranks report how they have
    /// ended.
    public static final String NODE_JOB = "TUTTI_NODE_JOB";

    /// For a rank that `Tutti.spawn` has started: the chain of programs in which each has spawned the next,
    /// starting with the outermost.
    public static final String SPAWNED = "TUTTI_SPAWNED";

    /// For a rank that `Comm.spawn` has started: the information with which the engine connects to the parent
    /// ranks.
    public static final String PARENT = "TUTTI_PARENT";

    /// The number of the job's program that a process runs: 0, 1, …
    public static final String PROGRAM = "TUTTI_PROGRAM";

    /// States that rank 0 runs the program, and the other ranks are workers of a pool (`tutti run --pool`).
    public static final String POOL = "TUTTI_POOL";

    /// A value of [#POOL], which states that rank 0 is an application that has started the workers
    /// (`RankPool.processes`).
    public static final String OF_APPLICATION = "application";

    /// States that all calls, and not only some, are compared with the calls of the other ranks (`tutti run
    /// --check`).
    public static final String CHECK = "TUTTI_CHECK";

    /// The directory for the ranks' call logs (`tutti run --profile`, `--trace`).
    public static final String CALLS = "TUTTI_CALLS";

    /// States that events of the JVMs are recorded, too (`tutti run --trace`).
    public static final String CALLS_OF_JVM = "TUTTI_CALLS_OF_JVM";

    /// The MPI API for which the job's programs are written, as in `--with`: [#OPENMPI_JAVA] or [#MPJ].
    public static final String API = "TUTTI_API";

    /// A value of [#API]: Open MPI's Java bindings.
    public static final String OPENMPI_JAVA = "openmpi-java";

    /// A value of [#API]: MPJ Express.
    public static final String MPJ = "mpj";

    public static final String SHM = "shm";
    public static final String NATIVE = "libmpi";

    /// Returns the environment of this process.
    public static RankEnvironment current() {
        return of(System.getenv());
    }

    /// Returns the rank on the node, for a process that the launcher supervises on one of several nodes; null
    /// for any other process. Such a process is not a rank of an MPI job, so [#current] throws for it.
    public static @Nullable RankEnvironment onNode() {
        return LauncherDetection.onNode(System.getenv());
    }

    /// Returns the chain of programs that `Tutti.spawn` has started up to this process, separated by blanks; an
    /// empty string if this process was not spawned.
    public static String spawned() {
        return System.getenv().getOrDefault(SPAWNED, "");
    }

    /// Returns the information about the parents of a process started by `Comm.spawn`; null for any other
    /// process.
    public static @Nullable String parent() {
        return System.getenv(PARENT);
    }

    /// Returns the number of the job's program that this process runs; empty if the number is unknown.
    public static OptionalInt program() {
        String number = System.getenv(PROGRAM);
        boolean isOne = number != null && number.matches("\\d{1,6}");
        return isOne ? OptionalInt.of(Integer.parseInt(number)) : OptionalInt.empty();
    }

    /// Returns whether only rank 0 runs the program.
    public static boolean isOfPool() {
        return System.getenv().containsKey(POOL);
    }

    /// Returns whether this process is a worker that an application has started.
    public static boolean isOfApplication() {
        return OF_APPLICATION.equals(System.getenv(POOL));
    }

    /// Returns whether every call is compared with the calls of the other ranks.
    public static boolean checks() {
        return System.getenv().containsKey(CHECK);
    }

    /// Returns the directory for call logs; null if no call logs are written.
    public static @Nullable Path calls() {
        String directory = System.getenv(CALLS);
        return directory == null ? null : Path.of(directory);
    }

    /// Returns whether events of the JVM are recorded, too.
    public static boolean callsOfJvm() {
        return System.getenv().containsKey(CALLS_OF_JVM);
    }

    /// Returns whether ranks are on several machines, according to the launcher.
    public static boolean isOnSeveralMachines() {
        return System.getenv().containsKey(JOB_HOST);
    }

    /// Returns the directory of Open MPI's library, according to the mpirun that started this process; null if
    /// unknown.
    public static @Nullable String openMpiLibraryDirectory() {
        return System.getenv("OMPI_LIBDIR_LOC");
    }

    /// Returns the number of slots of Open MPI's mpirun; empty if the number is unknown, or if mpirun may start
    /// more processes than it has slots.
    public static OptionalInt openMpiSlots() {
        Map<String, String> env = System.getenv();
        String slots = env.get("OMPI_UNIVERSE_SIZE");
        boolean shares = "1".equals(env.get("OMPI_MCA_rmaps_base_oversubscribe"))
                || env.getOrDefault("OMPI_MCA_rmaps_base_mapping_policy", "").contains(":OVERSUBSCRIBE");
        if (slots == null || shares || !slots.matches("\\d{1,9}")) return OptionalInt.empty();
        return OptionalInt.of(Integer.parseInt(slots));
    }

    /// Returns the descriptor on which a PMI-1 launcher communicates with this process; -1 if there is no such
    /// launcher.
    public static int pmiDescriptor() {
        String descriptor = System.getenv("PMI_FD");
        return descriptor != null && descriptor.matches("\\d{1,6}") ? Integer.parseInt(descriptor) : -1;
    }

    /// Returns whether the job's file is accessible, which requires a launcher on this machine.
    public static boolean jobIsHere() {
        String host = System.getenv(JOB_HOST);
        return host == null || host.equals(Host.name());
    }

    /// Reads an environment.
    ///
    /// @throws JobException if two sources contradict each other; the message names the two sources
    public static RankEnvironment of(Map<String, String> env) {
        return LauncherDetection.place(env);
    }
}
