package org.tutti.train.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.environment.Host;
import org.tutti.train.Ranks;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// States that no reader accepts, directories of two jobs, and files that were modified.
class StoredFaultsTest {
    @TempDir
    private Path dir;

    private static Safetensors state(String tensor, Map<String, String> metadata) {
        TensorSpec spec = new TensorSpec(tensor, DType.I64, List.of(2L));
        return new Safetensors(List.of(new Tensor(spec, MemorySegment.ofArray(new long[2]))), metadata);
    }

    private static List<String> names(Path in) throws IOException {
        try (Stream<Path> all = Files.list(in)) {
            return all.map(p -> p.getFileName().toString()).sorted().toList();
        }
    }

    // ---- writers and readers

    /// Names and texts are longer than the parser's default limits: 50,000 characters for a name and 20 million
    /// for a text.
    @Test
    void longNamesAreReadAsTheyAreWritten() throws IOException {
        readsBack("n".repeat(60_000), Map.of("k".repeat(60_000), "v"));
    }

    @Test
    @Tag("ci")
    void aLongTextIsReadAsItIsWritten() throws IOException {
        readsBack("n", Map.of("k", "x".repeat(25_000_000)));
    }

    private void readsBack(String name, Map<String, String> metadata) throws IOException {
        try (Checkpoints checkpoints = Checkpoints.open(dir).withMaxToKeep(1);
                Arena arena = Arena.ofConfined()) {
            checkpoints.save(1, state("first", Map.of()));
            checkpoints.save(2, state(name, metadata));
            Safetensors read = Objects.requireNonNull(checkpoints.findNewest()).read(arena);
            assertThat(read.metadata()).isEqualTo(metadata);
            assertThat(read.tensors().getFirst().name()).isEqualTo(name);
        }
    }

    @Test
    void aStateThatNoReaderAcceptsIsRefused() throws IOException {
        try (Checkpoints checkpoints = Checkpoints.open(dir).withMaxToKeep(1)) {
            checkpoints.save(1, state("first", Map.of()));
            refused(checkpoints, state("n", Map.of("k", "a\ud800")), "the metadata's k is not Unicode");
            refused(checkpoints, state("n", Map.of("a\udc00b", "")), "a key of the metadata is not Unicode");
            refused(checkpoints, state("\ud800", Map.of()), "the name of a tensor is not Unicode");
            if (Boolean.getBoolean("tutti.ci")) {
                refused(
                        checkpoints,
                        state("n", Map.of("k", "x".repeat(100_000_000))),
                        "the names of the tensors and the metadata are longer than 100000000 bytes");
            }
            assertThat(Objects.requireNonNull(checkpoints.findNewest()).step()).isEqualTo(1);
            assertThat(names(dir)).containsExactly(".lock", "step-000000000001.json", "step-000000000001.safetensors");
        }
    }

    private static void refused(Checkpoints checkpoints, Safetensors state, String why) {
        assertThatThrownBy(() -> checkpoints.save(2, state))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the checkpoint of step 2 was not written")
                .hasMessageContaining(why)
                .hasMessageEndingWith("; the newest is of step 1");
    }

    @Test
    void partsWithOneTensorTwiceAreRefused() throws IOException {
        Ranks.run(2, group -> {
            try (Checkpoints checkpoints = Checkpoints.open(dir).withMaxToKeep(1)) {
                checkpoints.save(1, state("of " + group.rank(), Map.of()), group);
                assertThatThrownBy(() -> checkpoints.save(2, state("same", Map.of()), group))
                        .hasMessageContaining("two tensors are called same")
                        .hasMessageEndingWith("; the newest is of step 1");
                assertThat(Objects.requireNonNull(checkpoints.findNewest()).step())
                        .isEqualTo(1);
            }
            return true;
        });
        assertThat(names(dir)).noneMatch(name -> name.contains("000002"));
    }

    // ---- two jobs

    @Test
    void theLockIsOneOfTheProcessUntilTheLastIsClosed() throws Exception {
        Path file = dir.resolve(".lock");
        try (Checkpoints first = Checkpoints.open(dir);
                Checkpoints second = Checkpoints.open(dir)) {
            first.save(1, state("a", Map.of()));
            second.save(2, state("a", Map.of()));
            try (FileChannel lock = FileChannel.open(file, StandardOpenOption.WRITE)) {
                assertThatThrownBy(lock::tryLock).isInstanceOf(OverlappingFileLockException.class);
            }
            assertThat(Files.readString(file))
                    .isEqualTo("process " + ProcessHandle.current().pid() + " on " + Host.name());
        }
        try (FileChannel lock = FileChannel.open(file, StandardOpenOption.WRITE)) {
            assertThat(lock.tryLock()).isNotNull();
        }
    }

    @Test
    @Tag("ci")
    void anotherJobIsRefused() throws Exception {
        Process other = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        CheckpointsTest.classPath(),
                        CheckpointsTest.Writer.class.getName(),
                        dir.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (Checkpoints checkpoints = Checkpoints.open(dir)) {
            other.inputReader().readLine();
            assertThatThrownBy(() -> checkpoints.save(1_000_000, state("a", Map.of())))
                    .isInstanceOf(IOException.class)
                    .hasMessage("a different job writes checkpoints to " + dir.toRealPath() + ": process " + other.pid()
                            + " on " + Host.name() + "; each job needs a separate directory");
            assertThat(names(dir)).noneMatch(name -> name.contains("1000000"));
            other.destroyForcibly().waitFor();
            checkpoints.save(1_000_000, state("a", Map.of()));
        } finally {
            other.destroyForcibly();
        }
    }

    // ---- ranks

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void aSharedSaveThatFailsLeavesNoFiles() throws IOException {
        Path full = Files.createDirectories(
                dir.resolve("step-000000000002.1-of-3.safetensors").resolve("full"));
        Ranks.run(3, group -> {
            try (Checkpoints checkpoints = Checkpoints.open(dir)) {
                checkpoints.saveAsync(2, state("of " + group.rank(), Map.of()), group);
                assertThatThrownBy(checkpoints::await).hasMessageContaining("rank 1 on " + Host.name() + ": ");
            }
            return true;
        });
        Files.delete(full);
        Files.delete(full.getParent());
        assertThat(names(dir)).containsExactly(".lock");
    }

    @Test
    void closeNamesTheRankThatFailed() throws IOException {
        Files.createDirectories(
                dir.resolve("step-000000000002.1-of-2.safetensors").resolve("full"));
        Ranks.run(2, group -> {
            Checkpoints checkpoints = Checkpoints.open(dir).patience(TimeUnit.MILLISECONDS.toNanos(10));
            checkpoints.saveAsync(2, state("of " + group.rank(), Map.of()), group);
            assertThatThrownBy(checkpoints::close).hasMessageContaining("rank 1 on " + Host.name());
            return true;
        });
    }

    @Test
    void aDamagedCopyOfTheSameLengthIsNotTaken() throws IOException {
        Path copy = Files.createDirectory(dir.resolve("copy"));
        Ranks.run(2, group -> {
            try (Checkpoints checkpoints = Checkpoints.open(dir)) {
                checkpoints.save(1, state("of " + group.rank(), Map.of()), group);
            }
            return true;
        });
        for (String name : names(dir)) {
            if (name.startsWith("step")) Files.copy(dir.resolve(name), copy.resolve(name));
        }
        Path second = copy.resolve("step-000000000001.1-of-2.safetensors");
        byte[] bytes = Files.readAllBytes(second);
        bytes[bytes.length - 8] ^= 1;
        Files.write(second, bytes);
        Ranks.run(3, group -> {
            try (Arena arena = Arena.ofShared();
                    Checkpoints checkpoints = Checkpoints.open(group.rank() == 1 ? copy : dir)) {
                Safetensors read = Objects.requireNonNull(checkpoints.loadNewest(group, arena))
                        .state();
                assertThat(read.tensor("of 1").data().get(ValueLayout.JAVA_LONG_UNALIGNED, 8))
                        .isZero();
            }
            return true;
        });
    }

    // ---- manifests

    @Test
    void aDamagedManifestIsPassedOver() throws IOException {
        try (Checkpoints checkpoints = Checkpoints.open(dir)) {
            checkpoints.save(10, state("a", Map.of()));
            checkpoints.save(20, state("a", Map.of()));
            Path first = dir.resolve("step-000000000010.json"), second = dir.resolve("step-000000000020.json");
            String before = Files.readString(first);
            Files.writeString(first, before.replace("\"number\":1", "\"number\":9"));
            assertThat(Objects.requireNonNull(checkpoints.findNewest()).step()).isEqualTo(20);
            assertThat(checkpoints.findNewest().skipped())
                    .containsExactly("step-000000000010.json: is damaged: the checksum differs");
            Files.writeString(first, before);
            Files.writeString(second, Files.readString(second).replace("20,", "90,"));
            assertThat(Objects.requireNonNull(checkpoints.findNewest()).step()).isEqualTo(10);
            Files.writeString(second, Files.readString(second).replaceAll(",\"sum\":\"\\w+\"", ""));
            assertThat(Objects.requireNonNull(checkpoints.findNewest()).skipped())
                    .containsExactly("step-000000000020.json: is the manifest of step 90");
        }
    }

    // ---- models

    @Test
    void aFileOfPythonIsRecognised() throws IOException {
        Path model = dir.resolve("pytorch_model.bin");
        for (byte[] begin : new byte[][] {
            {'P', 'K', 3, 4, 0, 0, 8, 8, 0, 0, 0, 0},
            {(byte) 0x80, 2, (byte) 0x8a, 10, 'l', (byte) 0xfc, (byte) 0x9c, 'F'}
        }) {
            Files.write(model, begin);
            assertThatThrownBy(() -> ModelFiles.read(model, Arena.ofAuto()))
                    .isInstanceOf(CheckpointException.class)
                    .hasMessageStartingWith(model + " is a ")
                    .hasMessageContaining("torch.save")
                    .hasMessageContaining("save_file(torch.load(\"" + model + "\"");
        }
        assertThatThrownBy(() -> ModelFiles.read(dir, Arena.ofAuto()))
                .hasMessageContaining(", but pytorch_model.bin, a file of torch.save; convert it in Python");
    }
}
