package org.tutti.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Whether somebody reads what this process writes, as it comes.
public final class Terminal {
    private Terminal() {}

    /// Whether the file descriptor, 1 for stdout and 2 for stderr, is a terminal that moves its cursor.
    public static boolean is(int descriptor) {
        if ("dumb".equals(System.getenv("TERM")) || System.getenv("NO_COLOR") != null) return false;
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
