package org.tutti.train.checkpoint;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tutti.job.Host;

/// The right to write checkpoints into a directory, which one process has at a time: two jobs in one
/// directory would delete each other's checkpoints, and continue from them.
///
/// All [Checkpoints] of a process share the lock of a directory. It ends with the last of them, or with the
/// process.
final class DirectoryLock {
    private static final String FILE = ".lock";

    /// Maximum time to wait for another process, which may be about to end.
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int MOST_HOLDER_BYTES = 300;
    private static final Cleaner CLEANER = Cleaner.create();
    private static final Map<Path, DirectoryLock> HELD = new HashMap<>();

    private final Path directory;
    private final FileChannel channel;
    private int users;

    private DirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    /// Locks a directory until the result is cleaned, or `owner` is unreachable.
    ///
    /// @throws IOException when another process has it
    static Cleaner.Cleanable acquire(Path directory, Object owner) throws IOException {
        Path real = directory.toRealPath();
        DirectoryLock lock;
        synchronized (HELD) {
            lock = HELD.get(real);
            if (lock == null) {
                lock = open(real);
                HELD.put(real, lock);
            }
            lock.users++;
        }
        return CLEANER.register(owner, lock::release);
    }

    private static DirectoryLock open(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean isLocked = false;
        try {
            long end = System.nanoTime() + WAIT_NANOS;
            while (!tryLock(channel)) {
                if (System.nanoTime() - end > 0) {
                    throw new IOException("another job writes its checkpoints into " + directory + ": "
                            + holder(channel) + "; each job needs a directory of its own");
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            isLocked = true;
            return new DirectoryLock(directory, channel);
        } finally {
            if (!isLocked) channel.close();
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (IOException e) {
            return true; // a file system without locks: jobs cannot be told apart
        }
        if (lock == null) return false;
        try {
            byte[] text = ("process " + ProcessHandle.current().pid() + " on " + Host.name())
                    .getBytes(StandardCharsets.UTF_8);
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(text), 0);
        } catch (IOException e) {
            // the text is only for the message of another job; the disk may be full
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
            HELD.remove(directory);
            try {
                channel.close();
            } catch (IOException e) {
                // the system releases the lock with the process
            }
        }
    }
}
