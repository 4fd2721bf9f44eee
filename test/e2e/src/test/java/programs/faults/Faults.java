package programs.faults;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Selects the file operation that fails, and records the open files.
final class Faults {
    /// Which operations fail from the selected operation on.
    enum Mode {
        /// Only one operation fails, of any kind.
        ONCE,
        /// The disk is full: writes fail, other operations succeed.
        FULL,
        /// The disk has failed: all operations fail.
        FAILED
    }

    private final Mode mode;
    private final int failAt;
    private int count;
    private boolean armed = true;
    private String failed = "";

    /// Open channels and directories, each with the path.
    final Map<Object, Path> open = new ConcurrentHashMap<>();

    /// @param failAt the number of the operation that fails, from 1; 0 for none
    Faults(Mode mode, int failAt) {
        this.mode = mode;
        this.failAt = failAt;
    }

    /// Counts an operation, and throws an exception if the operation is to fail.
    synchronized void step(String operation, Path file, boolean writes) throws IOException {
        if (!armed || mode == Mode.FULL && !writes) return;
        count++;
        if (failAt == 0 || mode == Mode.ONCE ? count != failAt : count < failAt) return;
        if (failed.isEmpty()) failed = operation + " " + file.getFileName();
        String reason = writes ? "No space left on device" : "Input/output error";
        // as in the JDK, the exception of a channel does not contain the path
        if (operation.startsWith("channel ")) throw new IOException(reason);
        throw new FileSystemException(file.toString(), null, reason);
    }

    /// Sets whether operations are counted and fail.
    synchronized Faults armed(boolean now) {
        armed = now;
        return this;
    }

    /// Returns whether an operation has failed.
    synchronized boolean hasFailed() {
        return !failed.isEmpty();
    }

    /// Returns the first operation that failed, or an empty text.
    synchronized String failed() {
        return failed;
    }

    synchronized int count() {
        return count;
    }

    List<String> leaks() {
        List<String> all = new ArrayList<>();
        open.forEach((_, path) -> all.add(path.toString()));
        return all;
    }
}
