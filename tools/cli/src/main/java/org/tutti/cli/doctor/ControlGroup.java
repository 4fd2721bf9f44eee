package org.tutti.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The limits of this process's control groups, of version 1 or 2, and of those around them.
///
/// @param cpus the processors' time that it may use; 0 for all
/// @param cpuFile which file says so
/// @param memoryBytes the memory; [Long#MAX_VALUE] for all
/// @param memoryFile which file says so
record ControlGroup(double cpus, String cpuFile, long memoryBytes, String memoryFile) {
    private static final String MOUNT = "/sys/fs/cgroup";

    static ControlGroup of(ExaminedMachine patient) {
        double cpus = 0;
        long memory = Long.MAX_VALUE;
        String cpuFile = "", memoryFile = "";
        for (String directory : directories(patient, "cpu")) {
            double here = quota(patient, directory);
            if (here > 0 && (cpus == 0 || here < cpus)) {
                cpus = here;
                cpuFile = directory;
            }
        }
        for (String directory : directories(patient, "memory")) {
            for (String name : new String[] {"/memory.max", "/memory.limit_in_bytes"}) {
                long here = number(patient.text(directory + name));
                if (here > 0 && here < memory) {
                    memory = here;
                    memoryFile = directory + name;
                }
            }
        }
        return new ControlGroup(cpus, cpuFile, memory, memoryFile);
    }

    /// From the process's own group up to the outermost.
    private static List<String> directories(ExaminedMachine patient, String controller) {
        List<String> found = new ArrayList<>();
        for (String line : patient.lines("/proc/self/cgroup")) {
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
        // a container sees its own group at the mount
        found.add(MOUNT);
        found.add(MOUNT + "/" + controller);
        return found;
    }

    private static double quota(ExaminedMachine patient, String directory) {
        String unified = patient.text(directory + "/cpu.max");
        if (unified != null) {
            String[] word = unified.split(" ");
            long quota = number(word[0]), period = word.length > 1 ? number(word[1]) : 0;
            return quota > 0 && period > 0 ? (double) quota / period : 0;
        }
        long quota = number(patient.text(directory + "/cpu.cfs_quota_us"));
        long period = number(patient.text(directory + "/cpu.cfs_period_us"));
        return quota > 0 && period > 0 ? (double) quota / period : 0;
    }

    /// -1 for `max` and for no number.
    private static long number(@Nullable String text) {
        if (text == null) return -1;
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
