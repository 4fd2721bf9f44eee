package org.tutti.train.checkpoint;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/// Adds the path to failures of channels, because the JDK's exceptions do not contain it.
final class NamedFile {
    @FunctionalInterface
    interface Operation<T> {
        T run() throws IOException;
    }

    private NamedFile() {}

    /// Runs an operation on `file`; a failure's message contains the path.
    static <T> T on(Path file, Operation<T> operation) throws IOException {
        try {
            return operation.run();
        } catch (FileSystemException | CheckpointException e) {
            throw e; // the message has the path
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }
}
