package org.tutti.launch.place;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.SlurmStep;

/// The Slurm allocation that contains this process: created by `salloc`, by `sbatch` for a script, or by `srun`
/// for a step.
///
/// @param nodes the number of machines
/// @param tasks the requested number of processes; 0 if not specified
/// @param inStep whether this process was started by `srun`, so that the cpus are in use
public record SlurmAllocation(int nodes, int tasks, boolean inStep) {
    /// Returns the allocation of this process, or null.
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
