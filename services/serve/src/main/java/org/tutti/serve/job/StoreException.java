package org.tutti.serve.job;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A failed operation on a file of the service's state. The message starts with the path.
///
/// Failures of a client's connection are other `IOException`s.
public final class StoreException extends IOException {
    private static final long serialVersionUID = 1;

    /// An operation on a file.
    @FunctionalInterface
    public interface Operation<T extends @Nullable Object> {
        T run() throws IOException;
    }

    /// An operation without a result.
    @FunctionalInterface
    public interface Action {
        void run() throws IOException;
    }

    public StoreException(Path file, String reason) {
        super(file + ": " + reason);
    }

    private StoreException(Path file, IOException cause) {
        super(file + ": " + reason(cause), cause);
    }

    /// Runs an operation on `file`; converts a failure to a `StoreException` with the path.
    public static <T extends @Nullable Object> T on(Path file, Operation<T> operation) throws StoreException {
        try {
            return operation.run();
        } catch (StoreException e) {
            throw e;
        } catch (IOException e) {
            throw new StoreException(file, e);
        }
    }

    /// As [#on], without a result.
    public static void doing(Path file, Action action) throws StoreException {
        on(file, () -> {
            action.run();
            return true;
        });
    }

    private static String reason(IOException e) {
        String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
        if (reason != null) return reason;
        return switch (e) {
            case NoSuchFileException _ -> "does not exist";
            case FileAlreadyExistsException _ -> "already exists";
            case AccessDeniedException _ -> "permission denied";
            case NotDirectoryException _ -> "is not a directory";
            default -> e.getClass().getSimpleName();
        };
    }
}
