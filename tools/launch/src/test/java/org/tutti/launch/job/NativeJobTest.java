package org.tutti.launch.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.PortablePlatform;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.library.NativeLauncher;
import org.tutti.launch.library.RankExits;
import org.tutti.launch.library.TestLaunchers;
import org.tutti.launch.place.Bindings;
import org.tutti.launch.run.Run;

class NativeJobTest {
    @TempDir
    Path directory;

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

    /// A rank terminates, and a new process gets the pid before the job is stopped.
    @Test
    void aReusedRankPidIsNotKilled() throws Exception {
        Process first = process(), second = process(), stranger = process();
        Run run = Run.of("A.java", List.of()).size(2).engine("libmpi").build();
        try (JobFile file = new PortablePlatform().createFile("tutti-test", JobFile.BYTES);
                RankExits exits = new RankExits();
                Arena arena = Arena.ofConfined()) {
            JobStatus status = JobStatus.create(file, 2, false);
            NativeLauncher launcher = TestLaunchers.hydra(Path.of("mpiexec"));
            Job.Try attempt = new Job.Try(0, System.nanoTime());
            NativeJob job = new NativeJob(
                    run, List.of(), Bindings.none(run.ranksOfAMachine()), file, status, launcher, exits, attempt, null);
            status.claim(0, first.pid());
            status.claim(1, second.pid());
            job.poll();
            first.destroyForcibly().waitFor();
            // pids are not reused on demand, so a different pid is written to the status page
            file.map(4096, 16, arena).set(ValueLayout.JAVA_LONG, 8, stranger.pid());
            assertThat(status.pid(0)).isEqualTo(stranger.pid());
            // the shell has two seconds to report the exit code
            for (int polls = 0; polls < 500 && !job.outcome.hasFinished(0); polls++) {
                job.poll();
                Thread.sleep(20);
            }
            assertThat(job.outcome.hasFinished(0)).isTrue();
            assertThat(job.outcome.hasFinished(1)).isFalse();
            job.stop();
        }
        assertThat(stranger.isAlive()).isTrue();
        assertThat(second.waitFor()).isNotZero();
    }

    /// The pid is published after the other ranks have received the signal.
    @Test
    void aRankThatStartsLateReceivesTheSignal() throws Exception {
        Process first = process(), late = process();
        Run run = Run.of("A.java", List.of()).size(2).engine("libmpi").build();
        Path mpirun = Files.writeString(directory.resolve("mpirun"), "#!/bin/sh\nexec sleep 600\n");
        Files.setPosixFilePermissions(mpirun, PosixFilePermissions.fromString("rwx------"));
        try (JobFile file = new PortablePlatform().createFile("tutti-test", JobFile.BYTES);
                RankExits exits = new RankExits();
                LauncherSignals signals = new LauncherSignals(code -> {})) {
            JobStatus status = JobStatus.create(file, 2, false);
            status.claim(0, first.pid());
            FutureTask<Boolean> beside = new FutureTask<>(() -> {
                signals.end("SIGTERM", 143);
                first.waitFor();
                status.claim(1, late.pid());
                boolean hasFinished = late.waitFor(20, TimeUnit.SECONDS);
                signals.end("SIGTERM", 143);
                return hasFinished;
            });
            Thread.ofVirtual().start(beside);
            NativeJob job = new NativeJob(
                    run,
                    List.of(),
                    Bindings.none(run.ranksOfAMachine()),
                    file,
                    status,
                    TestLaunchers.openMpi(mpirun),
                    exits,
                    new Job.Try(0, System.nanoTime()),
                    signals);
            assertThat(job.run(end -> {}).code()).isEqualTo(143);
            assertThat(beside.get()).isTrue();
        }
    }

    /// Open MPI's mpirun inserts the tag before every piece that it reads.
    @Test
    void aTagWithinALongLineIsNotOfTheLine() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Run run = Run.of("A.java", List.of())
                .size(2)
                .engine("libmpi")
                .tagOutput(true)
                .output(out)
                .build();
        String tag = "[1,1]<stdout>:", piece = "x".repeat(5000);
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < 40; i++) line.append(tag).append(piece);
        line.append("\n[1,0]<stdout>:short\n");
        Path mpirun = Files.writeString(directory.resolve("mpirun"), "#!/bin/sh\ncat " + directory + "/output\n");
        Files.setPosixFilePermissions(mpirun, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(directory.resolve("output"), line);
        try (JobFile file = new PortablePlatform().createFile("tutti-test", JobFile.BYTES);
                RankExits exits = new RankExits()) {
            JobStatus status = JobStatus.create(file, 2, false);
            Job.Try attempt = new Job.Try(0, System.nanoTime());
            NativeLauncher launcher = TestLaunchers.openMpi(mpirun);
            NativeJob job = new NativeJob(
                    run, List.of(), Bindings.none(run.ranksOfAMachine()), file, status, launcher, exits, attempt, null);
            assertThat(job.run(end -> {}).code()).isZero();
        }
        assertThat(out).hasToString("[1] " + piece.repeat(40) + "\n[0] short\n");
    }
}
