package org.tutti.train.checkpoint;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/// Failures of channels: the JDK's exceptions do not have the path.
final class NamedFile {
    @FunctionalInterface
    interface Operation<T> {
        T run() throws IOException;
    }

    private NamedFile() {}

    /// Runs an operation on `file`; the message of a failure names it.
    static <T> T on(Path file, Operation<T> operation) throws IOException {
        try {
            return operation.run();
        } catch (FileSystemException | CheckpointException e) {
            throw e; // names its file
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }
}
