package org.tutti.cli.doctor;

import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.tutti.job.cpu.CpuList;
import org.tutti.job.os.SupportedSystem;

/// Checks the cores and the memory that this process may use.
final class MachineCheck implements DoctorCheck {
    private static final long MIB = 1 << 20;
    private static final long SMALL_HEAP = 256 * MIB;

    @Override
    public String title() {
        return "machine";
    }

    @Override
    public void run(ExaminedMachine examined, CheckResults notes) {
        notes.ok(System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                + System.getProperty("os.arch") + model(examined));
        String lack = SupportedSystem.lack();
        if (lack != null) notes.fails(lack, SupportedSystem.ADVICE);
        ControlGroup group = ControlGroup.of(examined);
        cores(examined, group, notes);
        memory(examined, group, notes);
    }

    private static String model(ExaminedMachine examined) {
        String model = field(examined.lines("/proc/cpuinfo"), "model name");
        return model == null ? "" : ", " + model;
    }

    /// Returns the value of the first line `name : value`.
    private static @Nullable String field(List<String> lines, String name) {
        for (String line : lines) {
            int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).strip().equals(name)) {
                return line.substring(colon + 1).strip();
            }
        }
        return null;
    }

    private static void cores(ExaminedMachine examined, ControlGroup group, CheckResults notes) {
        BitSet online = list(examined.text("/sys/devices/system/cpu/online"));
        BitSet allowed = list(field(examined.lines("/proc/self/status"), "Cpus_allowed_list"));
        if (online == null || allowed == null) {
            notes.ok(Runtime.getRuntime().availableProcessors() + " processors");
        } else {
            allowed.and(online);
            int all = online.cardinality(), usable = allowed.cardinality();
            if (usable < all) {
                notes.warn(
                        "this process may run on " + usable + " of " + all + " cpus (" + CpuList.of(allowed)
                                + "), and so may its ranks: bound by taskset, by a batch system or by a"
                                + " launcher",
                        "start tutti without taskset; in Slurm ask for more with --cpus-per-task; under another mpirun"
                                + " use --bind-to none");
            } else {
                notes.ok(all + (all == 1 ? " cpu" : " cpus") + ", all usable by this process");
            }
        }
        double quota = group.cpus();
        int processors = Runtime.getRuntime().availableProcessors();
        if (quota > 0 && (online == null || quota < online.cardinality())) {
            notes.warn(
                    String.format(
                            Locale.ROOT,
                            "the control group allows %.2g cpus' time (%s); ranks beyond that are stopped for parts"
                                    + " of each 0.1 s, which looks like a slow network",
                            quota,
                            group.cpuDirectory()),
                    "give the container more (docker run --cpus N, resources.limits.cpu), or start fewer ranks");
        }
        if (examined.ranks() > processors) {
            notes.ok(examined.ranks() + " ranks share " + processors + (processors == 1 ? " core" : " cores")
                    + ": waiting ranks sleep, on either engine");
        }
    }

    private static @Nullable BitSet list(@Nullable String text) {
        return text == null ? null : CpuList.parse(text);
    }

    private static void memory(ExaminedMachine examined, ControlGroup group, CheckResults notes) {
        String total = field(examined.lines("/proc/meminfo"), "MemTotal");
        String available = field(examined.lines("/proc/meminfo"), "MemAvailable");
        if (total == null) return;
        long bytes = kibibytes(total), limit = group.memoryBytes();
        long usable = Math.min(bytes, limit);
        String words = bytes / MIB + " MiB of memory"
                + (available == null ? "" : ", " + kibibytes(available) / MIB + " MiB of it free")
                + (limit < bytes
                        ? ", " + limit / MIB + " MiB for this control group (" + group.memoryFile() + ")"
                        : "");
        long heap = usable / 2 / examined.ranks();
        String share = "; a rank of " + examined.ranks() + " gets a heap of up to " + heap / MIB + " MiB";
        if (heap < SMALL_HEAP) {
            notes.warn(
                    words + share,
                    "start fewer ranks, set the heap with --jvm -Xmx…, or give the container more memory");
        } else {
            notes.ok(words + share);
        }
    }

    private static long kibibytes(String text) {
        try {
            return Long.parseLong(text.replace("kB", "").strip()) << 10;
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }
}
