package org.tutti.job.os;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// A file that threads of the program write and map. If a thread is interrupted, the channel that it uses is
/// permanently closed for all threads. Therefore writes use no channel, and each mapping uses a separate
/// channel.
public final class MappedFile implements Closeable {
    /// The number of bytes per write.
    private static final int STEP = 1 << 18;

    private final String path;
    private final RandomAccessFile file;

    /// Opens the file at `path`, and creates it if it does not exist.
    public MappedFile(String path) throws IOException {
        this.path = path;
        file = new RandomAccessFile(path, "rw");
    }

    /// Maps `bytes` bytes, starting at `offset`, and extends the file if necessary. The mapping lasts as long
    /// as the arena, even after [#close].
    public MemorySegment map(long offset, long bytes, Arena arena) throws IOException {
        return map(offset, bytes, arena, _ -> {});
    }

    /// A check of a file that has been opened for a mapping; throws if the file must not be mapped.
    interface Check {
        void of(FileChannel opened) throws IOException;
    }

    /// Like [#map(long, long, Arena)], but executes `check` before the file is mapped.
    MemorySegment map(long offset, long bytes, Arena arena, Check check) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try (FileChannel channel =
                        FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    check.of(channel);
                    return channel.map(FileChannel.MapMode.READ_WRITE, offset, bytes, arena);
                } catch (ClosedByInterruptException e) {
                    interrupted = Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    /// Writes zeros to `bytes` bytes, starting at `offset`.
    public synchronized void clear(long offset, long bytes) throws IOException {
        byte[] zeros = new byte[(int) Math.min(bytes, STEP)];
        file.seek(offset);
        for (long left = bytes; left > 0; left -= zeros.length) file.write(zeros, 0, (int) Math.min(left, STEP));
    }

    /// Reads up to `bytes.length` bytes, starting at `offset`. Returns the number of bytes read, which is
    /// smaller only if the file ends before.
    synchronized int read(long offset, byte[] bytes) throws IOException {
        file.seek(offset);
        int done = 0;
        while (done < bytes.length) {
            int n = file.read(bytes, done, bytes.length - done);
            if (n < 0) break;
            done += n;
        }
        return done;
    }

    /// Removes all contents.
    public synchronized void truncate() throws IOException {
        file.setLength(0);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
