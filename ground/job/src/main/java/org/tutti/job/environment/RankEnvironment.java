package org.tutti.job.environment;

import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/// Where this process stands in its job, by the environment its launcher gave it.
///
/// @param size how many ranks the job has; 0 where the launcher does not tell, but the library will
/// @param localRank its number among the ranks of this machine; 0 of 1 where the launcher does not tell
/// @param pmi how the launcher's processes find each other: what a native library must speak
/// @param engine the engine that was asked for, or that the launcher needs
/// @param job where the job's file is, under Tutti's launcher
/// @param libmpi the native library that was asked for: a path, `openmpi` or `mpich`
/// @param javaRanks the ranks of the world that are Java programs, where a part of the job is none; null when
///     nobody said so, and all are
/// @param told the variables that say all this, with their values, for errors
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
        String told) {

    /// Who started the process.
    public enum Launcher {
        NONE("no launcher"),
        TUTTI("tutti run"),
        OPEN_MPI("Open MPI's mpirun"),
        HYDRA("MPICH's mpiexec"),
        /// A step of a job: what a batch script or a shell of an allocation runs without it is none.
        SLURM("srun"),
        /// `prterun`, and others that tell only the rank.
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

    /// The process management interface by which a native library asks the launcher for the other ranks.
    public enum Pmi {
        /// None was seen.
        NONE,
        /// Open MPI's.
        PMIX,
        /// PMI-1 or PMI-2: MPICH's and its family's.
        PMI
    }

    public static final String RANK = "TUTTI_RANK";
    public static final String SIZE = "TUTTI_SIZE";
    public static final String ENGINE = "TUTTI_ENGINE";
    public static final String JOB = "TUTTI_JOB";

    /// The machine whose processes `TUTTI_JOB` speaks of; not set where all ranks are on it.
    public static final String JOB_HOST = "TUTTI_JOB_HOST";

    public static final String LIBMPI = "TUTTI_LIBMPI";

    /// A process's number among the ranks of this machine, and how many there are: for programs.
    public static final String LOCAL_RANK = "TUTTI_LOCAL_RANK";

    public static final String LOCAL_SIZE = "TUTTI_LOCAL_SIZE";

    /// The cores that all ranks of this machine have together, as the rank that has least sees it.
    public static final String CORES = "TUTTI_CORES";

    /// After how many seconds a wait without progress is reported, 0 for never; for ranks whose waits the
    /// launcher does not see.
    public static final String STALL = "TUTTI_STALL";

    /// Which ranks of a job with programs of other languages are Java's: `0,2-3`.
    public static final String JAVA_RANKS = "TUTTI_JAVA_RANKS";

    /// How many times the job was started anew after a failure: 0, 1, …
    public static final String RESTART = "TUTTI_RESTART";

    /// In place of `TUTTI_JOB` for ranks that `tutti run` starts on one of several nodes, which have no job
    /// in common: the file that they tell their ends to.
    public static final String NODE_JOB = "TUTTI_NODE_JOB";

    /// Of a rank that `Tutti.spawn` has started: the programs, from the outermost.
    public static final String SPAWNED = "TUTTI_SPAWNED";

    /// Of a rank that `Comm.spawn` has started: what its engine needs to meet the ranks that did.
    public static final String PARENT = "TUTTI_PARENT";

    /// Which of the job's programs a process runs: 0, 1, …
    public static final String PROGRAM = "TUTTI_PROGRAM";

    /// Rank 0 runs the program, the others are workers of its pool (`tutti run --pool`).
    public static final String POOL = "TUTTI_POOL";

    /// Every call is checked against the other ranks' (`tutti run --check`), not only some.
    public static final String CHECK = "TUTTI_CHECK";

    /// The directory for what ranks write down of their calls (`tutti run --profile`, `--trace`).
    public static final String CALLS = "TUTTI_CALLS";

    /// With it also of what their JVMs do (`tutti run --trace`).
    public static final String CALLS_OF_JVM = "TUTTI_CALLS_OF_JVM";

    /// The API of another MPI that the job's programs are written to, as `--with` names it: [#OPENMPI_JAVA]
    /// or [#MPJ].
    public static final String API = "TUTTI_API";

    /// A value of [#API]: Open MPI's Java bindings.
    public static final String OPENMPI_JAVA = "openmpi-java";

    /// A value of [#API]: MPJ Express.
    public static final String MPJ = "mpj";

    public static final String SHM = "shm";
    public static final String NATIVE = "libmpi";

    /// By this process's environment.
    public static RankEnvironment current() {
        return of(System.getenv());
    }

    /// Of one of the processes that the launcher watches on one of several nodes, among those of its node;
    /// null for any other. It is no rank of an MPI job: [#current] refuses it.
    public static @Nullable RankEnvironment onNode() {
        return LauncherDetection.onNode(System.getenv());
    }

    /// The programs that `Tutti.spawn` has started on the way to this process, divided by blanks; empty where
    /// none.
    public static String spawned() {
        return System.getenv().getOrDefault(SPAWNED, "");
    }

    /// What a process that `Comm.spawn` has started was told of its parents; null of any other.
    public static @Nullable String parent() {
        return System.getenv(PARENT);
    }

    /// Which of the job's programs this process runs; empty where nobody says so.
    public static OptionalInt program() {
        String number = System.getenv(PROGRAM);
        boolean isOne = number != null && number.matches("\\d{1,6}");
        return isOne ? OptionalInt.of(Integer.parseInt(number)) : OptionalInt.empty();
    }

    /// Whether only rank 0 runs the program.
    public static boolean isOfPool() {
        return System.getenv().containsKey(POOL);
    }

    /// Whether every call is to be checked.
    public static boolean checks() {
        return System.getenv().containsKey(CHECK);
    }

    /// Where this rank is to write down its calls; null where nobody wants to know.
    public static @Nullable Path calls() {
        String directory = System.getenv(CALLS);
        return directory == null ? null : Path.of(directory);
    }

    /// Whether to write down what its JVM does, too.
    public static boolean callsOfJvm() {
        return System.getenv().containsKey(CALLS_OF_JVM);
    }

    /// Whether the launcher says that ranks are on several machines.
    public static boolean isOnSeveralMachines() {
        return System.getenv().containsKey(JOB_HOST);
    }

    /// Where Open MPI's mpirun, when it started this process, says that its library is; null when it does not
    /// say.
    public static @Nullable String openMpiLibraryDirectory() {
        return System.getenv("OMPI_LIBDIR_LOC");
    }

    /// How many processes Open MPI's mpirun counts room for; empty where it does not say so, or starts more.
    public static OptionalInt openMpiSlots() {
        Map<String, String> env = System.getenv();
        String slots = env.get("OMPI_UNIVERSE_SIZE");
        boolean shares = "1".equals(env.get("OMPI_MCA_rmaps_base_oversubscribe"))
                || env.getOrDefault("OMPI_MCA_rmaps_base_mapping_policy", "").contains(":OVERSUBSCRIBE");
        if (slots == null || shares || !slots.matches("\\d{1,9}")) return OptionalInt.empty();
        return OptionalInt.of(Integer.parseInt(slots));
    }

    /// The descriptor on which a launcher that speaks PMI-1 listens to this process; -1 where there is none.
    public static int pmiDescriptor() {
        String descriptor = System.getenv("PMI_FD");
        return descriptor != null && descriptor.matches("\\d{1,6}") ? Integer.parseInt(descriptor) : -1;
    }

    /// Whether the job's file can be reached: not on another machine than the launcher's.
    public static boolean jobIsHere() {
        String host = System.getenv(JOB_HOST);
        return host == null || host.equals(Host.name());
    }

    /// By an environment.
    ///
    /// @throws JobException when it contradicts itself, with both sides
    public static RankEnvironment of(Map<String, String> env) {
        return LauncherDetection.place(env);
    }
}
