package org.tutti.train.djl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tutti.train.ProcessGroup;

/// How many cores a rank may take for itself.
final class Cores {
    private Cores() {}

    /// Those that this process may run on, divided by the ranks that may run on just these. All ranks
    /// call it.
    static int each(ProcessGroup group) {
        String mine = where();
        List<String> all = group.allgather(mine);
        int sharers = mine.isEmpty()
                ? group.localSize()
                : (int) all.stream().filter(mine::equals).count();
        return Math.max(1, Runtime.getRuntime().availableProcessors() / sharers);
    }

    /// This machine and the cores that this process is bound to; empty where Linux does not tell.
    private static String where() {
        try {
            String machine =
                    Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("Cpus_allowed_list:")) return machine + " " + line;
            }
            return "";
        } catch (IOException | SecurityException e) {
            return "";
        }
    }
}
