package org.tutti.serve.job;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The directory of one job, `jobs/<id>`:
///
///     job.jsonl       lines, each in one write and then an fsync: what the job is, its argument, changes
///                     of state, and before that of `done` a result that is small
///     result.json     a larger one, under its name once it is whole
///     events-<place>  what the job says, see EventLog
///
/// A new one is made under a name with a dot and renamed when it is whole. A last line without an end was
/// cut off by a crash and is no line. Links are not followed.
public final class JobDirectory {
    private static final String LINES = "job.jsonl", RESULT = "result.json", NEW = ".new-";
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final byte[] ARGUMENT_LINE = "{\"argument\":".getBytes(ISO_8859_1);
    private static final byte[] RESULT_LINE = "{\"result\":".getBytes(ISO_8859_1);

    /// A result that is no larger stands among the lines: one fsync in the place of three.
    private static final int SMALL = 1 << 16;

    private final Path directory;
    private long length;

    private JobDirectory(Path directory) {
        this.directory = directory;
    }

    /// Makes the directory of a new job; durable on return.
    static JobDirectory create(Path jobs, String id, List<byte[]> lines) throws IOException {
        Path made = jobs.resolve(NEW + id);
        try {
            Files.createDirectory(made, mode("rwx------"));
            JobDirectory directory = new JobDirectory(made);
            directory.append(lines);
            Files.move(made, jobs.resolve(id), StandardCopyOption.ATOMIC_MOVE);
            sync(jobs);
            JobDirectory named = new JobDirectory(jobs.resolve(id));
            named.length = directory.length;
            return named;
        } catch (IOException e) {
            deleteAll(made);
            deleteAll(jobs.resolve(id));
            throw e;
        }
    }

    /// Reads all directories of jobs; what was not finished when the service was killed is removed.
    static List<JobDirectory> all(Path jobs) throws IOException {
        List<JobDirectory> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(jobs)) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                if (!Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) continue;
                if (name.startsWith(NEW)) deleteAll(entry);
                else if (JobBook.isId(name)) found.add(new JobDirectory(entry));
            }
        }
        return found;
    }

    String id() {
        return directory.getFileName().toString();
    }

    Path path() {
        return directory;
    }

    static FileAttribute<?> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    /// Adds lines, in one write; durable on return. Where that cannot be, nothing is added.
    void append(List<byte[]> lines) throws IOException {
        int size = 0;
        for (byte[] line : lines) size += line.length + 1;
        ByteBuffer bytes = ByteBuffer.allocate(size);
        for (byte[] line : lines) bytes.put(line).put((byte) '\n');
        bytes.flip();
        Set<OpenOption> options =
                Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, LinkOption.NOFOLLOW_LINKS);
        try (FileChannel file = FileChannel.open(directory.resolve(LINES), options, mode("rw-------"))) {
            try {
                long at = length;
                while (bytes.hasRemaining()) at += file.write(bytes, at);
                file.force(true);
                length = at;
            } catch (IOException e) {
                file.truncate(length);
                throw e;
            }
        }
    }

    /// Returns the whole lines; what follows them is cut off by the next one.
    List<byte[]> lines() throws IOException {
        byte[] all = read(directory.resolve(LINES));
        List<byte[]> lines = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < all.length; i++) {
            if (all[i] != '\n') continue;
            lines.add(Arrays.copyOfRange(all, from, i));
            from = i + 1;
        }
        length = from;
        if (from < all.length) {
            try (FileChannel file = FileChannel.open(
                    directory.resolve(LINES), Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
                file.truncate(from);
            }
        }
        return lines;
    }

    private static byte[] read(Path file) throws IOException {
        try (FileChannel in = FileChannel.open(file, READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(in.size()));
            while (bytes.hasRemaining() && in.read(bytes) >= 0) {}
            return bytes.array();
        }
    }

    /// Adds the last line of a job that has a result, and the result, which is JSON in one line.
    void finish(byte[] result, byte[] line) throws IOException {
        if (result.length <= SMALL) {
            byte[] whole = new byte[RESULT_LINE.length + result.length + 1];
            System.arraycopy(RESULT_LINE, 0, whole, 0, RESULT_LINE.length);
            System.arraycopy(result, 0, whole, RESULT_LINE.length, result.length);
            whole[whole.length - 1] = '}';
            append(List.of(whole, line));
            return;
        }
        Path made = directory.resolve(NEW + RESULT);
        try (FileChannel file = FileChannel.open(
                made,
                Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS),
                mode("rw-------"))) {
            ByteBuffer bytes = ByteBuffer.wrap(result);
            while (bytes.hasRemaining()) file.write(bytes);
            file.force(true);
        } catch (IOException e) {
            Files.deleteIfExists(made);
            throw e;
        }
        Files.move(made, directory.resolve(RESULT), StandardCopyOption.ATOMIC_MOVE);
        sync(directory);
        append(List.of(line));
    }

    /// Returns a large result, to be read and closed; null where the result is a small one.
    @Nullable
    FileChannel largeResult() throws IOException {
        try {
            return FileChannel.open(directory.resolve(RESULT), READ);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /// Returns a small result.
    byte[] smallResult() throws IOException {
        byte[] all = read(directory.resolve(LINES));
        for (int i = 0, from = 0; i < all.length; i++) {
            if (all[i] != '\n') continue;
            if (isResult(all, from)) return Arrays.copyOfRange(all, from + RESULT_LINE.length, i - 1);
            from = i + 1;
        }
        throw new NoSuchFileException(directory.resolve(RESULT).toString());
    }

    static boolean isResult(byte[] bytes, int from) {
        int to = Math.min(bytes.length, from + RESULT_LINE.length);
        return Arrays.equals(bytes, from, to, RESULT_LINE, 0, RESULT_LINE.length);
    }

    void delete() throws IOException {
        deleteAll(directory);
    }

    static void deleteAll(Path directory) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) return;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) Files.delete(file);
        }
        Files.deleteIfExists(directory);
    }

    /// Makes names of files durable.
    static void sync(Path directory) throws IOException {
        try (FileChannel in = FileChannel.open(directory, StandardOpenOption.READ)) {
            in.force(true);
        }
    }

    /// The line of an argument, which is JSON: a break of a line in it can only be white space.
    static byte[] argumentLine(byte[] argument) {
        byte[] line = new byte[ARGUMENT_LINE.length + argument.length + 1];
        System.arraycopy(ARGUMENT_LINE, 0, line, 0, ARGUMENT_LINE.length);
        for (int i = 0; i < argument.length; i++) {
            byte b = argument[i];
            line[ARGUMENT_LINE.length + i] = b == '\n' || b == '\r' ? (byte) ' ' : b;
        }
        line[line.length - 1] = '}';
        return line;
    }

    /// What [#argumentLine] was made of.
    static byte[] argument(byte[] line) {
        return Arrays.copyOfRange(line, ARGUMENT_LINE.length, line.length - 1);
    }
}
