package org.tutti.launch.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// Properties of a process on Linux: the parent, the start time, the state.
public final class ProcessStat {
    private ProcessStat() {}

    /// Indices of fields of /proc/PID/stat; the state has index 0.
    private static final int STATE = 0, PARENT = 1, BEGINNING = 19;

    private static final String[] NOTHING = {};

    /// Returns the current parent of a process; 0 if unknown.
    public static long parent(String pid) {
        String[] fields = stat(pid);
        return fields.length > PARENT ? Long.parseLong(fields[PARENT]) : 0;
    }

    /// Returns the start time of a process; empty if it has ended. A later process with the same pid has a
    /// different start time.
    public static String beginning(long pid) {
        String[] fields = stat(Long.toString(pid));
        return fields.length > BEGINNING && !fields[STATE].equals("Z") ? fields[BEGINNING] : "";
    }

    /// Returns the number of children of a process that have not ended; zombies have ended.
    public static int runningChildren(ProcessHandle process) {
        int running = 0;
        for (ProcessHandle child : process.children().toList())
            if (!beginning(child.pid()).isEmpty()) running++;
        return running;
    }

    /// Returns the fields of /proc/PID/stat after the name, which may contain any characters; empty if the
    /// process does not exist.
    private static String[] stat(String pid) {
        try {
            String stat = Files.readString(Path.of("/proc", pid, "stat"), StandardCharsets.ISO_8859_1);
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        } catch (IOException e) {
            return NOTHING;
        }
    }
}
