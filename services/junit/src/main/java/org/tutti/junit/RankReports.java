package org.tutti.junit;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/// A directory in which ranks that are processes report the outcome:
///
///     3.passed   rank 3 has passed
///     1.failed   rank 1 has failed: the exception as text, with frames and causes
///     closed     the job is being ended; later failures may be consequences
final class RankReports implements AutoCloseable {
    private static final String PASSED = ".passed", FAILED = ".failed", CLOSED = "closed";
    private static final int MOST_CAUSES = 16;

    private final Path folder;
    private final int size;

    private RankReports(Path folder, int size) {
        this.folder = folder;
        this.size = size;
    }

    static RankReports make(int size) throws IOException {
        return new RankReports(Files.createTempDirectory("tutti-junit-"), size);
    }

    static RankReports of(Path folder, int size) {
        return new RankReports(folder, size);
    }

    Path folder() {
        return folder;
    }

    void passed(int rank) throws IOException {
        Files.createFile(folder.resolve(rank + PASSED));
    }

    /// Returns when the other ranks have ended, or after the grace time.
    void failed(int rank, Throwable why) throws IOException, InterruptedException {
        if (Files.exists(folder.resolve(CLOSED))) return;
        Path unfinished = folder.resolve(rank + ".unfinished");
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(unfinished))) {
            write(why, out, 0);
        }
        Files.move(unfinished, folder.resolve(rank + FAILED), StandardCopyOption.ATOMIC_MOVE);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RankFailures.GRACE_MILLIS);
        while (ended() < size && System.nanoTime() < deadline && !Files.exists(folder.resolve(CLOSED))) {
            Thread.sleep(10);
        }
        try (OutputStream closed = Files.newOutputStream(folder.resolve(CLOSED))) {
            closed.flush();
        }
    }

    private long ended() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(
                            f -> f.toString().endsWith(PASSED) || f.toString().endsWith(FAILED))
                    .count();
        }
    }

    /// Returns the failures by rank.
    Map<Integer, Throwable> read() throws IOException {
        Map<Integer, Throwable> failures = new HashMap<>();
        for (int rank = 0; rank < size; rank++) {
            Path file = folder.resolve(rank + FAILED);
            if (!Files.exists(file)) continue;
            try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
                failures.put(rank, readFailure(in));
            }
        }
        return failures;
    }

    private static void write(Throwable why, DataOutputStream out, int depth) throws IOException {
        out.writeBoolean(why instanceof TestAbortedException);
        writeText(why.toString(), out);
        StackTraceElement[] frames = why.getStackTrace();
        out.writeInt(frames.length);
        for (StackTraceElement frame : frames) {
            writeText(frame.getClassName(), out);
            writeText(frame.getMethodName(), out);
            writeText(frame.getFileName() == null ? "" : frame.getFileName(), out);
            out.writeInt(frame.getLineNumber());
        }
        Throwable cause = depth < MOST_CAUSES ? why.getCause() : null;
        out.writeBoolean(cause != null);
        if (cause != null) write(cause, out, depth + 1);
    }

    private static Throwable readFailure(DataInputStream in) throws IOException {
        boolean aborted = in.readBoolean();
        String text = readText(in);
        StackTraceElement[] frames = new StackTraceElement[in.readInt()];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = new StackTraceElement(readText(in), readText(in), readText(in), in.readInt());
        }
        Throwable cause = in.readBoolean() ? readFailure(in) : null;
        Throwable failure = aborted ? new TestAbortedException(text, cause) : new FailureOfRank(text, cause);
        failure.setStackTrace(frames);
        return failure;
    }

    /// Writes a text of any length, unlike `writeUTF`, which is limited to 65,535 bytes.
    private static void writeText(String text, DataOutputStream out) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String readText(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.toList();
        }
        for (Path file : files) Files.deleteIfExists(file);
        Files.delete(folder);
    }

    /// Represents an exception of a different process, with the same text.
    private static final class FailureOfRank extends Exception {
        private static final long serialVersionUID = 1;

        FailureOfRank(String text, @Nullable Throwable cause) {
            super(text, cause);
        }

        @Override
        public String toString() {
            return String.valueOf(getMessage());
        }
    }
}
