package org.tutti.launch.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// What Linux tells of a process: its parent, its beginning, its end.
public final class ProcessStat {
    private ProcessStat() {}

    /// Of /proc/PID/stat, counted from the state on.
    private static final int STATE = 0, PARENT = 1, BEGINNING = 19;

    private static final String[] NOTHING = {};

    /// The parent of a process now; 0 where it cannot be read.
    public static long parent(String pid) {
        String[] fields = stat(pid);
        return fields.length > PARENT ? Long.parseLong(fields[PARENT]) : 0;
    }

    /// When a process began, which tells it from a later one of the same pid; empty when it has ended.
    public static String beginning(long pid) {
        String[] fields = stat(Long.toString(pid));
        return fields.length > BEGINNING && !fields[STATE].equals("Z") ? fields[BEGINNING] : "";
    }

    /// How many children a process has that have not ended; one that nobody has waited for has.
    public static int runningChildren(ProcessHandle process) {
        int running = 0;
        for (ProcessHandle child : process.children().toList())
            if (!beginning(child.pid()).isEmpty()) running++;
        return running;
    }

    /// The fields of /proc/PID/stat after the name, which may hold anything; none when there is no such
    /// process.
    private static String[] stat(String pid) {
        try {
            String stat = Files.readString(Path.of("/proc", pid, "stat"), StandardCharsets.ISO_8859_1);
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        } catch (IOException e) {
            return NOTHING;
        }
    }
}
