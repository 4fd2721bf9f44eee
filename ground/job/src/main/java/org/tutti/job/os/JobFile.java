package org.tutti.job.os;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;

/// The shared memory of a job: a sparse file, mapped by all processes of the job. The launcher creates the
/// file, and ranks open it through the launcher's descriptor, so that it needs no name.
///
///     |  header page  |  a page per rank: JobStatus  |  engine area, from JobStatus.bytes(size) on …      |
public final class JobFile implements AutoCloseable {
    /// The size of a job's file. It is only address space, which has no cost until it is written.
    public static final long BYTES = 1L << 38;

    /// Extents of at least this size are considered to be memory that the program has requested.
    private static final long LARGE = 1L << 20;

    private static final String NAMELESS = "/proc/";

    /// An upper bound, in bytes, of the space that large requests must leave free: the size of all rings of a
    /// job.
    private static final long MOST_RESERVE = 32L << 20;

    private final MappedFile file;
    private final String path;
    private final Closer closer;

    /// The identity of the opened file; null if the path can never refer to a different file.
    private final @Nullable Object identity;

    private volatile boolean hidden;

    /// Releases the resources of a file that this process has created.
    public interface Closer {
        void close() throws IOException;
    }

    /// Creates a job file from an open channel. Other processes of this user can open the file at `path`.
    public JobFile(FileChannel channel, String path) throws IOException {
        this(new MappedFile(path), path, channel::close);
    }

    /// Creates a job file from a mapped file. `closer` runs when the job file is closed.
    public JobFile(MappedFile file, String path, Closer closer) {
        this(file, path, closer, null);
    }

    private JobFile(MappedFile file, String path, Closer closer, @Nullable Object identity) {
        this.file = file;
        this.path = path;
        this.closer = closer;
        this.identity = identity;
    }

    /// Opens a file that exists as long as the process that has created it.
    public static JobFile attach(String path) throws IOException {
        if (!Files.exists(Path.of(path))) throw new NoSuchFileException(path);
        return new JobFile(new MappedFile(path), path, () -> {});
    }

    /// Opens a file that a different process has created with `label` and may close at any time. The path may
    /// then refer to any other file of that process.
    ///
    /// @throws IOException if the file cannot be opened, or if the path refers to a different file
    public static JobFile attach(String path, String label) throws IOException {
        if (!path.startsWith(NAMELESS)) return attach(path);
        Object identity = NamelessFiles.identity(path);
        JobFile file = new JobFile(new MappedFile(path), path, () -> {}, identity);
        try {
            if (NamelessFiles.isOne(path, label) && NamelessFiles.identity(path).equals(identity)) return file;
            throw new NoSuchFileException(path);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /// Returns the path at which other processes of this user can open the file. It is valid while the process
    /// that has created the file is alive.
    public String path() {
        return path;
    }

    /// Returns whether the file disappears if the process that has created it is killed.
    public boolean isNameless() {
        return path.startsWith(NAMELESS);
    }

    /// Maps `bytes` bytes, starting at `offset`. The mapping lasts as long as the arena, even after [#close].
    public MemorySegment map(long offset, long bytes, Arena arena) throws IOException {
        if (hidden) throw new IOException(path + " was closed");
        return file.map(offset, bytes, arena, opened -> {
            // the mapping could extend the file, so first check that the path still refers to the same file
            boolean isOther = identity != null && !identity.equals(NamelessFiles.identity(path));
            if (isOther || opened.size() < offset + bytes) throw new NoSuchFileException(path);
        });
    }

    /// Returns the 64-bit integer at `offset`, in native order; 0 if it was not written. A mapping would
    /// allocate memory for the read, and crash if no memory is left.
    public long word(long offset) throws IOException {
        byte[] word = new byte[Long.BYTES];
        file.read(offset, word); // bytes after the end of the file are zero
        return ByteBuffer.wrap(word).order(ByteOrder.nativeOrder()).getLong();
    }

    /// Allocates the memory of an extent by writing zeros. If the file system has no space, this method throws
    /// an exception, whereas the first access through the mapping would crash. A request for more than the
    /// machine's available memory is refused before that, because a file in memory may have no limit, and the
    /// system would then kill processes.
    public void commit(long offset, long bytes) {
        try {
            Host.checkMemory(bytes);
        } catch (IOException e) {
            throw noRoom(bytes, e, "");
        }
        try {
            file.clear(offset, bytes);
        } catch (IOException e) {
            throw noRoom(bytes, e, bound());
        }
    }

    private UncheckedIOException noRoom(long bytes, IOException why, String more) {
        return new UncheckedIOException(
                "no space for " + bytes + " bytes of shared memory (" + path + "): " + why.getMessage() + more, why);
    }

    /// Refuses sizes that do not fit into a file system of fixed size, such as a container's `/dev/shm`: a
    /// write that fails would occupy all remaining space, and no space would remain for the job's next message.
    /// For the same reason, large requests cannot use the last eighth of the file system, or its last 32 MiB if
    /// this is smaller.
    ///
    /// @throws IOException with the size of the file system and the available space
    public void checkRoom(long bytes) throws IOException {
        if (bytes < LARGE) return;
        File at = new File(path);
        long all = at.getTotalSpace(); // 0 if unlimited, as for memory without a file system
        if (all == 0) return;
        long left = at.getUsableSpace();
        if (bytes > left - Math.min(all / 8, MOST_RESERVE)) {
            throw new IOException(left + " bytes of the file system are free" + bound());
        }
    }

    private String bound() {
        long all = new File(path).getTotalSpace();
        if (all == 0) return "";
        return "; the file system, /dev/shm or the directory for temporary files, has " + all + " bytes: enlarge it"
                + " (docker run --shm-size=1g), or use memory without a file system (--enable-native-access=ALL-UNNAMED, as tutti run does)";
    }

    /// Closes the file for other processes, and for further mappings of this process. The memory is released
    /// when the last mapping and this object are closed.
    public void hide() throws IOException {
        closer.close();
        hidden = true;
    }

    @Override
    public void close() throws IOException {
        file.close();
        if (!hidden) hide();
    }
}
