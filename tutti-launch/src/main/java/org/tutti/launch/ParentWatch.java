package org.tutti.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tutti.mpi.bootstrap.OsDoor;

/// Ends a rank whose launchers have ended: Tutti's, or the native one. Between that and the rank is the
/// rank's shell, see [RankExits]: its end is the parent's and a signal; the end of the shell's own parent,
/// which the shell outlives, and of Tutti's launcher, which mpirun outlives, is looked for once a second.
final class ParentWatch {
    private ParentWatch() {}

    private static final long EVERY_MILLIS = 1000;
    private static final int KILLED = 137;

    /// Of /proc/PID/stat, counted from the state on.
    private static final int STATE = 0, PARENT = 1, BEGINNING = 19;

    private static final String[] NOTHING = {};

    /// @param tutti the pid of Tutti's launcher
    static void start(long tutti) {
        String began = beginning(tutti);
        if (began.isEmpty()) Runtime.getRuntime().halt(KILLED);
        long shell = parent("self");
        if (shell <= 1) return;
        OsDoor.open().dieWithParent(shell);
        long launcher = parent(Long.toString(shell));
        Thread.ofPlatform().daemon().name("tutti-launcher-watch").start(() -> {
            try {
                do Thread.sleep(EVERY_MILLIS);
                while (parent("self") == shell
                        && parent(Long.toString(shell)) == launcher
                        && beginning(tutti).equals(began));
            } catch (InterruptedException e) {
                return;
            }
            Runtime.getRuntime().halt(KILLED);
        });
    }

    /// The parent of a process now; 0 where it cannot be read.
    private static long parent(String pid) {
        String[] fields = stat(pid);
        return fields.length > PARENT ? Long.parseLong(fields[PARENT]) : 0;
    }

    /// When a process began, which tells it from a later one of the same pid; empty when it has ended.
    private static String beginning(long pid) {
        String[] fields = stat(Long.toString(pid));
        return fields.length > BEGINNING && !fields[STATE].equals("Z") ? fields[BEGINNING] : "";
    }

    /// The fields of /proc/PID/stat after the name, which may hold anything; none when there is no such process.
    private static String[] stat(String pid) {
        try {
            String stat = Files.readString(Path.of("/proc", pid, "stat"), StandardCharsets.ISO_8859_1);
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        } catch (IOException e) {
            return NOTHING;
        }
    }
}
