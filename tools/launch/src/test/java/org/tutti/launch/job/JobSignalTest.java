package org.tutti.launch.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.signal.Signals;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.place.Bindings;
import org.tutti.launch.program.Program;
import org.tutti.launch.run.Run;
import org.tutti.launch.run.RunBuilder;

/// The effect of signals to the launcher on a job.
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JobSignalTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final LauncherSignals signals = new LauncherSignals(code -> {});

    @AfterEach
    void restoreHandlers() {
        signals.close();
    }

    private static RunBuilder run(int ranks) {
        return Run.of("Script.java", List.of()).size(ranks);
    }

    /// The launcher receives SIGUSR1 before the rank has a handler.
    @Test
    void anEarlyNoticeIsPassedOn() throws Exception {
        signals.notice();
        assertThat(end(run(1), javaRank(LateHandler.class), status -> {}).code())
                .as(err.toString(StandardCharsets.UTF_8))
                .isZero();
        assertThat(out).hasToString("noticed\n");
    }

    static final class LateHandler {
        private LateHandler() {}

        public static void main(String[] args) throws Exception {
            CountDownLatch noticed = new CountDownLatch(1);
            Files.createFile(Path.of(args[0], "0"));
            Thread.sleep(500);
            Signals.handle(Signals.USR1, noticed::countDown);
            System.out.println(noticed.await(20, TimeUnit.SECONDS) ? "noticed" : "no notice");
        }
    }

    /// Returns a script that runs a class of this test.
    private String javaRank(Class<?> main) throws URISyntaxException {
        StringBuilder path = new StringBuilder();
        for (Class<?> each : List.of(main, Signals.class)) {
            path.append(Path.of(each.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI()))
                    .append(':');
        }
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return "exec " + java + " -Xshare:auto -XX:TieredStopAtLevel=1 -cp " + path + " '" + main.getName() + "' "
                + directory;
    }

    private interface Meanwhile {
        void run(JobStatus status) throws Exception;
    }

    /// Runs a job of shell scripts.
    ///
    /// @param meanwhile runs on a separate thread when each rank has created a file with the rank as the name
    private Job.End end(RunBuilder builder, String script, Meanwhile meanwhile) throws Exception {
        Run run = builder.output(out).error(err).build();
        List<Program> programs = List.of(new Program.Other(run.programs().getFirst(), List.of("sh", "-c"), script));
        try (JobFile file = OsPlatform.open().createFile("tutti-test", JobFile.BYTES)) {
            JobStatus status = JobStatus.create(file, run.size(), true);
            Bindings bindings = Bindings.of(run.placement().binding(), run.size());
            Job job = new LocalJob(
                    run, programs, bindings, file, status, new Job.Try(0, System.nanoTime()), signals, false);
            FutureTask<Boolean> beside = new FutureTask<>(() -> {
                for (int rank = 0; rank < run.size(); rank++) await(directory.resolve(Integer.toString(rank)));
                meanwhile.run(status);
                return true;
            });
            Thread.ofVirtual().start(beside);
            Job.End end = job.run(_ -> {});
            beside.get();
            return end;
        }
    }

    private static void await(Path file) throws InterruptedException {
        while (!Files.exists(file)) Thread.sleep(5);
    }

    /// Returns the script of a rank that runs until it is killed, and executes `command` at each SIGTERM.
    private String stays(String command) {
        return "cd " + directory + "; trap '" + command + "' TERM; : >$TUTTI_RANK; while :; do sleep 0.02; done";
    }

    private void terminate() {
        signals.end("SIGTERM", 143);
    }

    @Test
    void childrenStartedAfterTheSignalEndWithTheRank() throws Exception {
        Job.End end = end(run(1), stays("sleep 600 & echo $! >new && mv new child"), _ -> {
            terminate();
            await(directory.resolve("child"));
            terminate();
        });
        assertThat(end.text()).isEqualTo("terminated by SIGTERM; rank 0 was killed (second signal)");
        long child = Long.parseLong(Files.readString(directory.resolve("child")).strip());
        while (isRunning(child)) Thread.sleep(5);
    }

    /// Whether the process is running; a zombie is not.
    private static boolean isRunning(long pid) throws IOException {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Test
    void aFailureStopsTheGracePeriod() throws Exception {
        Job.End end = end(run(2).grace(Duration.ofSeconds(10)), stays(":"), status -> {
            terminate();
            status.fail(1, 3, "it has lost its state");
        });
        assertThat(end.code()).isEqualTo(143);
        assertThat(end.text())
                .isEqualTo("terminated by SIGTERM; rank 1 failed first: it has lost its state;"
                        + " ranks 0 and 1 were stopped");
    }

    /// The report of rank 1 may be a consequence of rank 0's end by the signal.
    @Test
    void aFailureAfterARanksEndDoesNotShortenTheGracePeriod() throws Exception {
        String script = "[ $TUTTI_RANK = 1 ] || { : >" + directory + "/0; exec sleep 600; }; " + stays(":");
        Job.End end = end(run(2).grace(Duration.ofSeconds(1)), script, status -> {
            terminate();
            status.fail(1, 1, "rank 0 has ended");
        });
        assertThat(end.text()).isEqualTo("terminated by SIGTERM; rank 1 was killed after 1.0 s (--grace)");
    }

    @Test
    void requestsAreAnsweredDuringTheGracePeriod() throws Exception {
        AtomicBoolean isGranted = new AtomicBoolean();
        end(run(1).grace(Duration.ofSeconds(20)), stays(":"), status -> {
            terminate();
            Thread.sleep(100);
            long wish = status.wish(JobStatus.Wish.STACKS);
            for (int i = 0; i < 1500 && status.granted() != wish; i++) Thread.sleep(10);
            isGranted.set(status.granted() == wish);
            terminate();
        });
        assertThat(isGranted).isTrue();
    }
}
