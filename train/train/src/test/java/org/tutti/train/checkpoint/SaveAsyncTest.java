package org.tutti.train.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.checkpoint.Checkpoints.FoundCheckpoint;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorSpec;

class SaveAsyncTest {
    private static final int NUMBERS = 1_000_000;

    @TempDir
    private Path dir;

    private static FoundCheckpoint newest(Checkpoints in) throws IOException {
        return Objects.requireNonNull(in.findNewest());
    }

    /// Training continues in the same memory during the write.
    @Test
    void theStateAtTheCallIsWritten() throws IOException {
        try (Arena arena = Arena.ofConfined();
                Checkpoints checkpoints = Checkpoints.open(dir).withMaxToKeep(20)) {
            MemorySegment numbers = arena.allocate(ValueLayout.JAVA_LONG, NUMBERS);
            TensorSpec spec = new TensorSpec("numbers", DType.I64, List.of((long) NUMBERS));
            for (long step = 1; step <= 6; step++) {
                for (int i = 0; i < NUMBERS; i++) numbers.setAtIndex(ValueLayout.JAVA_LONG, i, step);
                Tensor tensor = new Tensor(spec, numbers);
                checkpoints.saveAsync(step, new Safetensors(List.of(tensor), Map.of("step", "" + step)));
                numbers.fill((byte) -1);
            }
            checkpoints.await();
            for (long step = 6; step >= 1; step--) {
                FoundCheckpoint found = newest(checkpoints);
                assertThat(found.step()).isEqualTo(step);
                CheckpointsTest.assertWhole(found);
                Files.delete(dir.resolve("step-00000000000" + step + ".json"));
            }
        }
    }

    /// Creates a directory that blocks the target of the rename.
    private Path blocked(long step) throws IOException {
        return Files.createDirectories(
                dir.resolve("step-00000000000" + step + ".safetensors").resolve("full"));
    }

    @Test
    void anErrorIsThrownByTheNextCall() throws IOException {
        try (Checkpoints checkpoints = Checkpoints.open(dir)) {
            checkpoints.saveAsync(1, CheckpointsTest.state(1, 10));
            checkpoints.await();
            Path full = blocked(2);
            checkpoints.saveAsync(2, CheckpointsTest.state(2, 10));
            assertThatThrownBy(() -> checkpoints.saveAsync(3, CheckpointsTest.state(3, 10)))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("the checkpoint of step 2 was not written to " + dir + ": ")
                    .hasMessageEndingWith("; the newest is of step 1")
                    .hasCauseInstanceOf(IOException.class);
            Files.delete(full);
            Files.delete(full.getParent());
            checkpoints.saveAsync(4, CheckpointsTest.state(4, 10));
            checkpoints.await();
            checkpoints.await();
            assertThat(newest(checkpoints).step()).isEqualTo(4);
            blocked(5);
            checkpoints.saveAsync(5, CheckpointsTest.state(5, 10));
            assertThatThrownBy(checkpoints::close).hasMessageContaining("the checkpoint of step 5 was not written");
        }
    }

    @Test
    void olderOnesThatCannotBeDeletedAreNotTakenForAFailure() throws IOException {
        Checkpoints checkpoints = Checkpoints.open(dir);
        blocked(1);
        assertThatThrownBy(() -> checkpoints.save(2, CheckpointsTest.state(2, 10)))
                .hasMessageStartingWith(
                        "the checkpoint of step 2 was written to " + dir + ", and older ones could not be deleted: ");
        assertThat(newest(checkpoints).step()).isEqualTo(2);
    }

    @Test
    void closeWaits() throws IOException {
        Checkpoints checkpoints = Checkpoints.open(dir);
        try (checkpoints) {
            checkpoints.saveAsync(7, CheckpointsTest.state(7, NUMBERS));
        }
        assertThat(newest(checkpoints).step()).isEqualTo(7);
        CheckpointsTest.assertWhole(newest(checkpoints));
    }
}
