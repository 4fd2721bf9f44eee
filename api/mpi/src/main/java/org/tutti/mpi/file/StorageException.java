package org.tutti.mpi.file;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.PredefinedErrorClass;

/// A failure of the system during a file access, with error class and text.
final class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// The error class for each message of the system, given by a part of the message's text. The JDK has no
    /// separate exceptions for these errors, but passes on the system's messages unchanged.
    private static final List<Map.Entry<String, PredefinedErrorClass>> CLASSES_BY_TEXT = List.of(
            Map.entry("no space left", PredefinedErrorClass.ERR_NO_SPACE),
            Map.entry("quota", PredefinedErrorClass.ERR_QUOTA),
            Map.entry("read-only", PredefinedErrorClass.ERR_READ_ONLY),
            Map.entry("is a directory", PredefinedErrorClass.ERR_BAD_FILE),
            Map.entry("not a directory", PredefinedErrorClass.ERR_BAD_FILE),
            Map.entry("name too long", PredefinedErrorClass.ERR_BAD_FILE),
            Map.entry("permission denied", PredefinedErrorClass.ERR_ACCESS),
            Map.entry("not permitted", PredefinedErrorClass.ERR_ACCESS));

    private final PredefinedErrorClass errorClass;

    StorageException(PredefinedErrorClass errorClass, String text, @Nullable Throwable cause) {
        super(text, cause);
        this.errorClass = errorClass;
    }

    PredefinedErrorClass errorClass() {
        return errorClass;
    }

    String text() {
        return String.valueOf(getMessage());
    }

    /// Returns the exception for `why`.
    ///
    /// @param done the progress of the access, for example `12 of 80 bytes were written at byte 0`; empty if
    ///     there was no progress
    static StorageException of(IOException why, String done) {
        String text = text(why);
        return new StorageException(classOf(why, text), text + (done.isEmpty() ? "" : "; " + done), why);
    }

    /// Converts a failure on this rank to the form in which the ranks of a collective access exchange failures.
    static StorageException of(RuntimeException why) {
        if (why instanceof StorageException s) return s;
        boolean isMemory = why instanceof IllegalStateException || why instanceof WrongThreadException;
        String detail = MessageErrors.detail(why);
        return new StorageException(
                isMemory ? PredefinedErrorClass.ERR_BUFFER : PredefinedErrorClass.ERR_INTERN,
                detail == null ? String.valueOf(why) : detail,
                why);
    }

    private static String text(IOException why) {
        return switch (why) {
            case NoSuchFileException _ -> "the file does not exist";
            case FileAlreadyExistsException _ -> "the file already exists";
            case AccessDeniedException _ -> "permission denied";
            case ClosedChannelException _ -> "the file was closed concurrently";
            case FileSystemException f -> f.getReason() == null ? "an error of the file system" : f.getReason();
            case InterruptedIOException _ -> "interrupted";
            default -> why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
        };
    }

    private static PredefinedErrorClass classOf(IOException why, String text) {
        if (why instanceof NoSuchFileException) return PredefinedErrorClass.ERR_NO_SUCH_FILE;
        if (why instanceof FileAlreadyExistsException) return PredefinedErrorClass.ERR_FILE_EXISTS;
        if (why instanceof AccessDeniedException) return PredefinedErrorClass.ERR_ACCESS;
        if (why instanceof ClosedChannelException) return PredefinedErrorClass.ERR_FILE;
        String lower = text.toLowerCase(Locale.ROOT);
        for (Map.Entry<String, PredefinedErrorClass> w : CLASSES_BY_TEXT)
            if (lower.contains(w.getKey())) return w.getValue();
        return PredefinedErrorClass.ERR_IO;
    }
}
