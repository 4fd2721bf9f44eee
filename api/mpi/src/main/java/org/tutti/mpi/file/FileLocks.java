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

/// Locks on parts of files, around each access on file systems whose hosts keep copies of what they have read and
/// written. An NFS client looks for others' writes when it gets a lock, and sends its own before it gives it back.
///
///     a rank:    thisProcess.lock() ─▶ lock of the system ─▶ read or write ─▶ both given back
///
/// The system's lock is the process's, not a thread's: Java refuses one that overlaps another one of the same JVM,
/// and Linux ends them all when the process closes the file anywhere. So one thread of the JVM has one at a time,
/// and a file is closed while none has. That is one for all files, not one for each: a process that has a lock
/// and waits for another one can be told of a deadlock (`EDEADLK`) that its threads have not.
final class FileLocks {
    private static final ReentrantLock THIS_PROCESS = new ReentrantLock();

    /// By the device, because to ask for the type takes as long as to open a file.
    private static final ConcurrentHashMap<Object, Boolean> KNOWN = new ConcurrentHashMap<>();

    private FileLocks() {}

    /// Held for one access.
    static final class Held implements AutoCloseable {
        private final FileLock lock;

        private Held(FileLock lock) {
            this.lock = lock;
        }

        /// Gives it back.
        ///
        /// @throws StorageException when the system fails; it is given back then, too
        @Override
        public void close() {
            try {
                lock.release();
            } catch (IOException e) {
                throw StorageException.of(e, "a lock could not be given back");
            } finally {
                THIS_PROCESS.unlock();
            }
        }
    }

    /// Waits for a lock on the bytes `from` to `to` of the file.
    ///
    /// @param exclusive for what is to be written; else others may read, too
    /// @throws StorageException when the file system has no locks, or the program itself has one there
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

    /// Closes a channel while no thread of the process has a lock, which it would lose.
    static void close(AsynchronousFileChannel channel) throws IOException {
        THIS_PROCESS.lock();
        try {
            channel.close();
        } finally {
            THIS_PROCESS.unlock();
        }
    }

    /// Whether the file lies where hosts keep copies of their own.
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

    /// Of a type as the system calls it. Lustre, GPFS, Ceph and the like show all hosts the same bytes by themselves.
    static boolean keepsCopies(String type) {
        String lower = type.toLowerCase(Locale.ROOT);
        return lower.startsWith("nfs") || lower.startsWith("smb") || lower.equals("cifs");
    }
}
