package org.tutti.train.checkpoint;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;

/// The permission to write checkpoints to a directory, for one process at a time. Without it, two jobs in the
/// same directory would delete each other's checkpoints, and continue from each other's checkpoints.
///
/// All [Checkpoints] of a process share the lock of a directory. The lock is released when the last of these
/// objects is closed or unreachable, or when the process ends.
final class DirectoryLock {
    private static final String FILE = ".lock";

    /// Maximum time to wait for the process with the lock, because that process may be about to end.
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int MOST_HOLDER_BYTES = 300;
    private static final Cleaner CLEANER = Cleaner.create();

    /// The locks, by the file key of the directory, which is the same for all paths of a directory; on systems
    /// without keys, by the path.
    private static final Map<Object, DirectoryLock> HELD = new HashMap<>();

    private final Path directory;
    private final Object key;

    /// Guarded by [#HELD].
    private int users;

    /// Guarded by this. Null before the directory is locked.
    private @Nullable FileChannel channel;

    private DirectoryLock(Path directory, Object key) {
        this.directory = directory;
        this.key = key;
    }

    /// Locks a directory until `clean` is called on the result, or `owner` becomes unreachable.
    ///
    /// @throws IOException if a different process has the lock
    static Cleaner.Cleanable acquire(Path directory, Object owner) throws IOException {
        Path real = directory.toRealPath();
        Object fileKey = Files.readAttributes(real, BasicFileAttributes.class).fileKey();
        Object key = fileKey == null ? real : fileKey;
        DirectoryLock lock;
        synchronized (HELD) {
            lock = HELD.computeIfAbsent(key, _ -> new DirectoryLock(real, key));
            lock.users++;
        }
        boolean isLocked = false;
        try {
            lock.lock(); // may wait, so HELD must be free
            isLocked = true;
        } finally {
            if (!isLocked) lock.release();
        }
        return CLEANER.register(owner, lock::release);
    }

    private synchronized void lock() throws IOException {
        if (channel == null) channel = open(directory);
    }

    private static FileChannel open(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean isLocked = false;
        try {
            long end = System.nanoTime() + WAIT_NANOS;
            while (!tryLock(channel)) {
                if (System.nanoTime() - end > 0) {
                    throw new IOException("a different job writes checkpoints to " + directory + ": " + holder(channel)
                            + "; each job needs a separate directory");
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            isLocked = true;
            return channel;
        } finally {
            if (!isLocked) channel.close();
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return false; // locked by other code of this process, for example in a different class loader
        } catch (IOException e) {
            return true; // a file system without locks: jobs cannot be distinguished
        }
        if (lock == null) return false;
        try {
            byte[] text = ("process " + ProcessHandle.current().pid() + " on " + Host.name())
                    .getBytes(StandardCharsets.UTF_8);
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(text), 0);
        } catch (IOException e) {
            // ignored, for example if the disk is full: the text is only used in error messages of other jobs
        }
        return true;
    }

    private static String holder(FileChannel channel) {
        ByteBuffer text = ByteBuffer.allocate(MOST_HOLDER_BYTES);
        try {
            channel.read(text, 0);
        } catch (IOException e) {
            // unknown
        }
        String found = StandardCharsets.UTF_8.decode(text.flip()).toString();
        return found.isEmpty() ? "an unknown process" : found;
    }

    private void release() {
        synchronized (HELD) {
            if (--users > 0) return;
            HELD.remove(key);
            close(); // before this process can lock the same file again
        }
    }

    private synchronized void close() {
        try {
            if (channel != null) channel.close();
        } catch (IOException e) {
            // the system releases the lock with the process
        }
    }
}
