package org.tutti.job;

import java.util.Map;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.tutti.job.Place.Launcher;
import org.tutti.job.Place.Pmi;

/// Which launcher started this process, of all that its environment speaks of.
///
///     tutti run ─┬─ shm ──▶ its own word                   what each says is read into a Told;
///                └─ libmpi ─▶ mpirun, mpiexec or srun       those that cannot both be right end the job
///     srun ──▶ mpirun's daemons, mpiexec's proxies ──▶ ranks: the inner launcher's word, not the step's
///
/// A wrong guess makes every process rank 0 of 1 of its own world, which computes nonsense and succeeds; so a
/// contradiction is the end, with both sides in its text.
final class Surroundings {
    private static final Told.Names TUTTI = new Told.Names(Place.RANK, Place.SIZE, Place.LOCAL_RANK, Place.LOCAL_SIZE);
    private static final Told.Names OPEN_MPI = new Told.Names(
            "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
    private static final Told.Names HYDRA =
            new Told.Names("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS");

    /// Of hydra alone; `srun --mpi=pmi2` has the names of PMI, too.
    private static final String[] HYDRAS_OWN = {"MPI_LOCALRANKID", "MPI_LOCALNRANKS", "HYDI_CONTROL_FD"};

    private static final String PMIX_RANK = "PMIX_RANK", PMIX_NAMESPACE = "PMIX_NAMESPACE";
    private static final String SLURMS_NAMESPACE = "slurm.pmix.";

    private static final Told.Names ON_NODE = new Told.Names(
            TorchVariables.LOCAL_RANK,
            TorchVariables.LOCAL_WORLD_SIZE,
            TorchVariables.LOCAL_RANK,
            TorchVariables.LOCAL_WORLD_SIZE);

    private Surroundings() {}

    static Place place(Map<String, String> env) {
        Told tutti = Told.read(env, Launcher.TUTTI, Pmi.NONE, TUTTI);
        boolean overNative = Place.NATIVE.equals(env.get(Place.ENGINE));
        Told known = tutti;
        if (tutti == null || overNative) {
            // what started the launcher of this node did not start this process
            Told outer = env.containsKey(Place.NODE_JOB) ? null : outer(env);
            if (tutti != null && outer != null && !tutti.agrees(outer)) throw Told.contradiction(tutti, outer);
            if (outer != null) known = outer;
        }
        // what was left in the shell, or comes from Tutti itself
        if (tutti == null) checkTorch(env, known);
        if (known == null) known = new Told(Launcher.NONE, Pmi.NONE, 0, 1, 0, 1, "");
        int size = known.size() == 0 && tutti != null ? tutti.size() : known.size();
        // a shell that srun has started is a step of one task, and needs no native library
        boolean embedded = switch (known.launcher()) {
            case NONE, TUTTI -> true;
            case SLURM -> size == 1;
            case OPEN_MPI, HYDRA, PMIX -> false;
        };
        String java = env.get(Place.JAVA_RANKS);
        SortedSet<Integer> javaRanks = java == null ? null : RankList.parse(Place.JAVA_RANKS, java);
        return new Place(
                known.rank(),
                size,
                known.localRank(),
                known.localSize(),
                known.launcher(),
                known.pmi(),
                env.getOrDefault(Place.ENGINE, embedded ? Place.SHM : Place.NATIVE),
                env.get(Place.JOB),
                env.get(Place.LIBMPI),
                javaRanks,
                known.words());
    }

    /// Of a process that has [Place#NODE_JOB]; null for any other.
    static @Nullable Place onNode(Map<String, String> env) {
        String job = env.get(Place.NODE_JOB);
        Told told = job == null ? null : Told.read(env, Launcher.TUTTI, Pmi.NONE, ON_NODE);
        if (told == null) return null;
        return new Place(
                told.rank(),
                told.size(),
                told.localRank(),
                told.localSize(),
                Launcher.TUTTI,
                Pmi.NONE,
                Place.SHM,
                job,
                null,
                null,
                told.words());
    }

    /// The native launcher; null when there is none.
    private static @Nullable Told outer(Map<String, String> env) {
        Told openMpi = Told.read(env, Launcher.OPEN_MPI, Pmi.PMIX, OPEN_MPI);
        Told hydra = Told.read(env, Launcher.HYDRA, Pmi.PMI, HYDRA);
        Told step = SlurmStep.read(env);
        Told pmix = pmix(env);
        boolean pmixOfSlurm = pmix != null && pmix.launcher() == Launcher.SLURM;
        if (openMpi != null) {
            if (hydra != null && !openMpi.agrees(hydra)) throw Told.contradiction(openMpi, hydra);
            if (pmix != null && !openMpi.agrees(pmix)) throw Told.contradiction(openMpi, pmix);
            if (pmixOfSlurm && step != null && !openMpi.agrees(step)) throw Told.contradiction(openMpi, step);
            return openMpi;
        }
        if (hydra != null) {
            for (String own : HYDRAS_OWN) if (env.containsKey(own)) return hydra;
            if (step == null) return hydra;
            if (!hydra.agrees(step)) throw Told.contradiction(hydra, step);
            return step.as(Launcher.SLURM, Pmi.PMI);
        }
        if (step == null || pmix != null && !pmixOfSlurm) return pmix;
        if (pmix == null) return step;
        if (!step.agrees(pmix)) throw Told.contradiction(step, pmix);
        return step.as(Launcher.SLURM, Pmi.PMIX);
    }

    /// A server of PMIx tells only the rank in the environment.
    private static @Nullable Told pmix(Map<String, String> env) {
        if (!env.containsKey(PMIX_RANK) || !env.containsKey(PMIX_NAMESPACE)) return null;
        boolean slurm = env.getOrDefault(PMIX_NAMESPACE, "").startsWith(SLURMS_NAMESPACE);
        Launcher launcher = slurm ? Launcher.SLURM : Launcher.PMIX;
        int rank = Told.number(env, PMIX_RANK, 0, Integer.MAX_VALUE, launcher);
        return new Told(launcher, Pmi.PMIX, rank, 0, 0, 1, Told.words(env, PMIX_NAMESPACE, PMIX_RANK));
    }

    /// `RANK` and `WORLD_SIZE` together name a place, too. They are in many shells that have once been
    /// used for PyTorch; `RANK` alone may be anything.
    private static void checkTorch(Map<String, String> env, @Nullable Told known) {
        int rank, size;
        try {
            rank = Integer.parseInt(env.getOrDefault(TorchVariables.RANK, ""));
            size = Integer.parseInt(env.getOrDefault(TorchVariables.WORLD_SIZE, ""));
        } catch (NumberFormatException e) {
            return;
        }
        String variables = Told.words(env, TorchVariables.RANK, TorchVariables.WORLD_SIZE);
        if (env.containsKey(Place.NODE_JOB)) {
            throw Told.failure(variables + " of tutti run --nnodes: its nodes were started one by one, and their ranks"
                    + " meet by ProcessGroup.init of org.tutti.train, not by MPI; for MPI on several machines start"
                    + " them all by one tutti run -H a,b");
        }
        String words = variables + " (torchrun sets them, or they were left in the shell)";
        if (known == null) {
            if (size <= 1) return;
            throw Told.failure(words + " say that this is one of " + size + " ranks, but no launcher that Tutti knows"
                    + " started this process: it would be rank 0 of 1; unset RANK and WORLD_SIZE, and start more"
                    + " ranks with tutti run -n " + size
                    + ", or let them meet by ProcessGroup.init of org.tutti.train");
        }
        if (rank == known.rank() && (size == known.size() || known.size() == 0)) return;
        throw Told.failure(
                words + " contradict " + known.words() + " of " + known.launcher() + "; unset RANK and WORLD_SIZE");
    }
}
