package org.tutti.mpi.bootstrap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// The shared memory of a job: a sparse file that its processes map. The launcher creates it, ranks open
/// it through the launcher's descriptor, so that it needs no name.
///
///     |  header page  |  a page per rank: JobBoard  |  engine area, from JobBoard.bytes(size) on …      |
public final class JobFile implements AutoCloseable {
    /// The whole of a job's file, address space that costs nothing until it is written.
    public static final long BYTES = 1L << 38;

    /// What is written at a time to commit an extent.
    private static final int COMMIT_STEP = 1 << 20;

    private final FileChannel channel;
    private final String path;
    private final Runnable onClose;

    /// A file that is open here and that other processes of this user can open at `path`.
    public JobFile(FileChannel channel, String path) {
        this(channel, path, () -> {});
    }

    /// The same, with what is to be done when it is closed: a door may hold a descriptor beside the
    /// channel's.
    public JobFile(FileChannel channel, String path, Runnable onClose) {
        this.channel = channel;
        this.path = path;
        this.onClose = onClose;
    }

    /// Opens another process's file.
    public static JobFile attach(String path) throws IOException {
        return new JobFile(FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE), path);
    }

    /// Where other processes of this user open it, while the process that created it lives.
    public String path() {
        return path;
    }

    /// Maps `bytes` bytes from `offset` on; they stay mapped while the arena lives, also after [#close].
    public MemorySegment map(long offset, long bytes, Arena arena) throws IOException {
        return channel.map(FileChannel.MapMode.READ_WRITE, offset, bytes, arena);
    }

    /// The 64-bit word at `offset`, in native order; 0 where nothing was written. To read through a
    /// mapping would take memory for that, and crash where there is none.
    long word(long offset) throws IOException {
        ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        while (word.hasRemaining()) {
            if (channel.read(word, offset + word.position()) < 0) return 0; // behind the end of the file
        }
        return word.getLong(0);
    }

    /// Takes the memory of an extent that was never touched, by writing zeros: a file system without room
    /// is an exception here instead of a crash at the first access through the mapping.
    public void commit(long offset, long bytes) {
        ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(bytes, COMMIT_STEP));
        try {
            for (long done = 0; done < bytes; ) {
                zeros.clear().limit((int) Math.min(bytes - done, zeros.capacity()));
                done += channel.write(zeros, offset + done);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "no room for " + bytes + " bytes of shared memory (" + path + "): " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
        onClose.run();
    }
}
