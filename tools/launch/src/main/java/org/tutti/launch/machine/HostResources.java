package org.tutti.launch.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The cores and the memory that this process may use.
public final class HostResources {
    private HostResources() {}

    private static final long UNKNOWN = 4L << 30;

    public static int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    /// Returns the memory of the machine or of the control group, whichever is less; at most 4 GiB if the system
    /// does not report the memory of the machine.
    public static long memoryBytes() {
        long memory = installed();
        memory = Math.min(memory, limit(Path.of("/sys/fs/cgroup/memory.max")));
        return Math.min(memory, limit(Path.of("/sys/fs/cgroup/memory/memory.limit_in_bytes")));
    }

    private static long installed() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
                if (!line.startsWith("MemTotal:")) continue;
                String kib = line.substring("MemTotal:".length(), line.length() - " kB".length())
                        .strip();
                return Long.parseLong(kib) << 10;
            }
        } catch (IOException e) {
            // not Linux
        }
        return UNKNOWN;
    }

    private static long limit(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.equals("max") ? Long.MAX_VALUE : Long.parseLong(text);
        } catch (IOException | NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }
}
