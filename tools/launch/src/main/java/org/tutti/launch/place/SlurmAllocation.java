package org.tutti.launch.place;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.SlurmStep;

/// The part of a cluster that Slurm gave to the job this process runs in: by `salloc`, in a script of
/// `sbatch`, or as a step.
///
/// @param nodes how many machines it has
/// @param tasks how many processes were asked for; 0 if that was not said
/// @param inStep whether this process was started by `srun` itself: its cpus are taken then
public record SlurmAllocation(int nodes, int tasks, boolean inStep) {
    /// This process's; null where there is none.
    public static @Nullable SlurmAllocation current() {
        return of(System.getenv());
    }

    static @Nullable SlurmAllocation of(Map<String, String> env) {
        if (!env.containsKey("SLURM_JOB_ID")) return null;
        int nodes = number(env.get("SLURM_JOB_NUM_NODES"), 1);
        return new SlurmAllocation(nodes, number(env.get("SLURM_NTASKS"), 0), SlurmStep.isOf(env));
    }

    private static int number(@Nullable String text, int otherwise) {
        if (text == null) return otherwise;
        try {
            return Math.max(0, Integer.parseInt(text));
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }
}
