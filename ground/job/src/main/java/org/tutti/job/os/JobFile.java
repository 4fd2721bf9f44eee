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

/// The shared memory of a job: a sparse file that its processes map. The launcher creates it, ranks open
/// it through the launcher's descriptor, so that it needs no name.
///
///     |  header page  |  a page per rank: JobStatus  |  engine area, from JobStatus.bytes(size) on …      |
public final class JobFile implements AutoCloseable {
    /// The whole of a job's file, address space that costs nothing until it is written.
    public static final long BYTES = 1L << 38;

    /// From here on memory is what a program asked for.
    private static final long LARGE = 1L << 20;

    private static final String NAMELESS = "/proc/";

    /// What all rings of a job take.
    private static final long MOST_RESERVE = 32L << 20;

    private final MappedFile file;
    private final String path;
    private final Closer closer;

    /// What it is that was opened; null where that cannot be another file the next time.
    private final @Nullable Object identity;

    private volatile boolean hidden;

    /// Gives back what keeps a file that this process has made.
    public interface Closer {
        void close() throws IOException;
    }

    /// A file that is open here and that other processes of this user can open at `path`.
    public JobFile(FileChannel channel, String path) throws IOException {
        this(new MappedFile(path), path, channel::close);
    }

    /// The same, with what is to be done when it is closed.
    public JobFile(MappedFile file, String path, Closer closer) {
        this(file, path, closer, null);
    }

    private JobFile(MappedFile file, String path, Closer closer, @Nullable Object identity) {
        this.file = file;
        this.path = path;
        this.closer = closer;
        this.identity = identity;
    }

    /// Opens the file that another process keeps for as long as it lives.
    public static JobFile attach(String path) throws IOException {
        if (!Files.exists(Path.of(path))) throw new NoSuchFileException(path);
        return new JobFile(new MappedFile(path), path, () -> {});
    }

    /// Opens a file that another process has made under `label` and may close at any time: then any file of its
    /// program can be at that path.
    ///
    /// @throws IOException also when another one is there
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

    /// Where other processes of this user open it, while the process that created it lives.
    public String path() {
        return path;
    }

    /// Whether nothing is left of it when the process that has made it is killed.
    public boolean isNameless() {
        return path.startsWith(NAMELESS);
    }

    /// Maps `bytes` bytes from `offset` on; they stay mapped while the arena lives, also after [#close].
    public MemorySegment map(long offset, long bytes, Arena arena) throws IOException {
        if (hidden) throw new IOException(path + " was given back");
        return file.map(offset, bytes, arena, opened -> {
            // whatever it is, it must not be made longer
            boolean isOther = identity != null && !identity.equals(NamelessFiles.identity(path));
            if (isOther || opened.size() < offset + bytes) throw new NoSuchFileException(path);
        });
    }

    /// The 64-bit word at `offset`, in native order; 0 where nothing was written. To read through a
    /// mapping would take memory for that, and crash where there is none.
    public long word(long offset) throws IOException {
        byte[] word = new byte[Long.BYTES];
        file.read(offset, word); // behind the end of the file there are zeros
        return ByteBuffer.wrap(word).order(ByteOrder.nativeOrder()).getLong();
    }

    /// Takes the memory of an extent that was never touched, by writing zeros: a file system without room
    /// is an exception here instead of a crash at the first access through the mapping. More than the machine has
    /// left is refused before: a file in memory may have no bound, and then the system kills processes.
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
                "no room for " + bytes + " bytes of shared memory (" + path + "): " + why.getMessage() + more, why);
    }

    /// Refuses what does not fit into a file system of fixed size, as a container's `/dev/shm`: a write that fails
    /// there keeps all room that was left, and then the job has none for its next message. For the same reason
    /// what is large does not get the last eighth, or the last 32 MiB.
    ///
    /// @throws IOException with the size of the file system and what is left of it
    public void checkRoom(long bytes) throws IOException {
        if (bytes < LARGE) return;
        File at = new File(path);
        long all = at.getTotalSpace(); // 0 where there is no bound, as for memory without a file system
        if (all == 0) return;
        long left = at.getUsableSpace();
        if (bytes > left - Math.min(all / 8, MOST_RESERVE)) {
            throw new IOException(left + " bytes of its file system are free" + bound());
        }
    }

    private String bound() {
        long all = new File(path).getTotalSpace();
        if (all == 0) return "";
        return "; the file system, /dev/shm or the directory for temporary files, has " + all + " bytes: give it more"
                + " (docker run --shm-size=1g), or take memory without one (--enable-native-access=ALL-UNNAMED, as tutti run does)";
    }

    /// No process opens it any more, and this one maps no more of it. Its memory goes with the last mapping and,
    /// like it, with this object.
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
