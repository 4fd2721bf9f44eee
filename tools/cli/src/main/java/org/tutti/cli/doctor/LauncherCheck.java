package org.tutti.cli.doctor;

import java.util.Map;
import org.tutti.job.environment.JobException;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.environment.SlurmStep;
import org.tutti.job.environment.TorchVariables;

/// Checks which launcher a program started here would detect.
final class LauncherCheck implements DoctorCheck {
    private static final String ALLOCATION = "SLURM_JOB_ID";

    @Override
    public String title() {
        return "launcher";
    }

    @Override
    public void run(ExaminedMachine examined, CheckResults notes) {
        Map<String, String> env = examined.env();
        try {
            RankEnvironment environment = RankEnvironment.of(env);
            if (environment.launcher() == RankEnvironment.Launcher.NONE) {
                notes.ok("no launcher: a program started directly is rank 0 of 1, and tutti run starts" + " more");
            } else {
                notes.warn(
                        "this is rank " + environment.rank() + " of "
                                + (environment.size() == 0 ? "an unknown number" : Integer.toString(environment.size()))
                                + " of "
                                + environment.launcher() + " (" + environment.variables() + ")",
                        "if " + environment.launcher() + " did not start this shell, unset these variables");
            }
        } catch (JobException e) {
            String text = String.valueOf(e.getMessage()).replaceFirst("^init: ", "");
            int semicolon = text.indexOf("; unset");
            notes.fails(
                    "a program started here exits immediately: "
                            + (semicolon < 0 ? text : text.substring(0, semicolon)),
                    semicolon < 0 ? "unset those variables" : text.substring(semicolon + 2));
        }
        String rank = env.get(TorchVariables.RANK);
        if (rank != null && !env.containsKey(TorchVariables.WORLD_SIZE)) {
            notes.warn(
                    "RANK=" + rank + " without WORLD_SIZE: ignored by Tutti, but PyTorch and scripts read it",
                    "unset RANK");
        }
        if (env.containsKey(ALLOCATION)) slurm(env, notes);
    }

    private static void slurm(Map<String, String> env, CheckResults notes) {
        String job = ALLOCATION + "=" + env.get(ALLOCATION);
        if (SlurmStep.isOf(env)) {
            notes.ok("a step of Slurm's (" + job + "): srun started this process, and its cpus are in use");
        } else {
            notes.ok("an allocation of Slurm's (" + job + ", nodes: " + env.getOrDefault("SLURM_JOB_NUM_NODES", "1")
                    + "), outside any task: tutti run --engine libmpi starts ranks on the whole allocation");
        }
    }
}
