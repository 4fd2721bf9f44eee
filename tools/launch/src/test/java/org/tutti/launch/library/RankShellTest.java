package org.tutti.launch.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.launch.place.SlurmAllocation;
import org.tutti.launch.program.Program;
import org.tutti.launch.program.ProgramSpec;
import org.tutti.launch.run.Run;

/// The script around ranks, run by the shell of this machine.
class RankShellTest {
    private static final SlurmAllocation ALLOCATION = new SlurmAllocation(2, 5, false);

    private static String run(Map<String, String> environment, List<String> command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectInput(new File("/dev/null"));
        builder.environment().keySet().removeIf(name -> name.startsWith("TUTTI_") || name.startsWith("SLURM_"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return text + process.waitFor();
    }

    /// Returns the output of a task in a job of two programs under srun.
    private static String task(int rank, int node, String... script) throws Exception {
        Run run = Run.of(script[0], List.of("a b", "-c"))
                .size(2)
                .program(script[1], List.of())
                .size(3)
                .engine("libmpi")
                .build();
        List<Program> programs = new ArrayList<>();
        for (ProgramSpec spec : run.programs()) programs.add(new Program.Other(spec, List.of(), spec.program()));
        NativeLauncher srun = new SlurmLauncher(Path.of("srun"), "mpich", "pmi2", ALLOCATION);
        List<String> command = RankShell.around(srun, run, programs, List.of(), 1);
        Map<String, String> environment = Map.of(
                "SLURM_PROCID", Integer.toString(rank),
                "SLURM_STEP_NUM_TASKS", "5",
                "SLURM_LOCALID", "0",
                "SLURM_NODEID", Integer.toString(node),
                "SLURM_STEP_TASKS_PER_NODE", "2(x2),1",
                "SLURM_CPUS_ON_NODE", "8");
        return run(environment, command);
    }

    @Test
    void ofSeveralProgramsUnderSrunEachTaskTakesItsOwn() throws Exception {
        assertThat(task(1, 0, "/bin/echo", "/usr/bin/env")).isEqualTo("a b -c\n0");
        assertThat(task(4, 2, "/bin/echo", "/usr/bin/env"))
                .contains("TUTTI_RANK=4\n")
                .contains("TUTTI_SIZE=5\n");
    }

    @Test
    void theTasksOfANodeAreReadFromSlurmsList() throws Exception {
        assertThat(task(2, 1, "/bin/echo", "/usr/bin/env")).contains("TUTTI_LOCAL_SIZE=2\n");
        assertThat(task(4, 2, "/bin/echo", "/usr/bin/env")).contains("TUTTI_LOCAL_SIZE=1\n");
        assertThat(task(4, 2, "/bin/echo", "/usr/bin/env")).contains("TUTTI_CORES=8\n");
    }

    @Test
    void aMissingFileIsReportedWithTheHost() throws Exception {
        assertThat(task(0, 0, "/nowhere/program", "/usr/bin/env"))
                .startsWith("\u001etutti fail 0 127 ")
                .contains(" /nowhere/program is not there; ranks on several machines need the same files")
                .endsWith("\n127");
    }

    @Test
    void theCodeIsTheProgramsOwn() throws Exception {
        assertThat(task(0, 0, "/bin/false", "/usr/bin/env")).isEqualTo("1");
    }

    /// The launcher and the watched shell have ended, and the shell's pid has been reused.
    @Test
    void aReusedShellPidIsNotKilled() throws Exception {
        Process ended = new ProcessBuilder("true").start(), stranger = new ProcessBuilder("sleep", "600").start();
        try {
            ended.waitFor();
            String watch = RankShell.watch(ended.pid());
            String words = watch.replace("$$", Long.toString(stranger.pid())) + "wait";
            assertThat(run(Map.of(), List.of("sh", "-c", words))).isEqualTo("0");
            assertThat(stranger.isAlive()).isTrue();
            assertThat(run(Map.of(), List.of("sh", "-c", watch + "exec sleep 600")))
                    .isEqualTo("137");
        } finally {
            stranger.destroyForcibly();
        }
    }
}
