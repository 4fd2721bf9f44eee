package org.tutti.job.os;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Shared files without a name, as other processes see them: by who has them open. Only Linux tells.
public final class NamelessFiles {
    private static final Path PROC = Path.of("/proc");
    private static final String DELETED = " (deleted)";

    /// One that is open somewhere.
    ///
    /// @param pid of a process that has it open
    /// @param path where others open it, while that process has it open
    public record Found(long pid, String path) {}

    private NamelessFiles() {}

    /// Those that [OsPlatform#createFile] made under this label and that processes of this user have open: one for each
    /// process. Empty where the system does not tell of other processes.
    public static List<Found> find(String label) throws IOException {
        List<Found> found = new ArrayList<>();
        File[] processes = PROC.toFile().listFiles((dir, name) -> isNumber(name));
        if (processes == null || processes.length == 0) return found;
        Object me = Files.getAttribute(PROC.resolve("self"), "unix:uid");
        for (File process : processes) {
            try {
                if (Files.getAttribute(process.toPath(), "unix:uid").equals(me)) add(process, label, found);
            } catch (IOException e) {
                // it has ended meanwhile
            }
        }
        return found;
    }

    /// Whether there is such a file at `path` now.
    public static boolean isOne(String path, String label) {
        return isMade(target(Path.of(path)), label);
    }

    /// Where a link leads; empty when it is none, or gone, as a descriptor that another thread has closed.
    static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    /// What tells the file at `path` from all others that are there at the same time.
    public static Object identity(String path) throws IOException {
        return Files.getAttribute(Path.of(path), "unix:ino");
    }

    private static boolean isNumber(String name) {
        return name.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static void add(File process, String label, List<Found> found) {
        File[] descriptors = new File(process, "fd").listFiles();
        if (descriptors == null) return;
        Set<Object> seen = new HashSet<>(); // who has made it has it open twice
        for (File descriptor : descriptors) {
            String path = descriptor.getPath();
            try {
                if (isOne(path, label) && seen.add(identity(path))) {
                    found.add(new Found(Long.parseLong(process.getName()), path));
                }
            } catch (IOException e) {
                // closed meanwhile, as the one by which this process has just read its own list; the next may be one
            }
        }
    }

    /// A file that a door has made under this label, and that has no name any more.
    private static boolean isMade(String target, String label) {
        if (!target.endsWith(DELETED)) return false;
        String name = target.substring(0, target.length() - DELETED.length());
        return name.equals("/memfd:" + label)
                || name.substring(name.lastIndexOf('/') + 1).matches(label + "\\d+\\.tmp");
    }
}
