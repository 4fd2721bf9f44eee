package org.tutti.train.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.environment.Host;
import org.tutti.train.Ranks;
import org.tutti.train.checkpoint.Checkpoints.FoundCheckpoint;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

class CheckpointsTest {
    private static final int KILLS = Boolean.getBoolean("tutti.full") ? 200 : 5;
    private static final int NUMBERS = 20_000;

    @TempDir
    private Path dir;

    /// All numbers of a state are equal to the step.
    static Safetensors state(long step, int numbers) {
        long[] all = new long[numbers];
        java.util.Arrays.fill(all, step);
        TensorSpec spec = new TensorSpec("numbers", DType.I64, List.of((long) numbers));
        return new Safetensors(List.of(new Tensor(spec, MemorySegment.ofArray(all))), Map.of("step", "" + step));
    }

    static void assertWhole(FoundCheckpoint found) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Safetensors read = found.read(arena);
            assertThat(read.metadata()).containsEntry("step", "" + found.step());
            MemorySegment data = read.tensor("numbers").data();
            for (long at = 0; at < data.byteSize(); at += 8)
                assertThat(data.get(ValueLayout.JAVA_LONG_UNALIGNED, at)).isEqualTo(found.step());
        }
    }

    private static FoundCheckpoint newest(Checkpoints in) throws IOException {
        return Objects.requireNonNull(in.findNewest());
    }

    private List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(dir)) {
            return all.map(p -> p.getFileName().toString())
                    .filter(name -> !name.equals(".lock"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void theNewestIsFoundAndOldOnesAreDeleted() throws IOException {
        Checkpoints checkpoints = Checkpoints.open(dir).withMaxToKeep(2);
        assertThat(checkpoints.findNewest()).isNull();
        for (long step : new long[] {5, 100, 20}) checkpoints.save(step, state(step, 10));
        assertThat(newest(checkpoints).step()).isEqualTo(20);
        assertWhole(newest(checkpoints));
        assertThat(names())
                .containsExactly(
                        "step-000000000020.json",
                        "step-000000000020.safetensors",
                        "step-000000000100.json",
                        "step-000000000100.safetensors");
    }

    /// Until the new manifest exists, the older checkpoint of the same step is valid.
    @Test
    void anotherOfTheSameStepTakesOtherFiles() throws IOException {
        Checkpoints checkpoints = Checkpoints.open(dir).withMaxToKeep(1);
        checkpoints.save(5, state(5, 10));
        Path second = checkpoints.save(5, state(5, 20));
        assertThat(newest(checkpoints).files()).containsExactly(second);
        assertThat(names()).containsExactly("step-000000000005-2.safetensors", "step-000000000005.json");
    }

    @Test
    void invalidManifestsAreSkipped() throws IOException {
        Checkpoints checkpoints = Checkpoints.open(dir);
        checkpoints.save(5, state(5, 10));
        Files.writeString(dir.resolve("step-99999999999999999999.json"), "{}");
        Files.createDirectory(dir.resolve("step-9.json"));
        Files.writeString(
                dir.resolve("step-8.json"), "{\"step\":8,\"file\":\"a\\u0000b\",\"bytes\":1,\"sha256\":\"\"}");
        assertThat(newest(checkpoints).step()).isEqualTo(5);
        assertThat(newest(checkpoints).skipped())
                .anyMatch(line -> line.startsWith("step-9.json: cannot be read: "))
                .anyMatch(line -> line.equals("step-8.json: names a file that does not belong to a checkpoint"));
        checkpoints.save(10, state(10, 10));
        assertThat(newest(checkpoints).step()).isEqualTo(10);
    }

    /// The former format of manifests, when a checkpoint was one file.
    @Test
    void anOlderManifestIsRead() throws IOException {
        Checkpoints checkpoints = Checkpoints.open(dir);
        checkpoints.save(5, state(5, 10));
        Path manifest = dir.resolve("step-000000000005.json");
        Files.writeString(
                manifest,
                Files.readString(manifest).replace("\"parts\":[{", "").replaceAll("\\}\\],\"sum\":\"\\w+\"\\}", "}"));
        assertThat(Files.readString(manifest)).doesNotContain("parts");
        assertWhole(newest(checkpoints));
    }

    @Test
    void aDamagedOneIsPassedOver() throws IOException {
        Checkpoints checkpoints = Checkpoints.open(dir).withMaxToKeep(10);
        for (long step = 1; step <= 5; step++) checkpoints.save(step, state(step, 100));
        try (RandomAccessFile file = new RandomAccessFile(
                dir.resolve("step-000000000005.safetensors").toFile(), "rw")) {
            file.seek(300);
            file.write(1);
        }
        try (RandomAccessFile file = new RandomAccessFile(
                dir.resolve("step-000000000004.safetensors").toFile(), "rw")) {
            file.setLength(500);
        }
        Files.delete(dir.resolve("step-000000000003.safetensors"));
        Files.writeString(dir.resolve("step-000000000002.json"), "{\"step\": 2");
        FoundCheckpoint found = newest(checkpoints);
        assertThat(found.step()).isEqualTo(1);
        assertThat(found.skipped()).hasSize(4);
        assertThat(found.skipped().get(0)).contains("step-000000000005", "sum differs");
        assertThat(found.skipped().get(1)).contains("step-000000000004", "500 bytes");
        assertThat(found.skipped().get(2)).contains("step-000000000003", "is not there");
        assertThat(found.skipped().get(3)).contains("step-000000000002", "not a manifest");
        assertWhole(found);
    }

    /// Files of terminated processes, one of which had the ID of this process.
    @Test
    void abandonedFilesAreDeletedWithTheNextSave() throws IOException {
        Checkpoints checkpoints = Checkpoints.open(dir);
        checkpoints.save(1, state(1, 10));
        String here = ".unfinished-" + Host.name() + "-";
        long pid = ProcessHandle.current().pid();
        Files.writeString(dir.resolve(here + pid + "-step-000000000002.safetensors"), "half");
        Files.writeString(dir.resolve(here + "999999999-step-000000000002.json"), "half");
        Path other = Files.writeString(dir.resolve(".unfinished-another.host-5-step-000000000002.json"), "half");
        checkpoints.save(3, state(3, 10));
        assertThat(names())
                .filteredOn(n -> n.startsWith("."))
                .containsExactly(other.getFileName().toString());
    }

    /// A run starts from the beginning, or from an earlier step, in a directory of an earlier run.
    @Test
    void theLastWrittenIsTheNewestAmongHigherSteps() throws IOException {
        for (long step : new long[] {100, 200, 300}) Checkpoints.open(dir).save(step, state(step, 10));
        Checkpoints checkpoints = Checkpoints.open(dir).withMaxToKeep(2);
        Path file = checkpoints.save(7, state(7, 10));
        assertThat(file).exists();
        assertThat(newest(checkpoints).step()).isEqualTo(7);
        assertWhole(newest(checkpoints));
        assertThat(names())
                .containsExactly(
                        "step-000000000007.json",
                        "step-000000000007.safetensors",
                        "step-000000000300.json",
                        "step-000000000300.safetensors");
    }

    @Test
    void aDamagedOneDoesNotCountAmongThoseThatAreKept() throws IOException {
        Checkpoints checkpoints = Checkpoints.open(dir).withMaxToKeep(2);
        for (long step : new long[] {1, 2, 3}) checkpoints.save(step, state(step, 100));
        damage(3);
        checkpoints = Checkpoints.open(dir).withMaxToKeep(2);
        checkpoints.save(4, state(4, 100));
        assertThat(names())
                .contains("step-000000000002.safetensors", "step-000000000004.safetensors")
                .doesNotContain("step-000000000001.safetensors");
        damage(4);
        assertThat(newest(checkpoints).step()).isEqualTo(2);
        for (long step : new long[] {5, 6}) checkpoints.save(step, state(step, 100));
        assertThat(names())
                .containsExactly(
                        "step-000000000005.json",
                        "step-000000000005.safetensors",
                        "step-000000000006.json",
                        "step-000000000006.safetensors");
    }

    private void damage(long step) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(
                dir.resolve("step-00000000000" + step + ".safetensors").toFile(), "rw")) {
            file.seek(300);
            file.write(1);
        }
    }

    @Test
    void whereNoneIsWholeAllAreNamed() throws IOException {
        Checkpoints checkpoints = Checkpoints.open(dir);
        for (long step : new long[] {1, 2}) checkpoints.save(step, state(step, 100));
        damage(1);
        Files.writeString(dir.resolve("step-000000000002.json"), "");
        assertThatThrownBy(checkpoints::findNewest)
                .isInstanceOf(CheckpointException.class)
                .hasMessage("none of the 2 checkpoints in " + dir + " is complete: step-000000000001.json: is"
                        + " damaged: the checksum differs; step-000000000002.json: is not a manifest; to start from the"
                        + " beginning, use a different directory or delete these");
        assertThatThrownBy(() -> Ranks.run(2, group -> checkpoints.loadNewest(group, Arena.ofAuto())))
                .hasStackTraceContaining("none of the 2 checkpoints in " + dir + " is complete: ");
        Files.createDirectories(dir.resolve("step-000000000003.safetensors").resolve("full"));
        assertThatThrownBy(() -> checkpoints.save(3, state(3, 10)))
                .hasMessageContaining("the checkpoint of step 3 was not written to " + dir)
                .hasMessageContaining("; no other one is complete");
    }

    @Test
    void aFailedSaveNamesTheNewestCheckpoint() throws IOException {
        Checkpoints checkpoints = Checkpoints.open(dir);
        checkpoints.save(1, state(1, 10));
        // a directory blocks the target of the rename
        Files.createDirectories(dir.resolve("step-000000000002.safetensors").resolve("full"));
        assertThatThrownBy(() -> checkpoints.save(2, state(2, 10)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the checkpoint of step 2 was not written to " + dir)
                .hasMessageContaining("the newest is of step 1");
        assertThat(names()).noneMatch(n -> n.startsWith(".unfinished"));
    }

    /// Writes checkpoints until it is killed.
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws IOException {
            Checkpoints checkpoints = Checkpoints.open(Path.of(args[0]));
            FoundCheckpoint found = checkpoints.findNewest();
            for (long step = found == null ? 1 : found.step() + 1; ; step++) {
                checkpoints.save(step, state(step, NUMBERS));
                System.out.println(step);
            }
        }
    }

    /// If the process is killed at any moment, the checkpoints reported as complete are complete.
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    @Tag("ci")
    void killedAtAnyMomentTheNewestIsWhole() throws Exception {
        long seed = Long.getLong("tutti.train.seed", System.nanoTime());
        System.out.println("kills: -Dtutti.train.seed=" + seed);
        Random random = new Random(seed);
        Checkpoints checkpoints = Checkpoints.open(dir);
        long last = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            Process writer = new ProcessBuilder(
                            ProcessHandle.current().info().command().orElseThrow(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Xshare:auto",
                            "-cp",
                            classPath(),
                            Writer.class.getName(),
                            dir.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (var said = writer.inputReader()) {
                last = Long.parseLong(said.readLine());
                Thread.sleep(0, random.nextInt(999_999));
                if (random.nextBoolean()) Thread.sleep(random.nextInt(20));
                writer.toHandle().destroyForcibly(); // Process.destroyForcibly would close the output
                for (String line = said.readLine(); line != null; line = said.readLine()) last = Long.parseLong(line);
            } finally {
                writer.destroyForcibly();
                writer.waitFor();
            }
            FoundCheckpoint found = newest(checkpoints);
            assertThat(found.step()).isBetween(last, last + 1);
            assertWhole(found);
        }
    }

    static String classPath() {
        String modules = System.getProperty("jdk.module.path", "");
        return System.getProperty("java.class.path")
                + java.io.File.pathSeparator
                + modules
                + java.io.File.pathSeparator
                + System.getProperty("tutti.train.tests", "");
    }
}
