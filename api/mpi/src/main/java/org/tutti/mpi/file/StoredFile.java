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

/// A file of the system, read and written by position; by any thread, several at the same time.
///
/// The channel is the asynchronous one with an executor that runs tasks where they are given to it: another kind is
/// closed by the interrupt of a thread that uses it, and with it the file of all the others.
///
/// Who reads or writes takes a [#lock] around it, which is nothing on most file systems ([FileLocks]).
final class StoredFile {
    /// As much passes through memory of its own at a time, where data does not lie outside of the heap.
    static final int PIECE_BYTES = 256 << 10;

    /// As much is read or written by one call of the system.
    private static final int MOST_BYTES = 64 << 20;

    private static final int SPARE_PIECES = 4;

    private final Path path;
    private final AsynchronousFileChannel channel;
    private final FileMode mode;
    private final ArrayDeque<MemorySegment> pieces = new ArrayDeque<>();

    /// Whether each access takes a lock.
    private volatile boolean locks;

    private StoredFile(Path path, AsynchronousFileChannel channel, FileMode mode) {
        this.path = path;
        this.channel = channel;
        this.mode = mode;
    }

    /// @throws StorageException when it cannot be opened
    static StoredFile open(String name, FileMode mode) {
        try {
            Path path = pathOf(name);
            // a directory can be opened, and fails at its first use
            if (Files.isDirectory(path)) throw isDirectory();
            return new StoredFile(path, AsynchronousFileChannel.open(path, mode.options(), new Direct()), mode);
        } catch (NoSuchFileException e) {
            throw notThere(name, mode.create() ? "" : "; pass Mode.CREATE with RDWR or WRONLY to make one", e);
        } catch (IOException e) {
            throw StorageException.of(e, "");
        } catch (UnsupportedOperationException e) {
            throw new StorageException(PredefinedErrorClass.ERR_BAD_FILE, "this is no file to be read or written", e);
        }
    }

    /// Whether it lies where hosts keep copies of their own, so that accesses need locks.
    boolean needsLocks() {
        try {
            return FileLocks.areNeeded(path);
        } catch (IOException e) {
            // a system that does not say where files lie, as in a root directory without /proc
            return false;
        }
    }

    /// From now on each access takes a lock, or none does.
    void locks(boolean on) {
        locks = on;
    }

    /// Waits for a lock on the bytes `from` to `to`, for one access, where accesses take them; else null.
    FileLocks.@Nullable Held lock(long from, long to, boolean writes) {
        return locks && from < to ? FileLocks.lock(channel, from, to, writes) : null;
    }

    /// The same of what a view shows as its packed bytes from `first` on.
    FileLocks.@Nullable Held lock(FileView view, long first, long bytes, boolean writes) {
        if (!locks || bytes == 0) return null;
        // where file types overlap, the last packed byte need not be the last one of the file
        boolean ordered = view.tiling().isAscending();
        long to = ordered ? view.position(first + bytes - 1) + 1 : Long.MAX_VALUE;
        return lock(ordered ? view.position(first) : view.displacement(), to, writes);
    }

    /// Makes an empty file; false when it is there.
    ///
    /// @throws StorageException when it cannot be made, or is there and must not be
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

    /// @throws StorageException when it cannot be deleted
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

    /// A file, or the directory that it would be in.
    ///
    /// @param hint what to do about the file
    private static StorageException notThere(String name, String hint, NoSuchFileException why) {
        Path path = pathOf(name), directory = path.getParent();
        String what = directory != null && Files.notExists(directory)
                ? "its directory " + directory + " is not there"
                : (Path.of(name).isAbsolute() ? "there is no such file" : "there is no file " + path) + hint;
        return new StorageException(PredefinedErrorClass.ERR_NO_SUCH_FILE, what, why);
    }

    private static StorageException isDirectory() {
        return new StorageException(PredefinedErrorClass.ERR_BAD_FILE, "this is a directory", null);
    }

    /// Reads `bytes` bytes from byte `position` of the file on, or what there is until its end; how many.
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

    /// Writes `bytes` bytes from byte `position` of the file on.
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

    /// It is there already, so that no interrupt is looked at.
    static <T> T result(Future<T> done) throws IOException {
        try {
            return done.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException io) throw io;
            if (e.getCause() instanceof RuntimeException r) throw r;
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException("a call of the system that was not over", e);
        }
    }

    /// Memory of [#PIECE_BYTES] for a moment.
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
        // the length, too, is a copy that may be old
        try (var _ = lock(0, 1, !mode.reads())) {
            return channel.size();
        } catch (IOException e) {
            throw StorageException.of(e, "");
        }
    }

    /// Cuts it off, or makes it longer by zeros that take no space.
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

    /// Makes it at least so long, by zeros that take their space; or leaves it as it was.
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
            String what = "the file system has " + left + " bytes left, and " + bytes + " more are asked for";
            throw new StorageException(PredefinedErrorClass.ERR_NO_SPACE, what, null);
        } catch (IOException e) {
            throw StorageException.of(e, "");
        }
    }

    /// What was written is on the disk when it returns.
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

    /// Runs each task in the thread that gives it.
    private static final class Direct extends AbstractExecutorService {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {
            // there is nothing to end
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
