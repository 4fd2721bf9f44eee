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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.environment.Host;
import org.tutti.train.ProcessGroup;
import org.tutti.train.Ranks;
import org.tutti.train.checkpoint.Checkpoints.FoundCheckpoint;
import org.tutti.train.checkpoint.Checkpoints.LoadedCheckpoint;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

/// Checkpoints in which each rank writes a part.
class PartsTest {
    private static final String STEP_2 = "step-000000000002";

    @TempDir
    private Path dir;

    /// Returns a tensor of `1000 + rank` numbers, all equal to the step.
    private static Safetensors part(long step, int rank) {
        long[] all = new long[1000 + rank];
        Arrays.fill(all, step);
        TensorSpec spec = new TensorSpec("of." + rank, DType.I64, List.of((long) all.length));
        return new Safetensors(List.of(new Tensor(spec, MemorySegment.ofArray(all))), Map.of("rank." + rank, "here"));
    }

    private static void assertWhole(Safetensors state, long step, int ranks) {
        assertThat(state.tensors()).hasSize(ranks);
        for (int r = 0; r < ranks; r++) {
            MemorySegment data = state.tensor("of." + r).data();
            assertThat(data.byteSize()).isEqualTo(8L * (1000 + r));
            for (long at = 0; at < data.byteSize(); at += 8)
                assertThat(data.get(ValueLayout.JAVA_LONG_UNALIGNED, at)).isEqualTo(step);
            assertThat(state.metadata()).containsEntry("rank." + r, "here");
        }
    }

    private static List<String> names(Path in) throws IOException {
        try (Stream<Path> all = Files.list(in)) {
            return all.map(p -> p.getFileName().toString())
                    .filter(name -> !name.equals(".lock"))
                    .sorted()
                    .toList();
        }
    }

    private void save(int ranks, long... steps) {
        Ranks.run(ranks, group -> {
            Checkpoints checkpoints = Checkpoints.open(dir).withMaxToKeep(2);
            for (long step : steps) checkpoints.save(step, part(step, group.rank()), group);
            return true;
        });
    }

    private static LoadedCheckpoint load(Path from, ProcessGroup group, Arena arena) throws IOException {
        return Objects.requireNonNull(Checkpoints.open(from).loadNewest(group, arena));
    }

    @Test
    void partsOfAnyNumberOfRanksAreReadByAnyOther() throws IOException {
        for (int ranks : new int[] {1, 2, 4}) {
            save(ranks, 10L * ranks, 10L * ranks + 1);
            for (int readers : new int[] {1, 3}) {
                Ranks.run(readers, group -> {
                    try (Arena arena = Arena.ofShared()) {
                        LoadedCheckpoint loaded = load(dir, group, arena);
                        assertThat(loaded.step()).isEqualTo(10L * ranks + 1);
                        assertWhole(loaded.state(), loaded.step(), ranks);
                    }
                    return true;
                });
            }
        }
        assertThat(names(dir))
                .containsExactly(
                        "step-000000000040.0-of-4.safetensors",
                        "step-000000000040.1-of-4.safetensors",
                        "step-000000000040.2-of-4.safetensors",
                        "step-000000000040.3-of-4.safetensors",
                        "step-000000000040.json",
                        "step-000000000041.0-of-4.safetensors",
                        "step-000000000041.1-of-4.safetensors",
                        "step-000000000041.2-of-4.safetensors",
                        "step-000000000041.3-of-4.safetensors",
                        "step-000000000041.json");
    }

    /// No further call is needed.
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void anAsyncCheckpointIsValidWhenAllPartsExist() {
        Ranks.run(3, group -> {
            try (Checkpoints checkpoints = Checkpoints.open(dir)) {
                for (long step = 1; step <= 3; step++) {
                    checkpoints.saveAsync(step, part(step, group.rank()), group);
                    FoundCheckpoint found = checkpoints.findNewest();
                    while (found == null || found.step() < step) {
                        Thread.onSpinWait();
                        found = checkpoints.findNewest();
                    }
                    try (Arena arena = Arena.ofConfined()) {
                        assertWhole(found.read(arena), step, 3);
                    }
                }
                checkpoints.await();
            }
            return true;
        });
    }

    @Test
    void aRankThatCannotWriteItsPartIsNamedOnAll() throws IOException {
        save(3, 1);
        for (boolean later : new boolean[] {false, true}) {
            Path full = Files.createDirectories(
                    dir.resolve(STEP_2 + ".1-of-3.safetensors").resolve("full"));
            Ranks.run(3, group -> {
                Checkpoints checkpoints = Checkpoints.open(dir);
                if (later) checkpoints.saveAsync(2, part(2, group.rank()), group);
                assertThatThrownBy(() -> {
                            if (later) checkpoints.await();
                            else checkpoints.save(2, part(2, group.rank()), group);
                        })
                        .isInstanceOf(IOException.class)
                        .hasMessageStartingWith("the checkpoint of step 2 was not written to " + dir + ": rank 1 on "
                                + Host.name() + ": ")
                        .hasMessageEndingWith("; the newest is of step 1");
                group.barrier();
                if (group.rank() == 0) Files.delete(full);
                if (group.rank() == 0) Files.delete(full.getParent());
                checkpoints.save(3, part(3, group.rank()), group);
                assertThat(Objects.requireNonNull(checkpoints.findNewest()).step())
                        .isEqualTo(3);
                group.barrier();
                if (group.rank() == 0) Files.delete(dir.resolve("step-000000000003.json"));
                group.barrier();
                return true;
            });
        }
    }

    @Test
    void partsOnMachinesWithoutACommonFileSystemAreMissed() {
        Ranks.run(2, group -> {
            Path own = dir.resolve("" + group.rank());
            Checkpoints checkpoints = Checkpoints.open(own).patience(TimeUnit.MILLISECONDS.toNanos(50));
            assertThatThrownBy(() -> checkpoints.save(2, part(2, group.rank()), group))
                    .hasMessage("the checkpoint of step 2 was not written to " + dir.resolve("0") + ": " + STEP_2
                            + ".1-of-2.safetensors, which rank 1 on " + Host.name() + " writes, is not in "
                            + dir.resolve("0") + " of rank 0 on " + Host.name() + "; the parts of a checkpoint must be"
                            + " in one file system that all ranks share; no older one exists");
            return true;
        });
    }

    @Test
    void whereOnePartIsDamagedOrMissingAnOlderOneCounts() throws IOException {
        save(2, 1, 2);
        Path second = dir.resolve(STEP_2 + ".1-of-2.safetensors");
        try (RandomAccessFile file = new RandomAccessFile(second.toFile(), "rw")) {
            file.seek(300);
            file.write(1);
        }
        FoundCheckpoint found = Objects.requireNonNull(Checkpoints.open(dir).findNewest());
        assertThat(found.step()).isEqualTo(1);
        assertThat(found.skipped())
                .containsExactly(
                        STEP_2 + ".json: " + STEP_2 + ".1-of-2.safetensors is damaged: the checksum" + " differs");
        Files.delete(second);
        found = Objects.requireNonNull(Checkpoints.open(dir).findNewest());
        assertThat(found.skipped()).containsExactly(STEP_2 + ".json: " + second + " is not there");
    }

    /// Parts of a step in which the ranks were killed before the save was complete.
    @Test
    void remaindersOfAnIncompleteSaveAreDeleted() throws IOException {
        save(2, 1);
        Files.writeString(dir.resolve(STEP_2 + ".1-of-2.safetensors"), "old");
        Files.writeString(dir.resolve(STEP_2 + ".2-of-3.safetensors"), "old");
        Files.writeString(
                dir.resolve(".written-" + STEP_2 + ".1-of-2.safetensors.json"),
                "{\"number\": 5, \"step\": 2, \"parts\": [{\"file\": \"" + STEP_2
                        + ".1-of-2.safetensors\", \"bytes\": 3, \"sha256\": \"\"}]}");
        Files.writeString(dir.resolve(".written-" + STEP_2 + ".2-of-3.safetensors.json"), "{}");
        save(2, 2);
        assertThat(names(dir))
                .containsExactly(
                        "step-000000000001.0-of-2.safetensors",
                        "step-000000000001.1-of-2.safetensors",
                        "step-000000000001.json",
                        STEP_2 + ".0-of-2.safetensors",
                        STEP_2 + ".1-of-2.safetensors",
                        STEP_2 + ".json");
        assertThat(Objects.requireNonNull(Checkpoints.open(dir).findNewest()).step())
                .isEqualTo(2);
    }

    @Test
    void aPartCannotBeSavedByOneRank() throws IOException {
        Safetensors part = new Safetensors(List.of(), Map.of(Checkpoints.PART, "0 of 4"));
        Checkpoints checkpoints = Checkpoints.open(dir);
        assertThatThrownBy(() -> checkpoints.save(3, part))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "part 0 of 4 of the state of step 3 cannot be saved by one rank; save the parts of all ranks with"
                                + " save(step, part, group)");
    }

    /// Rank 1 has a different directory, as on a different machine; no copy of the files remains there.
    @Test
    void ranksThatDoNotHaveTheFilesGetThemFromRank0() {
        save(2, 1, 2);
        Ranks.run(3, group -> {
            Path own = group.rank() == 1 ? dir.resolve("other") : dir;
            try (Arena arena = Arena.ofShared()) {
                LoadedCheckpoint loaded = load(own, group, arena);
                assertThat(loaded.step()).isEqualTo(2);
                assertWhole(loaded.state(), 2, 2);
                if (group.rank() == 1) assertThat(names(own)).isEmpty();
            }
            return true;
        });
    }
}
