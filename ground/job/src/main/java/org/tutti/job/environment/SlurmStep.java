package org.tutti.job.environment;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment.Launcher;
import org.tutti.job.environment.RankEnvironment.Pmi;

/// The variables that `srun` sets for a task, and the detection of tasks.
///
/// Only a step has tasks. The shell of an allocation and a batch script are single processes, although they
/// also have variables such as `SLURM_NTASKS`, and the script even has `SLURM_PROCID=0`.
public final class SlurmStep {
    private static final String STEP = "SLURM_STEP_ID", RANK = "SLURM_PROCID", SIZE = "SLURM_STEP_NUM_TASKS";
    private static final String LOCAL_RANK = "SLURM_LOCALID", NODE = "SLURM_NODEID";
    private static final String TASKS_PER_NODE = "SLURM_STEP_TASKS_PER_NODE";

    /// The number of jobs that were submitted together as a heterogeneous job, which has one world.
    private static final String COMPONENTS = "SLURM_HET_SIZE";

    /// The lowest of the step numbers that Slurm reserves, for example for the batch script and for the shell
    /// of `salloc`.
    private static final long SPECIAL = 0xfffffff0L;

    private SlurmStep() {}

    /// Reads the variables of a task. Returns null if this process is not in a step.
    static @Nullable LauncherVariables read(Map<String, String> env) {
        if (!env.containsKey(RANK) || !isOf(env)) return null;
        boolean whole = env.containsKey(SIZE) && "1".equals(env.getOrDefault(COMPONENTS, "1"));
        int size = whole ? LauncherVariables.number(env, SIZE, 1, Integer.MAX_VALUE, Launcher.SLURM) : 0;
        int most = size == 0 ? Integer.MAX_VALUE : size;
        int rank = LauncherVariables.number(env, RANK, 0, most - 1, Launcher.SLURM);
        int localRank = env.containsKey(LOCAL_RANK)
                ? LauncherVariables.number(env, LOCAL_RANK, 0, most - 1, Launcher.SLURM)
                : 0;
        int node =
                env.containsKey(NODE) ? LauncherVariables.number(env, NODE, 0, Integer.MAX_VALUE, Launcher.SLURM) : 0;
        int localSize = Math.max(tasks(env.get(TASKS_PER_NODE), node), localRank + 1);
        String variables = LauncherVariables.variables(env, STEP, RANK, SIZE, COMPONENTS, "SLURM_MPI_TYPE");
        return new LauncherVariables(Launcher.SLURM, Pmi.NONE, rank, size, localRank, localSize, variables);
    }

    /// Returns whether `srun` started the process with this environment.
    public static boolean isOf(Map<String, String> env) {
        String step = env.get(STEP);
        if (step == null) return false;
        try {
            return Long.parseLong(step.strip()) < SPECIAL;
        } catch (NumberFormatException e) {
            return true;
        }
    }

    /// Returns the number of tasks on node `node` according to a list such as `2(x2),1`, which means 2, 2 and
    /// 1. Returns 1 if the number is unknown.
    static int tasks(@Nullable String perNode, int node) {
        if (perNode == null) return 1;
        int before = 0;
        try {
            for (String part : perNode.strip().split(",")) {
                int times = part.indexOf("(x");
                int tasks = Integer.parseInt(times < 0 ? part : part.substring(0, times));
                before += times < 0 ? 1 : Integer.parseInt(part.substring(times + 2, part.indexOf(')')));
                if (node < before) return tasks;
            }
        } catch (NumberFormatException | StringIndexOutOfBoundsException e) {
            throw LauncherVariables.failure(TASKS_PER_NODE + "=" + perNode + " in the environment of " + Launcher.SLURM
                    + " is not a list of task numbers like 2(x2),1");
        }
        return 1;
    }
}
