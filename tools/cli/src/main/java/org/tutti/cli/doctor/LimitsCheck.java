package org.tutti.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Checks the limits of a process and of a user.
final class LimitsCheck implements DoctorCheck {
    private static final String FILE = "/proc/self/limits";
    private static final long UNLIMITED = Long.MAX_VALUE;

    /// The number of open files that a launcher needs, and the number that each rank adds for jars and
    /// connections.
    private static final int FILES = 128, FILES_PER_RANK = 8;

    /// The number of threads of a small JVM on a machine with few cores.
    private static final int THREADS_PER_RANK = 40;

    private static final long LOCKED_FOR_RDMA = 1L << 30;
    private static final int LIMIT_NAME_WIDTH = 26;

    @Override
    public String title() {
        return "limits";
    }

    @Override
    public void run(ExaminedMachine examined, CheckResults notes) {
        List<String> limits = examined.lines(FILE);
        int ranks = examined.ranks();
        List<String> fine = new ArrayList<>();
        long files = soft(limits, "Max open files"), filesNeeded = FILES + (long) FILES_PER_RANK * ranks;
        if (files < filesNeeded) {
            notes.fails(
                    "open files: " + files + ", and " + ranks + " ranks with their launcher need " + filesNeeded,
                    "ulimit -n 4096; permanently in /etc/security/limits.conf, or LimitNOFILE= of the service");
        } else {
            fine.add("open files " + words(files));
        }
        long processes = soft(limits, "Max processes"), threads = (long) THREADS_PER_RANK * ranks;
        boolean root = "root".equals(System.getProperty("user.name"));
        if (processes < threads && !root) {
            notes.fails(
                    "processes and threads: " + processes + ", and the JVMs of " + ranks + " ranks need about "
                            + threads,
                    "ulimit -u 4096; in a container docker run --pids-limit, permanently in /etc/security/limits.conf");
        } else {
            fine.add("processes " + words(processes) + (root ? " (not counted for root)" : ""));
        }
        long space = soft(limits, "Max address space");
        if (space != UNLIMITED) {
            notes.warn(
                    "address space: " + (space >> 20)
                            + " MiB; a JVM reserves much more than it uses, and may fail to start",
                    "ulimit -v unlimited; to limit memory use -Xmx or a control group");
        }
        locked(examined, soft(limits, "Max locked memory"), fine, notes);
        fine.add("stack " + words(soft(limits, "Max stack size")));
        long core = soft(limits, "Max core file size");
        fine.add(core == 0 ? "no core files (ulimit -c unlimited for one)" : "core files " + words(core));
        if (!limits.isEmpty()) notes.ok(String.join(", ", fine));
        kernel(examined, notes);
    }

    private static void locked(ExaminedMachine examined, long locked, List<String> fine, CheckResults notes) {
        if (examined.hasFabric() && locked < LOCKED_FOR_RDMA) {
            notes.warn(
                    "locked memory: " + (locked >> 10) + " KiB, and this machine has an RDMA card, with which buffers"
                            + " are locked",
                    "ulimit -l unlimited; permanently in /etc/security/limits.conf, for Slurm LimitMEMLOCK=infinity of"
                            + " slurmd");
        } else {
            fine.add("locked memory " + words(locked));
        }
    }

    private static void kernel(ExaminedMachine examined, CheckResults notes) {
        if ("2".equals(examined.text("/proc/sys/vm/overcommit_memory"))) {
            notes.warn(
                    "vm.overcommit_memory=2: reserved memory counts as used, and JVMs reserve much memory",
                    "sysctl vm.overcommit_memory=0, or give each rank a small heap: --jvm -Xmx256m");
        }
        String ptrace = examined.text("/proc/sys/kernel/yama/ptrace_scope");
        if (ptrace != null && !ptrace.equals("0")) {
            notes.ok("kernel.yama.ptrace_scope=" + ptrace + ": processes may not copy from each other (CMA); Open MPI"
                    + " then copies twice, and always does under Tutti");
        }
    }

    /// Returns the soft limit of this process. For open files, this is the hard limit, to which a JVM raises the
    /// soft limit when the JVM starts.
    private static long soft(List<String> limits, String name) {
        for (String line : limits) {
            if (!line.startsWith(name) || line.length() < LIMIT_NAME_WIDTH) continue;
            String value = first(line.substring(LIMIT_NAME_WIDTH));
            try {
                if (value != null && !value.equals("unlimited")) return Long.parseLong(value);
            } catch (NumberFormatException e) {
                return UNLIMITED;
            }
        }
        return UNLIMITED;
    }

    private static @Nullable String first(String text) {
        String[] words = text.strip().split("\\s+");
        return words.length == 0 ? null : words[0];
    }

    private static String words(long limit) {
        return limit == UNLIMITED ? "unlimited" : Long.toString(limit);
    }
}
