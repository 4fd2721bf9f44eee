package org.tutti.train.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// Writes files so that the previous or the new version exists after a crash at any moment: each file is written
/// under a temporary name in the same directory, forced to disk and renamed.
public final class DurableFile {
    private static final String UNFINISHED = ".unfinished-";

    private DurableFile() {}

    /// Writes the content of a file.
    @FunctionalInterface
    public interface Content {
        /// @return the number of bytes
        long write(FileChannel to) throws IOException;
    }

    /// Creates or replaces `file`.
    ///
    /// @return the number of bytes
    public static long write(Path file, Content content) throws IOException {
        Path unfinished = unfinished(file);
        try {
            return write(unfinished, file, content);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /// As [#write(Path, Content)], for a short file.
    public static void write(Path file, byte[] content) throws IOException {
        write(file, channel -> {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) channel.write(bytes);
            return content.length;
        });
    }

    /// Returns a temporary name, which differs between processes. Readers of directories ignore files with such
    /// names.
    private static Path unfinished(Path file) {
        return file.resolveSibling(
                "." + file.getFileName() + UNFINISHED + ProcessHandle.current().pid());
    }

    /// @param unfinished the temporary name; after a failure, the file remains under this name
    static long write(Path unfinished, Path file, Content content) throws IOException {
        return NamedFile.on(file, () -> {
            long bytes = writeForced(unfinished, content, file);
            forceDirectoryOf(file);
            return bytes;
        });
    }

    private static long writeForced(Path unfinished, Content content, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            lock(channel);
            long bytes = content.write(channel);
            channel.force(true);
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return bytes;
        }
    }

    /// Locks the file while it is open, so that other processes do not mistake it for a file left by a
    /// terminated process.
    private static void lock(FileChannel channel) {
        try {
            channel.tryLock();
        } catch (IOException e) {
            // the file system has no locks, so terminated processes cannot be recognised, and no file is
            // deleted
        }
    }

    /// Forces the directory, which contains the new name of the file, to disk. If the system does not support
    /// this, only the contents of the file are certain to be on disk.
    private static void forceDirectoryOf(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null) return;
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // Windows cannot open directories
        }
    }
}
