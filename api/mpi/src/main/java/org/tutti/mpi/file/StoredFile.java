package org.tutti.mpi.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.PredefinedErrorClass;

/// A file of the system, with positional reads and writes. Thread-safe.
///
/// The class uses an asynchronous channel, with an executor that runs each task in the calling thread. Any
/// other channel is closed when a thread that uses it is interrupted, and then all users of the file would
/// fail.
///
/// Readers and writers acquire a [#lock], which has no effect on most file systems ([FileLocks]).
final class StoredFile {
    /// The size of the intermediate buffer for data on the heap.
    static final int PIECE_BYTES = 256 << 10;

    /// The maximum number of bytes per system call.
    private static final int MOST_BYTES = 64 << 20;

    private static final int SPARE_PIECES = 4;

    private final Path path;
    private final AsynchronousFileChannel channel;
    private final FileMode mode;
    private final ArrayDeque<MemorySegment> pieces = new ArrayDeque<>();

    /// Whether each access is protected by a lock.
    private volatile boolean locks;

    private StoredFile(Path path, AsynchronousFileChannel channel, FileMode mode) {
        this.path = path;
        this.channel = channel;
        this.mode = mode;
    }

    /// Opens a file. Throws a [StorageException] if the file cannot be opened.
    static StoredFile open(String name, FileMode mode) {
        try {
            Path path = pathOf(name);
            // a directory can be opened, but fails on first use
            if (Files.isDirectory(path)) throw isDirectory();
            return new StoredFile(path, AsynchronousFileChannel.open(path, mode.options(), new Direct()), mode);
        } catch (NoSuchFileException e) {
            throw notThere(name, mode.create() ? "" : "; pass Mode.CREATE with RDWR or WRONLY to create it", e);
        } catch (IOException e) {
            throw StorageException.of(e, "");
        } catch (UnsupportedOperationException e) {
            throw new StorageException(PredefinedErrorClass.ERR_BAD_FILE, "this is not a readable or writable file", e);
        }
    }

    /// Returns whether hosts cache the content of the file, so that accesses need locks.
    boolean needsLocks() {
        try {
            return FileLocks.areNeeded(path);
        } catch (IOException e) {
            // the system does not report mount points, for example because the root directory has no /proc
            return false;
        }
    }

    /// Enables or disables locks for later accesses.
    void locks(boolean on) {
        locks = on;
    }

    /// Waits for a lock on the bytes `from` to `to` for one access; returns null if locks are disabled.
    FileLocks.@Nullable Held lock(long from, long to, boolean writes) {
        return locks && from < to ? FileLocks.lock(channel, from, to, writes) : null;
    }

    /// Waits for a lock on the part of the file that contains these packed bytes, starting at `first`.
    FileLocks.@Nullable Held lock(FileView view, long first, long bytes, boolean writes) {
        if (!locks || bytes == 0) return null;
        // if the file type is not in ascending order, the last packed byte need not be the last byte in the
        // file
        boolean ordered = view.tiling().isAscending();
        long to = ordered ? view.position(first + bytes - 1) + 1 : Long.MAX_VALUE;
        return lock(ordered ? view.position(first) : view.displacement(), to, writes);
    }

    /// Creates an empty file. Returns false if the file exists.
    ///
    /// @throws StorageException if the file cannot be created, or exists although `exclusive` is set
    static boolean create(String name, boolean exclusive) {
        try {
            Files.createFile(pathOf(name));
            return true;
        } catch (FileAlreadyExistsException e) {
            if (exclusive) throw StorageException.of(e, "");
            return false;
        } catch (NoSuchFileException e) {
            throw notThere(name, "", e);
        } catch (IOException e) {
            throw StorageException.of(e, "");
        }
    }

    /// Deletes a file. Throws a [StorageException] if the file cannot be deleted.
    static void delete(String name) {
        try {
            Path path = pathOf(name);
            if (Files.isDirectory(path)) throw isDirectory();
            Files.delete(path);
        } catch (NoSuchFileException e) {
            throw notThere(name, "", e);
        } catch (IOException e) {
            throw StorageException.of(e, "");
        }
    }

    private static Path pathOf(String name) {
        try {
            if (!name.isEmpty()) return Path.of(name).toAbsolutePath();
            throw new StorageException(PredefinedErrorClass.ERR_BAD_FILE, "the path is empty", null);
        } catch (InvalidPathException e) {
            throw new StorageException(PredefinedErrorClass.ERR_BAD_FILE, String.valueOf(e.getMessage()), e);
        }
    }

    /// Returns the exception for a missing file or a missing parent directory.
    ///
    /// @param hint the advice for a missing file
    private static StorageException notThere(String name, String hint, NoSuchFileException why) {
        Path path = pathOf(name), directory = path.getParent();
        String what = directory != null && Files.notExists(directory)
                ? "directory " + directory + " does not exist"
                : (Path.of(name).isAbsolute() ? "the file does not exist" : "file " + path + " does not exist") + hint;
        return new StorageException(PredefinedErrorClass.ERR_NO_SUCH_FILE, what, why);
    }

    private static StorageException isDirectory() {
        return new StorageException(PredefinedErrorClass.ERR_BAD_FILE, "this is a directory", null);
    }

    /// Reads `bytes` bytes, starting at byte `position` of the file, or fewer bytes at the end of the file.
    /// Returns the number of bytes read.
    long read(long position, MemorySegment to, long toAt, long bytes) {
        long done = 0;
        try {
            while (done < bytes) {
                int n = to.isNative()
                        ? transfer(to, toAt + done, bytes - done, position + done, false)
                        : readByPieces(position + done, to, toAt + done, bytes - done);
                if (n <= 0) break;
                done += n;
            }
            return done;
        } catch (IOException e) {
            throw StorageException.of(e, done + " of " + bytes + " bytes were read at byte " + position);
        }
    }

    private int readByPieces(long position, MemorySegment to, long toAt, long bytes) throws IOException {
        MemorySegment piece = takePiece();
        try {
            int n = transfer(piece, 0, Math.min(bytes, PIECE_BYTES), position, false);
            if (n > 0) MemorySegment.copy(piece, 0, to, toAt, n);
            return n;
        } finally {
            giveBack(piece);
        }
    }

    /// Writes `bytes` bytes starting at byte `position` of the file.
    void write(long position, MemorySegment from, long fromAt, long bytes) {
        long done = 0;
        try {
            while (done < bytes) {
                done += from.isNative()
                        ? transfer(from, fromAt + done, bytes - done, position + done, true)
                        : writePiece(position + done, from, fromAt + done, bytes - done);
            }
        } catch (IOException e) {
            throw StorageException.of(e, done + " of " + bytes + " bytes were written at byte " + position);
        }
    }

    private int writePiece(long position, MemorySegment from, long fromAt, long bytes) throws IOException {
        MemorySegment piece = takePiece();
        try {
            long n = Math.min(bytes, PIECE_BYTES);
            MemorySegment.copy(from, fromAt, piece, 0, n);
            return transfer(piece, 0, n, position, true);
        } finally {
            giveBack(piece);
        }
    }

    private int transfer(MemorySegment memory, long at, long bytes, long position, boolean writes) throws IOException {
        ByteBuffer buffer = memory.asSlice(at, Math.min(bytes, MOST_BYTES)).asByteBuffer();
        Future<Integer> done = writes ? channel.write(buffer, position) : channel.read(buffer, position);
        return result(done);
    }

    /// Returns the result of a task. The result is already available, so interrupts have no effect.
    static <T> T result(Future<T> done) throws IOException {
        try {
            return done.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException io) throw io;
            if (e.getCause() instanceof RuntimeException r) throw r;
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException("a system call was not complete", e);
        }
    }

    /// Borrows a buffer of [#PIECE_BYTES].
    MemorySegment takePiece() {
        synchronized (pieces) {
            MemorySegment spare = pieces.pollLast();
            if (spare != null) return spare;
        }
        return Arena.ofAuto().allocate(PIECE_BYTES, 64);
    }

    void giveBack(MemorySegment piece) {
        synchronized (pieces) {
            if (pieces.size() < SPARE_PIECES) pieces.addLast(piece);
        }
    }

    long size() {
        // hosts may also cache the length of the file; with the lock, this host reads the current length from
        // the server
        try (var _ = lock(0, 1, !mode.reads())) {
            return channel.size();
        } catch (IOException e) {
            throw StorageException.of(e, "");
        }
    }

    /// Truncates the file, or extends it by a hole.
    void resize(long bytes) {
        try (var _ = lock(0, Long.MAX_VALUE, true)) {
            if (channel.size() >= bytes) {
                channel.truncate(bytes);
            } else {
                MemorySegment last = Arena.ofAuto().allocate(1);
                write(bytes - 1, last, 0, 1);
            }
        } catch (IOException e) {
            throw StorageException.of(e, "");
        }
    }

    /// Extends the file to at least this size by writing zeros, so that the storage is allocated. If this
    /// fails, the file is unchanged.
    void fill(long bytes) {
        long old = size();
        checkSpace(bytes - old);
        MemorySegment zeros = Arena.ofAuto().allocate(PIECE_BYTES, 64);
        try (var _ = lock(0, Long.MAX_VALUE, true)) {
            for (long at = old; at < bytes; ) {
                long n = Math.min(bytes - at, PIECE_BYTES);
                write(at, zeros, 0, n);
                at += n;
            }
        } catch (StorageException e) {
            resize(old);
            throw e;
        }
    }

    private void checkSpace(long bytes) {
        try {
            long left = Files.getFileStore(path).getUsableSpace();
            if (bytes <= left) return;
            String what = "the file system has " + left + " bytes left, but " + bytes + " more are needed";
            throw new StorageException(PredefinedErrorClass.ERR_NO_SPACE, what, null);
        } catch (IOException e) {
            throw StorageException.of(e, "");
        }
    }

    /// Writes all data to the disk before returning.
    void force() {
        try {
            channel.force(false);
        } catch (IOException e) {
            throw StorageException.of(e, "");
        }
    }

    void close() {
        try {
            FileLocks.close(channel);
        } catch (IOException e) {
            throw StorageException.of(e, "");
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }

    /// Runs each task in the calling thread.
    private static final class Direct extends AbstractExecutorService {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {
            // there are no threads to stop
        }

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }
}
