package org.tutti.job.os;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Shared files without a name, which are found through the processes that have opened them. Supported only on
/// Linux.
public final class NamelessFiles {
    private static final Path PROC = Path.of("/proc");
    private static final String DELETED = " (deleted)";

    /// An open file.
    ///
    /// @param pid the pid of a process that has the file open
    /// @param path the path for other processes, which is valid while that process has the file open
    public record Found(long pid, String path) {}

    private NamelessFiles() {}

    /// Returns the files that [OsPlatform#createFile] created with this label and that processes of this user
    /// have open, with one entry for each process. Returns an empty list if the system provides no information
    /// about other processes.
    public static List<Found> find(String label) throws IOException {
        List<Found> found = new ArrayList<>();
        File[] processes = PROC.toFile().listFiles((dir, name) -> isNumber(name));
        if (processes == null || processes.length == 0) return found;
        Object me = Files.getAttribute(PROC.resolve("self"), "unix:uid");
        for (File process : processes) {
            try {
                if (Files.getAttribute(process.toPath(), "unix:uid").equals(me)) add(process, label, found);
            } catch (IOException e) {
                // the process has ended in the meantime
            }
        }
        return found;
    }

    /// Returns whether `path` now refers to a file without a name that was created with this label.
    public static boolean isOne(String path, String label) {
        return isMade(target(Path.of(path)), label);
    }

    /// Returns the target of a link; empty if the link no longer exists, for example because a thread has
    /// closed the descriptor.
    static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    /// Returns an identity of the file at `path` that is unique while the file exists.
    public static Object identity(String path) throws IOException {
        return Files.getAttribute(Path.of(path), "unix:ino");
    }

    private static boolean isNumber(String name) {
        return name.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static void add(File process, String label, List<Found> found) {
        File[] descriptors = new File(process, "fd").listFiles();
        if (descriptors == null) return;
        Set<Object> seen = new HashSet<>(); // the creating process has it open twice
        for (File descriptor : descriptors) {
            String path = descriptor.getPath();
            try {
                if (isOne(path, label) && seen.add(identity(path))) {
                    found.add(new Found(Long.parseLong(process.getName()), path));
                }
            } catch (IOException e) {
                // closed in the meantime, for example because it is the descriptor with which this process has
                // read the list; continue with the next descriptor
            }
        }
    }

    /// Returns whether the target is a file that was created with this label, and has no name.
    private static boolean isMade(String target, String label) {
        if (!target.endsWith(DELETED)) return false;
        String name = target.substring(0, target.length() - DELETED.length());
        return name.equals("/memfd:" + label)
                || name.substring(name.lastIndexOf('/') + 1).matches(label + "\\d+\\.tmp");
    }
}
