package org.tutti.inspect;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The states of this process's threads, by the names that the JVM has set. The system reports each state at
/// one moment. On Linux, the states are in `/proc/self/task/ID/stat`, as `ID (name) state …`.
final class SystemThreads {
    private static final Path TASKS = Path.of("/proc/self/task");

    /// The length at which Linux truncates the names of threads.
    private static final int NAME_BYTES = 15;

    /// For each name, whether all threads with this name sleep; null if the system does not report states.
    private final @Nullable Map<String, Boolean> sleeping;

    private SystemThreads(@Nullable Map<String, Boolean> sleeping) {
        this.sleeping = sleeping;
    }

    /// Reads the states.
    static SystemThreads now() {
        if (!Files.isDirectory(TASKS)) return new SystemThreads(null);
        Map<String, Boolean> sleeping = new HashMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) add(task, sleeping);
        } catch (IOException | DirectoryIteratorException e) {
            sleeping.clear(); // no thread is known to sleep
        }
        return new SystemThreads(sleeping);
    }

    private static void add(Path task, Map<String, Boolean> sleeping) {
        String line;
        try {
            line = Files.readString(task.resolve("stat"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return; // the thread has ended
        }
        int begin = line.indexOf('('), end = line.lastIndexOf(')');
        if (begin < 0 || end < begin || end + 2 >= line.length()) return;
        sleeping.merge(line.substring(begin + 1, end), line.charAt(end + 2) == 'S', Boolean::logicalAnd);
    }

    /// Returns whether `thread` sleeps and has not been woken. Returns false if the system has no thread with
    /// this name, and true if the system reports no states.
    boolean sleeps(Thread thread) {
        Map<String, Boolean> all = sleeping;
        return all == null || all.getOrDefault(cut(thread.getName()), false);
    }

    private static String cut(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return new String(bytes, 0, Math.min(NAME_BYTES, bytes.length), StandardCharsets.ISO_8859_1);
    }
}
