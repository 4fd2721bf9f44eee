package org.tutti.job.environment;

import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment.Launcher;
import org.tutti.job.environment.RankEnvironment.Pmi;

/// Determines the launcher of this process from the environment variables of all known launchers.
///
///     tutti run ─┬─ shm ──▶ Tutti's variables            each source is read into LauncherVariables;
///                └─ libmpi ─▶ mpirun, mpiexec or srun     contradictory sources end the job
///     srun ──▶ mpirun's daemons, mpiexec's proxies ──▶ ranks: the inner launcher's variables, not the step's
///
/// After a wrong guess, every process would be rank 0 of 1 of a separate world: the job would compute wrong
/// results, and report success. Therefore a contradiction is an error, and the message names the two sources.
final class LauncherDetection {
    private static final LauncherVariables.Names TUTTI = new LauncherVariables.Names(
            RankEnvironment.RANK, RankEnvironment.SIZE, RankEnvironment.LOCAL_RANK, RankEnvironment.LOCAL_SIZE);
    private static final LauncherVariables.Names OPEN_MPI = new LauncherVariables.Names(
            OpenMpiVariables.RANK, OpenMpiVariables.SIZE, OpenMpiVariables.LOCAL_RANK, OpenMpiVariables.LOCAL_SIZE);
    private static final LauncherVariables.Names HYDRA =
            new LauncherVariables.Names("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS");

    /// Variables that only hydra sets. `srun --mpi=pmi2` sets `PMI_RANK` and `PMI_SIZE`, too.
    private static final String[] HYDRAS_OWN = {"MPI_LOCALRANKID", "MPI_LOCALNRANKS", "HYDI_CONTROL_FD"};

    private static final String PMIX_RANK = "PMIX_RANK", PMIX_NAMESPACE = "PMIX_NAMESPACE";
    private static final String SLURMS_NAMESPACE = "slurm.pmix.";

    private static final LauncherVariables.Names ON_NODE = new LauncherVariables.Names(
            TorchVariables.LOCAL_RANK,
            TorchVariables.LOCAL_WORLD_SIZE,
            TorchVariables.LOCAL_RANK,
            TorchVariables.LOCAL_WORLD_SIZE);

    private LauncherDetection() {}

    static RankEnvironment place(Map<String, String> env) {
        LauncherVariables tutti = LauncherVariables.read(env, Launcher.TUTTI, Pmi.NONE, TUTTI);
        boolean overNative = RankEnvironment.NATIVE.equals(env.get(RankEnvironment.ENGINE));
        LauncherVariables known = tutti;
        if (tutti == null || overNative) {
            // with TUTTI_NODE_JOB, a native launcher's variables describe Tutti's launcher, and not this
            // process
            LauncherVariables outer = env.containsKey(RankEnvironment.NODE_JOB) ? null : outer(env);
            if (tutti != null && outer != null && !tutti.agrees(outer))
                throw LauncherVariables.contradiction(tutti, outer);
            if (outer != null) known = outer;
        }
        // with Tutti's launcher, these variables are not checked: they are left over in the shell, or set by
        // Tutti
        if (tutti == null) checkTorch(env, known);
        if (known == null) known = new LauncherVariables(Launcher.NONE, Pmi.NONE, 0, 1, 0, 1, "");
        int size = known.size() == 0 && tutti != null ? tutti.size() : known.size();
        // a step with one task may be a shell that srun has started, so a process in such a step needs no
        // native library
        boolean embedded = switch (known.launcher()) {
            case NONE, TUTTI -> true;
            case SLURM -> size == 1;
            case OPEN_MPI, HYDRA, PMIX -> false;
        };
        String java = env.get(RankEnvironment.JAVA_RANKS);
        SortedSet<Integer> javaRanks = java == null ? null : RankList.parse(RankEnvironment.JAVA_RANKS, java);
        return new RankEnvironment(
                known.rank(),
                size,
                known.localRank(),
                known.localSize(),
                known.launcher(),
                known.pmi(),
                env.getOrDefault(RankEnvironment.ENGINE, embedded ? RankEnvironment.SHM : RankEnvironment.NATIVE),
                env.get(RankEnvironment.JOB),
                env.get(RankEnvironment.LIBMPI),
                javaRanks,
                known.variables());
    }

    /// Returns the environment of a process that has the variable [RankEnvironment#NODE_JOB]; null for any
    /// other process.
    static @Nullable RankEnvironment onNode(Map<String, String> env) {
        String job = env.get(RankEnvironment.NODE_JOB);
        LauncherVariables read = job == null ? null : LauncherVariables.read(env, Launcher.TUTTI, Pmi.NONE, ON_NODE);
        if (read == null) return null;
        return new RankEnvironment(
                read.rank(),
                read.size(),
                read.localRank(),
                read.localSize(),
                Launcher.TUTTI,
                Pmi.NONE,
                RankEnvironment.SHM,
                job,
                null,
                null,
                read.variables());
    }

    /// Returns the information from the native launcher; null if no native launcher has started this process.
    private static @Nullable LauncherVariables outer(Map<String, String> env) {
        LauncherVariables openMpi = env.containsKey(OpenMpiVariables.ARE_TUTTIS)
                ? null
                : LauncherVariables.read(env, Launcher.OPEN_MPI, Pmi.PMIX, OPEN_MPI);
        LauncherVariables hydra = LauncherVariables.read(env, Launcher.HYDRA, Pmi.PMI, HYDRA);
        LauncherVariables step = SlurmStep.read(env);
        LauncherVariables pmix = pmix(env);
        boolean pmixOfSlurm = pmix != null && pmix.launcher() == Launcher.SLURM;
        if (openMpi != null) {
            if (hydra != null && !openMpi.agrees(hydra)) throw LauncherVariables.contradiction(openMpi, hydra);
            if (pmix != null && !openMpi.agrees(pmix)) throw LauncherVariables.contradiction(openMpi, pmix);
            if (pmixOfSlurm && step != null && !openMpi.agrees(step))
                throw LauncherVariables.contradiction(openMpi, step);
            return openMpi;
        }
        if (hydra != null) {
            for (String own : HYDRAS_OWN) if (env.containsKey(own)) return hydra;
            if (step == null) return hydra;
            if (!hydra.agrees(step)) throw LauncherVariables.contradiction(hydra, step);
            return step.as(Launcher.SLURM, Pmi.PMI);
        }
        if (step == null || pmix != null && !pmixOfSlurm) return pmix;
        if (pmix == null) return step;
        if (!step.agrees(pmix)) throw LauncherVariables.contradiction(step, pmix);
        return step.as(Launcher.SLURM, Pmi.PMIX);
    }

    /// Returns the information from a PMIx launcher. A PMIx server puts only the rank into the environment.
    private static @Nullable LauncherVariables pmix(Map<String, String> env) {
        if (!env.containsKey(PMIX_RANK) || !env.containsKey(PMIX_NAMESPACE)) return null;
        boolean slurm = env.getOrDefault(PMIX_NAMESPACE, "").startsWith(SLURMS_NAMESPACE);
        Launcher launcher = slurm ? Launcher.SLURM : Launcher.PMIX;
        int rank = LauncherVariables.number(env, PMIX_RANK, 0, Integer.MAX_VALUE, launcher);
        return new LauncherVariables(
                launcher, Pmi.PMIX, rank, 0, 0, 1, LauncherVariables.variables(env, PMIX_NAMESPACE, PMIX_RANK));
    }

    /// Throws if `WORLD_SIZE` is missing although `RANK` and a further variable of torchrun are set: these were
    /// set by torchrun, and without `WORLD_SIZE` the process would be rank 0 of 1.
    private static void checkHalfOfTorch(Map<String, String> env, @Nullable LauncherVariables known) {
        String rank = env.get(TorchVariables.RANK);
        if (known != null || rank == null || env.containsKey(TorchVariables.WORLD_SIZE)) return;
        if (!rank.matches("\\d{1,9}")) return;
        for (String other :
                List.of(TorchVariables.LOCAL_RANK, TorchVariables.LOCAL_WORLD_SIZE, TorchVariables.MASTER_ADDR)) {
            if (!env.containsKey(other)) continue;
            throw LauncherVariables.failure(LauncherVariables.variables(env, TorchVariables.RANK, other)
                    + " are torchrun's, but " + TorchVariables.WORLD_SIZE
                    + " is not set: this process would be rank 0 of"
                    + " 1; set it, or unset " + TorchVariables.RANK);
        }
    }

    /// Checks whether `RANK` and `WORLD_SIZE`, which together also describe a rank, contradict the launcher.
    /// The two are often set in shells that were used for PyTorch; `RANK` without `WORLD_SIZE` may have any
    /// meaning.
    private static void checkTorch(Map<String, String> env, @Nullable LauncherVariables known) {
        checkHalfOfTorch(env, known);
        int rank, size;
        try {
            rank = Integer.parseInt(env.getOrDefault(TorchVariables.RANK, ""));
            size = Integer.parseInt(env.getOrDefault(TorchVariables.WORLD_SIZE, ""));
        } catch (NumberFormatException e) {
            return;
        }
        String variables = LauncherVariables.variables(env, TorchVariables.RANK, TorchVariables.WORLD_SIZE);
        if (env.containsKey(RankEnvironment.NODE_JOB)) {
            throw LauncherVariables.failure(
                    variables + " of tutti run --nnodes: the nodes were started separately, and the ranks"
                            + " connect through ProcessGroup.init of org.tutti.train, not through MPI; for MPI on several machines start"
                            + " all nodes with one tutti run -H a,b");
        }
        String source = variables + " (set by torchrun, or left over in the shell)";
        if (known == null) {
            if (size <= 1) return;
            throw LauncherVariables.failure(
                    source + " describe this process as one of " + size + " ranks, but no launcher known to Tutti"
                            + " started this process: it would be rank 0 of 1; unset RANK and WORLD_SIZE, and start more"
                            + " ranks with tutti run -n " + size
                            + ", or connect ranks through ProcessGroup.init of org.tutti.train");
        }
        if (rank == known.rank() && (size == known.size() || known.size() == 0)) return;
        throw LauncherVariables.failure(source + " contradict " + known.variables() + " of " + known.launcher()
                + "; unset RANK and WORLD_SIZE");
    }
}
