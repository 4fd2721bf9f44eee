package org.tutti.train.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryLockTest {
    private static final int HANG_SECONDS = 100;

    @TempDir
    Path dir;

    @Test
    void aDirectoryThatIsLockedKeepsNoOtherFromBeingLocked() throws Exception {
        Path locked = Files.createDirectory(dir.resolve("locked")), free = Files.createDirectory(dir.resolve("free"));
        CompletableFuture<String> waits = new CompletableFuture<>();
        try (FileChannel _ = lockedByOtherCode(locked)) {
            Thread waiter = Thread.ofPlatform().start(() -> waits.complete(acquire(locked)));
            while (waiter.getState() != Thread.State.TIMED_WAITING && !waits.isDone()) Thread.sleep(1);
            assertThat(acquire(free)).isEqualTo("locked");
            assertThat(waits).isNotDone();
        }
        assertThat(waits.get(HANG_SECONDS, TimeUnit.SECONDS)).isEqualTo("locked");
    }

    @Test
    @Tag("ci")
    void aLockOfOtherCodeOfThisProcessIsReported() throws Exception {
        try (FileChannel _ = lockedByOtherCode(dir)) {
            assertThat(acquire(dir))
                    .isEqualTo("a different job writes checkpoints to " + dir.toRealPath()
                            + ": an unknown process; each job needs a separate directory");
        }
    }

    /// Locks the directory as code with a different class loader does.
    private static FileChannel lockedByOtherCode(Path directory) throws IOException {
        FileChannel channel =
                FileChannel.open(directory.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        channel.lock();
        return channel;
    }

    private static String acquire(Path directory) {
        try {
            DirectoryLock.acquire(directory, new Object()).clean();
            return "locked";
        } catch (IOException | RuntimeException e) {
            return e.getMessage() == null ? e.toString() : e.getMessage();
        }
    }

    @Test
    void aLockIsReleasedWithItsLastOwner() throws Exception {
        Object first = new Object(), second = new Object();
        var one = DirectoryLock.acquire(dir, first);
        var other = DirectoryLock.acquire(Files.createSymbolicLink(dir.resolve("link"), dir), second);
        one.clean();
        assertThat(isLocked()).isTrue();
        other.clean();
        assertThat(isLocked()).isFalse();
    }

    private boolean isLocked() throws IOException {
        try (FileChannel channel = FileChannel.open(dir.resolve(".lock"), StandardOpenOption.WRITE)) {
            return channel.tryLock() == null;
        } catch (OverlappingFileLockException e) {
            return true;
        }
    }
}
