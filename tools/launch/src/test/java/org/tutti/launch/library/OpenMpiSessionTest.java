package org.tutti.launch.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The files of a finished Open MPI job that are removed, and the files that remain.
class OpenMpiSessionTest {
    private static final int JOB = 0xc9d0001;

    @TempDir
    Path temporary;

    @TempDir
    Path shared;

    private OpenMpiSession session;
    private long finished;

    @BeforeEach
    void end() throws Exception {
        session = new OpenMpiSession(temporary, shared);
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        finished = process.pid();
    }

    private Path session(long pid) throws Exception {
        Path directory = Files.createDirectories(temporary.resolve("ompi.node7.cluster.0/pid." + pid));
        Files.createDirectories(directory.resolve("1/0"));
        Files.writeString(
                directory.resolve("contact.txt"), (JOB & -0x10000) + ".0;tcp://192.0.2.2:54193\n" + pid + "\n");
        return directory;
    }

    private void segments(String... names) throws Exception {
        for (String name : names) Files.writeString(shared.resolve(name), "x");
    }

    private List<String> left() throws Exception {
        try (Stream<Path> files = Files.list(shared)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void filesOfItsRanksAreRemoved() throws Exception {
        segments("vader_segment.node7.cluster.0.c9d0001.0", "vader_segment.node7.cluster.0.c9d0001.1");
        Path directory = session(finished);
        session.sweep(finished);
        assertThat(left()).isEmpty();
        assertThat(directory.getParent()).doesNotExist();
    }

    @Test
    void filesOfOtherJobsRemain() throws Exception {
        String[] others = {
            "data.bin", "vader_segment.node7.0.c9e0001.0", "vader_segment.x", "vader_segment.node7.0.zz.0"
        };
        segments(others);
        session(finished);
        Path other = session(finished + 1);
        session.sweep(finished);
        assertThat(left()).containsExactlyInAnyOrder(others);
        assertThat(other).exists();
    }

    /// The file names contain only sixteen bits of the job's number, which two jobs may have in common; and a
    /// rank may outlive mpirun.
    @Test
    void filesInUseRemain() throws Exception {
        segments("vader_segment.node7.0.c9d0001.0", "vader_segment.node7.0.c9d0001.1");
        session(finished);
        Path used = shared.resolve("vader_segment.node7.0.c9d0001.1");
        try (Arena arena = Arena.ofShared();
                FileChannel channel = FileChannel.open(used, StandardOpenOption.READ)) {
            channel.map(MapMode.READ_ONLY, 0, 1, arena);
            session.sweep(finished);
            assertThat(left()).containsExactly("vader_segment.node7.0.c9d0001.1");
        }
    }

    @Test
    void nothingOfAnMpirunThatLivesIsTouched() throws Exception {
        segments("vader_segment.node7.0.c9d0001.0");
        Path directory = session(ProcessHandle.current().pid());
        session.sweep(ProcessHandle.current().pid());
        assertThat(left()).hasSize(1);
        assertThat(directory).isDirectoryContaining("glob:**contact.txt");
    }

    /// Tested with a shell that has lost its parent, as if mpirun had been killed, and with a shell that has a
    /// live parent.
    @Test
    void theShellRemovesFilesOfAKilledMpirun() throws Exception {
        String user = Files.getAttribute(temporary, "unix:uid").toString();
        String mine = "vader_segment.node7." + user + ".c9d0001.0", next = "vader_segment.node7." + user + ".c9d0001.1";
        String words = OpenMpiSession.SWEEP.replace("/dev/shm", shared.toString());
        segments(mine, next);
        Path directory = session(finished);
        shell("sh -c '" + words + "'; true", directory);
        assertThat(left()).containsExactly(mine, next);
        assertThat(directory).exists();

        Path done = temporary.resolve("done");
        shell("sh -c 'while [ -e /proc/$PPID/exe ]; do sleep 0.02; done; " + words + " >" + done + "' & ", directory);
        while (!Files.exists(done) || Files.exists(directory)) Thread.sleep(10);
        assertThat(left()).containsExactly(next);
        assertThat(directory).doesNotExist();
    }

    private static void shell(String script, Path directory) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", script).redirectInput(new File("/dev/null"));
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment()
                .putAll(Map.of(
                        "OMPI_MCA_orte_jobfam_session_dir", directory.toString(),
                        "PMIX_NAMESPACE", Integer.toString(JOB),
                        "OMPI_COMM_WORLD_LOCAL_RANK", "0"));
        assertThat(builder.start().waitFor()).isZero();
    }
}
