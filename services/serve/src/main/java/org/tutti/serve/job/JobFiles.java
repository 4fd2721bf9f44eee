package org.tutti.serve.job;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The files of a job, in the directory of all jobs:
///
///     <id>.jsonl           lines, each appended with one write and an fsync: the job's head, the argument, changes
///                          of state, and before the change to `done` a small result
///     <id>.result.json     a larger result, renamed to this name when complete
///     <id>.events-<place>  the job's events, see EventLog
///
/// An incomplete last line was cut off by a crash and is ignored; a job without the first two lines was never
/// confirmed to a client. Links are not followed. Most jobs have only the first file, because for a file system
/// the creation and deletion of a second file cost more than writing the contents.
public final class JobFiles {
    private static final String LINES = ".jsonl", RESULT = ".result.json", EVENTS = ".events-", NEW = ".new-";
    private static final Pattern NAME =
            Pattern.compile("([0-9a-f]{32})(?:(\\.jsonl)|(\\.result\\.json)|\\.events-(\\d{1,18}))");
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> APPEND =
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, LinkOption.NOFOLLOW_LINKS);

    /// Maximum size of a file of lines, in bytes: an argument, a small result and changes of state are much
    /// smaller.
    private static final long MOST_LINES_BYTES = 1 << 24;

    private static final byte[] ARGUMENT_LINE = "{\"argument\":".getBytes(ISO_8859_1);
    private static final byte[] RESULT_LINE = "{\"result\":".getBytes(ISO_8859_1);

    static final int LINES_OF_A_NEW_ONE = 2;

    /// Maximum size of a result that is stored in the file of lines. Storing it there needs one fsync instead
    /// of three.
    private static final int SMALL = 1 << 16;

    private final Path jobs;
    private final String id;
    private long length;
    private boolean hasLines;
    private volatile boolean hasLargeResult;

    /// For each event file that was found, the position in the job's events at which the file begins.
    private final List<Long> eventPlaces = new ArrayList<>();

    private JobFiles(Path jobs, String id) {
        this.jobs = jobs;
        this.id = id;
    }

    /// Creates the file of a new job; durable on return.
    static JobFiles create(Path jobs, String id, List<byte[]> lines) throws IOException {
        JobFiles made = new JobFiles(jobs, id);
        try {
            made.append(lines);
            sync(jobs);
            return made;
        } catch (IOException e) {
            try {
                made.delete();
            } catch (IOException also) {
                e.addSuppressed(also); // the first failure is reported
            }
            throw e;
        }
    }

    /// Returns all jobs. Files that were incomplete when the service was killed are deleted.
    static List<JobFiles> all(Path jobs) throws IOException {
        Map<String, JobFiles> found = new HashMap<>();
        try (DirectoryStream<Path> entries = StoreException.on(jobs, () -> Files.newDirectoryStream(jobs))) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                Matcher matcher = NAME.matcher(name);
                if (!Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)
                        || !name.startsWith(NEW) && !matcher.matches()) {
                    System.err.println("tutti: service: " + entry + " does not belong to a job and is ignored");
                } else if (name.startsWith(NEW)) {
                    StoreException.on(entry, () -> Files.deleteIfExists(entry));
                } else {
                    JobFiles files = found.computeIfAbsent(matcher.group(1), id -> new JobFiles(jobs, id));
                    if (matcher.group(2) != null) files.hasLines = true;
                    else if (matcher.group(3) != null) files.hasLargeResult = true;
                    else files.eventPlaces.add(Long.parseLong(matcher.group(4)));
                }
            }
        } catch (DirectoryIteratorException e) {
            IOException cause = e.getCause();
            StoreException.doing(jobs, () -> {
                throw cause;
            });
        }
        // files of a job without lines remain from an interrupted deletion
        for (JobFiles files : found.values()) if (!files.hasLines) files.delete();
        // in an order that does not depend on the directory
        return found.values().stream()
                .filter(files -> files.hasLines)
                .sorted(Comparator.comparing(JobFiles::id))
                .toList();
    }

    String id() {
        return id;
    }

    private Path file(String end) {
        return jobs.resolve(id + end);
    }

    @Override
    public String toString() {
        return file(LINES).toString();
    }

    Path linesFile() {
        return file(LINES);
    }

    Path resultFile() {
        return file(RESULT);
    }

    /// Returns, for each event file that was found, the position in the job's events at which the file begins.
    List<Long> eventPlaces() {
        return eventPlaces;
    }

    /// Returns the event file that begins at `place`.
    Path events(long place) {
        return file(EVENTS + place);
    }

    static FileAttribute<?> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    /// Appends lines with one write; durable on return. After a failure no line has been appended.
    void append(List<byte[]> lines) throws IOException {
        int size = 0;
        for (byte[] line : lines) size += line.length + 1;
        ByteBuffer bytes = ByteBuffer.allocate(size);
        for (byte[] line : lines) bytes.put(line).put((byte) '\n');
        bytes.flip();
        StoreException.doing(file(LINES), () -> {
            try (FileChannel file = FileChannel.open(file(LINES), APPEND, mode("rw-------"))) {
                try {
                    long at = length;
                    while (bytes.hasRemaining()) at += file.write(bytes, at);
                    file.force(true);
                    length = at;
                } catch (IOException e) {
                    try {
                        file.truncate(length);
                    } catch (IOException also) {
                        e.addSuppressed(also); // the next append overwrites the rest
                    }
                    throw e;
                }
            }
        });
    }

    /// Returns the complete lines; an incomplete last line is cut off.
    List<byte[]> lines() throws IOException {
        byte[] all = read(file(LINES));
        List<byte[]> lines = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < all.length; i++) {
            if (all[i] != '\n') continue;
            lines.add(Arrays.copyOfRange(all, from, i));
            from = i + 1;
        }
        length = from;
        if (from < all.length) {
            StoreException.doing(file(LINES), () -> {
                try (FileChannel file =
                        FileChannel.open(file(LINES), Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
                    file.truncate(length);
                }
            });
        }
        return lines;
    }

    private static byte[] read(Path file) throws IOException {
        return StoreException.on(file, () -> {
            try (FileChannel in = FileChannel.open(file, READ)) {
                if (in.size() > MOST_LINES_BYTES) {
                    throw new IOException(
                            "has " + in.size() + " bytes; a job's lines have at most " + MOST_LINES_BYTES);
                }
                ByteBuffer bytes = ByteBuffer.allocate((int) in.size());
                while (bytes.hasRemaining() && in.read(bytes) >= 0) {}
                return Arrays.copyOf(bytes.array(), bytes.position());
            }
        });
    }

    /// Stores the result of a job, which is JSON in one line, and then appends the last line of the job.
    void finish(byte[] result, byte[] line) throws IOException {
        if (result.length <= SMALL) {
            byte[] whole = new byte[RESULT_LINE.length + result.length + 1];
            System.arraycopy(RESULT_LINE, 0, whole, 0, RESULT_LINE.length);
            System.arraycopy(result, 0, whole, RESULT_LINE.length, result.length);
            whole[whole.length - 1] = '}';
            append(List.of(whole, line));
            return;
        }
        Path made = jobs.resolve(NEW + id + RESULT);
        StoreException.doing(file(RESULT), () -> {
            try (FileChannel file = FileChannel.open(
                    made,
                    Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS),
                    mode("rw-------"))) {
                ByteBuffer bytes = ByteBuffer.wrap(result);
                while (bytes.hasRemaining()) file.write(bytes);
                file.force(true);
                Files.move(made, file(RESULT), StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                deleteAfter(made, e);
                throw e;
            }
        });
        try {
            sync(jobs);
            append(List.of(line));
        } catch (IOException e) {
            deleteAfter(file(RESULT), e); // a job that has failed has no result
            throw e;
        }
        hasLargeResult = true;
    }

    private static void deleteAfter(Path file, IOException failure) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException also) {
            failure.addSuppressed(also);
        }
    }

    /// Returns an open channel of a large result; null for a small one.
    @Nullable
    FileChannel largeResult() throws StoreException {
        return hasLargeResult ? StoreException.on(file(RESULT), () -> FileChannel.open(file(RESULT), READ)) : null;
    }

    /// Returns a small result.
    byte[] smallResult() throws IOException {
        byte[] all = read(file(LINES));
        for (int i = 0, from = 0; i < all.length; i++) {
            if (all[i] != '\n') continue;
            if (isResult(all, from)) return Arrays.copyOfRange(all, from + RESULT_LINE.length, i - 1);
            from = i + 1;
        }
        throw new StoreException(file(LINES), "has no result");
    }

    static boolean isArgument(byte[] line) {
        return line.length > ARGUMENT_LINE.length
                && Arrays.equals(line, 0, ARGUMENT_LINE.length, ARGUMENT_LINE, 0, ARGUMENT_LINE.length);
    }

    static boolean isResult(byte[] bytes, int from) {
        int to = Math.min(bytes.length, from + RESULT_LINE.length);
        return Arrays.equals(bytes, from, to, RESULT_LINE, 0, RESULT_LINE.length);
    }

    /// Deletes the job's files and the event files that were found on opening; [EventLog#delete] deletes the
    /// event files created since then.
    void delete() throws IOException {
        delete(file(LINES));
        if (hasLargeResult) delete(file(RESULT));
        for (long place : eventPlaces) delete(events(place));
    }

    static void delete(Path file) throws IOException {
        StoreException.on(file, () -> Files.deleteIfExists(file));
    }

    /// Writes the file names of a directory to disk.
    static void sync(Path directory) throws IOException {
        StoreException.doing(directory, () -> {
            try (FileChannel in = FileChannel.open(directory, StandardOpenOption.READ)) {
                in.force(true);
            }
        });
    }

    /// Returns the line that contains an argument. The argument is JSON, so a line break in it can only be
    /// white space.
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

    /// Returns the argument of a line; the inverse of [#argumentLine].
    static byte[] argument(byte[] line) {
        return Arrays.copyOfRange(line, ARGUMENT_LINE.length, line.length - 1);
    }
}
