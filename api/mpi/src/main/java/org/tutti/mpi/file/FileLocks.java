package org.tutti.mpi.file;

import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.PredefinedErrorClass;

/// Locks on parts of files around each access, for file systems whose hosts cache data. An NFS client
/// revalidates the cache when it acquires a lock, and writes back changes before it releases the lock.
///
///     a rank:    thisProcess.lock() ─▶ lock of the system ─▶ read or write ─▶ release of the two locks
///
/// A lock of the system is held by the process, not by a thread: Java rejects a lock that overlaps a second
/// lock of the same JVM, and Linux releases all locks of a process on a file when the process closes any
/// descriptor of that file. Therefore, only one thread of the JVM holds a lock at a time, and a file is closed
/// only while no lock is held. The JVM holds only one lock at a time, even if the locks are on different files:
/// a process that holds a lock and waits for a second one could receive a deadlock error (`EDEADLK`) although
/// its threads are not deadlocked.
final class FileLocks {
    private static final ReentrantLock THIS_PROCESS = new ReentrantLock();

    /// Whether hosts cache data, for each device. The values are cached, because a query of the file system's
    /// type takes as long as opening a file.
    private static final ConcurrentHashMap<Object, Boolean> KNOWN = new ConcurrentHashMap<>();

    private FileLocks() {}

    /// A lock held for one access.
    static final class Held implements AutoCloseable {
        private final FileLock lock;

        private Held(FileLock lock) {
            this.lock = lock;
        }

        /// Releases the lock.
        ///
        /// @throws StorageException if the system reports an error; the lock is released nevertheless
        @Override
        public void close() {
            try {
                lock.release();
            } catch (IOException e) {
                throw StorageException.of(e, "a lock could not be released");
            } finally {
                THIS_PROCESS.unlock();
            }
        }
    }

    /// Waits for a lock on the bytes `from` to `to` of the file.
    ///
    /// @param exclusive true for writing; false for reading, so that other readers are admitted
    /// @throws StorageException if the file system does not support locks, or if the program itself holds a
    ///     lock on these bytes
    static Held lock(AsynchronousFileChannel channel, long from, long to, boolean exclusive) {
        THIS_PROCESS.lock();
        try {
            return new Held(StoredFile.result(channel.lock(from, to - from, !exclusive)));
        } catch (IOException e) {
            THIS_PROCESS.unlock();
            throw StorageException.of(
                    e,
                    "bytes " + from + " to " + to + " were not locked; without locks: " + FileHints.LOCKS + "=false");
        } catch (OverlappingFileLockException e) {
            THIS_PROCESS.unlock();
            String what = "the program itself has locked some of the bytes " + from + " to " + to;
            throw new StorageException(PredefinedErrorClass.ERR_IO, what, e);
        } catch (RuntimeException | Error e) {
            THIS_PROCESS.unlock();
            throw e;
        }
    }

    /// Closes a channel while no thread of the process holds a lock, because closing would release the lock.
    static void close(AsynchronousFileChannel channel) throws IOException {
        THIS_PROCESS.lock();
        try {
            channel.close();
        } finally {
            THIS_PROCESS.unlock();
        }
    }

    /// Returns whether hosts cache the content of the file.
    static boolean areNeeded(Path path) throws IOException {
        Object device;
        try {
            device = Files.getAttribute(path, "unix:dev");
        } catch (UnsupportedOperationException | IllegalArgumentException e) {
            return keepsCopies(Files.getFileStore(path).type());
        }
        @Nullable Boolean known = KNOWN.get(device);
        if (known == null) {
            known = keepsCopies(Files.getFileStore(path).type());
            KNOWN.put(device, known);
        }
        return known;
    }

    /// Returns whether hosts cache data on a file system of this type. Lustre, GPFS, Ceph and similar file
    /// systems are coherent.
    static boolean keepsCopies(String type) {
        String lower = type.toLowerCase(Locale.ROOT);
        return lower.startsWith("nfs") || lower.startsWith("smb") || lower.equals("cifs");
    }
}
