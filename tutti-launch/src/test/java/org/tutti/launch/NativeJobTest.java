package org.tutti.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.mpi.bootstrap.JobBoard;
import org.tutti.mpi.bootstrap.JobFile;
import org.tutti.mpi.bootstrap.PlainDoor;

class NativeJobTest {
    private final List<Process> processes = new ArrayList<>();

    private Process process() throws Exception {
        Process process = new ProcessBuilder("sleep", "600").start();
        processes.add(process);
        return process;
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    /// A rank ends, and its pid becomes another process's before the job is stopped.
    @Test
    void nobodyIsKilledForARanksPid() throws Exception {
        Process first = process(), second = process(), stranger = process();
        Run run = Run.of("A.java", List.of()).size(2).engine("libmpi").build();
        try (JobFile file = new PlainDoor().createFile("tutti-test", JobFile.BYTES);
                RankExits exits = new RankExits();
                Arena arena = Arena.ofConfined()) {
            JobBoard board = JobBoard.create(file, 2, false);
            NativeLauncher launcher = new HydraLauncher(Path.of("mpiexec"), "mpich");
            Job.Try attempt = new Job.Try(0, System.nanoTime());
            NativeJob job = new NativeJob(run, List.of(), Bindings.none(run), file, board, launcher, exits, attempt);
            board.claim(0, first.pid());
            board.claim(1, second.pid());
            job.look();
            first.destroyForcibly().waitFor();
            // the kernel gives no number out again on demand: the board gets another instead
            file.map(4096, 16, arena).set(ValueLayout.JAVA_LONG, 8, stranger.pid());
            assertThat(board.pid(0)).isEqualTo(stranger.pid());
            job.look();
            job.look();
            assertThat(job.outcome.hasEnded(0)).isTrue();
            assertThat(job.outcome.hasEnded(1)).isFalse();
            job.stop();
        }
        assertThat(stranger.isAlive()).isTrue();
        assertThat(second.waitFor()).isNotZero();
    }
}
