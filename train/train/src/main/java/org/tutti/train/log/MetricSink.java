package org.tutti.train.log;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// A file to which metrics are written.
interface MetricSink extends AutoCloseable {
    Path file();

    void write(long step, double seconds, String name, double value) throws IOException;

    @Override
    void close() throws IOException;

    /// Closes the file after a failure.
    default void closeQuietly() {
        try {
            close();
        } catch (IOException e) {
            // the failure was already reported
        }
    }

    static MetricSink of(Path directory, EventFile events) {
        return new MetricSink() {
            @Override
            public Path file() {
                return directory;
            }

            @Override
            public void write(long step, double seconds, String name, double value) throws IOException {
                events.addScalar(name, step, value);
            }

            @Override
            public void close() throws IOException {
                events.close();
            }
        };
    }

    /// Returns a description of the failure; the messages of Java's exceptions are often only the file name.
    static String cause(IOException e) {
        return switch (e) {
            case NoSuchFileException none -> "no such file: " + none.getFile();
            case AccessDeniedException denied -> "access to " + denied.getFile() + " is denied";
            case FileAlreadyExistsException other -> other.getFile() + " is not a directory";
            case FileSystemException f
            when f.getReason() != null -> f.getFile() == null ? f.getReason() : f.getFile() + ": " + f.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }
}
