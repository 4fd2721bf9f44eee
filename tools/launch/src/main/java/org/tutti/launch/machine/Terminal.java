package org.tutti.launch.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The destination of this process's output.
public final class Terminal {
    private Terminal() {}

    /// Whether the file descriptor is a pipe or a socket, and not a file: a different process reads from it,
    /// and may end. True if unknown.
    public static boolean hasReader(int descriptor) {
        String target = target(descriptor);
        return target == null || target.startsWith("pipe:") || target.startsWith("socket:");
    }

    /// Whether the file descriptor is a terminal that shows colors. An empty `NO_COLOR` is ignored
    /// (no-color.org).
    public static boolean showsColors(int descriptor) {
        String off = System.getenv("NO_COLOR");
        return movesCursor(descriptor) && (off == null || off.isEmpty());
    }

    /// Whether the file descriptor is a terminal on which a line can be overwritten.
    public static boolean movesCursor(int descriptor) {
        return is(descriptor) && !"dumb".equals(System.getenv("TERM"));
    }

    /// Whether the file descriptors refer to the same terminal, pipe, socket or file; false if unknown.
    public static boolean isSame(int one, int other) {
        String target = target(one);
        return target != null && target.equals(target(other));
    }

    /// Whether the file descriptor, 1 for stdout and 2 for stderr, is a terminal.
    public static boolean is(int descriptor) {
        String target = target(descriptor);
        return target != null
                && (target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console"));
    }

    /// Returns `/dev/pts/0`, `pipe:[4711]`; null if unknown.
    private static @Nullable String target(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }
}
