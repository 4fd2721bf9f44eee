package org.tutti.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tutti.mpi.bootstrap.OsDoor;

/// Ends a rank whose native launcher has ended. Between the two is the rank's shell, see [RankExits]: its end
/// is the parent's and a signal; the end of the shell's own parent, which the shell outlives, is looked for
/// once a second.
final class ParentWatch {
    private ParentWatch() {}

    private static final long EVERY_MILLIS = 1000;
    private static final int KILLED = 137;

    static void start() {
        long shell = parent("self");
        if (shell <= 1) return;
        OsDoor.open().dieWithParent(shell);
        long launcher = parent(Long.toString(shell));
        Thread.ofPlatform().daemon().name("tutti-launcher-watch").start(() -> {
            try {
                do Thread.sleep(EVERY_MILLIS);
                while (parent("self") == shell && parent(Long.toString(shell)) == launcher);
            } catch (InterruptedException e) {
                return;
            }
            Runtime.getRuntime().halt(KILLED);
        });
    }

    /// The parent of a process now; 0 where it cannot be read.
    private static long parent(String pid) {
        try {
            String stat = Files.readString(Path.of("/proc", pid, "stat"), StandardCharsets.ISO_8859_1);
            // pid (name) state ppid …, and the name may hold anything
            String rest = stat.substring(stat.lastIndexOf(')') + 4);
            return Long.parseLong(rest.substring(0, rest.indexOf(' ')));
        } catch (IOException e) {
            return 0;
        }
    }
}
