package org.tutti.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The limits that the control groups of this process and their parent groups impose, version 1 or 2.
///
/// @param cpus the limit of CPU time, as a number of cores; 0 for unlimited
/// @param cpuDirectory the directory of the control group that sets this limit
/// @param memoryBytes the limit of memory; [Long#MAX_VALUE] for unlimited
/// @param memoryFile the file that contains this limit
record ControlGroup(double cpus, String cpuDirectory, long memoryBytes, String memoryFile) {
    private static final String MOUNT = "/sys/fs/cgroup";

    static ControlGroup of(ExaminedMachine examined) {
        double cpus = 0;
        long memory = Long.MAX_VALUE;
        String cpuDirectory = "", memoryFile = "";
        for (String directory : directories(examined, "cpu")) {
            double here = quota(examined, directory);
            if (here > 0 && (cpus == 0 || here < cpus)) {
                cpus = here;
                cpuDirectory = directory;
            }
        }
        for (String directory : directories(examined, "memory")) {
            for (String name : new String[] {"/memory.max", "/memory.limit_in_bytes"}) {
                long here = number(examined.text(directory + name));
                if (here > 0 && here < memory) {
                    memory = here;
                    memoryFile = directory + name;
                }
            }
        }
        return new ControlGroup(cpus, cpuDirectory, memory, memoryFile);
    }

    /// Returns the directories from the process's group up to the root.
    private static List<String> directories(ExaminedMachine examined, String controller) {
        List<String> found = new ArrayList<>();
        for (String line : examined.lines("/proc/self/cgroup")) {
            String[] part = line.split(":", 3);
            if (part.length < 3) continue;
            boolean unified = part[1].isEmpty();
            boolean ours = List.of(part[1].split(",")).contains(controller);
            if (!unified && !ours) continue;
            String mount = unified ? MOUNT : MOUNT + "/" + part[1];
            String path = part[2];
            while (!path.isEmpty() && !path.equals("/")) {
                found.add(mount + path);
                path = path.substring(0, path.lastIndexOf('/'));
            }
            found.add(mount);
        }
        // in a container, the group is at the mount point
        found.add(MOUNT);
        found.add(MOUNT + "/" + controller);
        return found;
    }

    private static double quota(ExaminedMachine examined, String directory) {
        String unified = examined.text(directory + "/cpu.max");
        if (unified != null) {
            String[] word = unified.split(" ");
            long quota = number(word[0]), period = word.length > 1 ? number(word[1]) : 0;
            return quota > 0 && period > 0 ? (double) quota / period : 0;
        }
        long quota = number(examined.text(directory + "/cpu.cfs_quota_us"));
        long period = number(examined.text(directory + "/cpu.cfs_period_us"));
        return quota > 0 && period > 0 ? (double) quota / period : 0;
    }

    /// Returns -1 for `max` and for any other text.
    private static long number(@Nullable String text) {
        if (text == null) return -1;
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
