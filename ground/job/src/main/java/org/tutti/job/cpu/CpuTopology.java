package org.tutti.job.cpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The hardware of this machine that a process or a job may use: hardware threads in cores, cores in NUMA
/// nodes, and NUMA nodes in sockets.
///
/// Objects are counted as in hwloc and mpirun: only objects with a usable cpu are counted, in the order of
/// sockets. A *cpu* is the kernel's number of a hardware thread.
public final class CpuTopology {
    /// The directory in which Linux describes the machine.
    public static final Path SYSTEM = Path.of("/sys/devices/system");

    /// The status file of the calling process.
    public static final Path STATUS = Path.of("/proc/self/status");

    private static final String ALLOWED = "Cpus_allowed_list:";

    /// The location of a hardware thread: the lowest cpu of each object that contains it. Hardware threads are
    /// sorted by these numbers.
    private record Cpu(int number, int socket, int numa, int core) {}

    private final BitSet cpus;
    private final Map<CpuLevel, List<BitSet>> things = new EnumMap<>(CpuLevel.class);

    private CpuTopology(List<Cpu> found) {
        cpus = new BitSet();
        for (CpuLevel level : CpuLevel.values()) things.put(level, new ArrayList<>());
        found.sort(Comparator.comparingInt(Cpu::socket)
                .thenComparingInt(Cpu::numa)
                .thenComparingInt(Cpu::core)
                .thenComparingInt(Cpu::number));
        Cpu last = new Cpu(-1, -1, -1, -1);
        for (Cpu cpu : found) {
            cpus.set(cpu.number);
            add(CpuLevel.HWTHREAD, true, cpu.number);
            add(CpuLevel.CORE, cpu.core != last.core, cpu.number);
            add(CpuLevel.NUMA, cpu.numa != last.numa, cpu.number);
            add(CpuLevel.SOCKET, cpu.socket != last.socket, cpu.number);
            add(CpuLevel.NODE, last.number < 0, cpu.number);
            last = cpu;
        }
    }

    private void add(CpuLevel level, boolean next, int cpu) {
        List<BitSet> all = of(level);
        if (next) all.add(new BitSet());
        all.getLast().set(cpu);
    }

    /// Returns the cpus on which the process of this status file may run; null if the system does not list the
    /// cpus.
    public static @Nullable BitSet allowed(Path status) {
        try {
            for (String line : Files.readAllLines(status)) {
                if (!line.startsWith(ALLOWED)) continue;
                return CpuList.parse(line.substring(ALLOWED.length()));
            }
        } catch (IOException e) {
            // the system is not Linux
        }
        return null;
    }

    /// Reads the topology of the `usable` cpus from `system`, a directory like `/sys/devices/system`. If
    /// information is missing, each cpu is considered to be a core, and all cpus to be in one socket.
    public static CpuTopology read(Path system, BitSet usable) {
        List<Cpu> found = new ArrayList<>();
        BitSet[] numas = numas(system.resolve("node"));
        for (int cpu = usable.nextSetBit(0); cpu >= 0; cpu = usable.nextSetBit(cpu + 1)) {
            Path topology = system.resolve("cpu").resolve("cpu" + cpu).resolve("topology");
            int socket = first(topology, "package_cpus_list", "core_siblings_list", 0);
            int core = first(topology, "core_cpus_list", "thread_siblings_list", cpu);
            int numa = socket;
            for (BitSet node : numas) if (node.get(cpu)) numa = node.nextSetBit(0);
            found.add(new Cpu(cpu, socket, numa, core));
        }
        return new CpuTopology(found);
    }

    private static int first(Path directory, String name, String olderName, int otherwise) {
        for (String n : new String[] {name, olderName}) {
            BitSet cpus = list(directory.resolve(n));
            if (cpus != null) return cpus.nextSetBit(0);
        }
        return otherwise;
    }

    private static BitSet[] numas(Path directory) {
        BitSet online = list(directory.resolve("online"));
        List<BitSet> nodes = new ArrayList<>();
        if (online == null) return new BitSet[0];
        for (int n = online.nextSetBit(0); n >= 0; n = online.nextSetBit(n + 1)) {
            BitSet cpus = list(directory.resolve("node" + n).resolve("cpulist"));
            if (cpus != null) nodes.add(cpus);
        }
        return nodes.toArray(new BitSet[0]);
    }

    private static @Nullable BitSet list(Path file) {
        try {
            return CpuList.parse(Files.readString(file));
        } catch (IOException e) {
            return null;
        }
    }

    /// Returns all usable cpus.
    public BitSet cpus() {
        return cpus;
    }

    /// Returns the cpus of each object of this level, in order.
    public List<BitSet> of(CpuLevel level) {
        return things.getOrDefault(level, List.of());
    }

    /// Returns the numbers of the objects of this level that contain at least one of the cpus `outer`.
    public BitSet inside(CpuLevel level, BitSet outer) {
        BitSet numbers = new BitSet();
        List<BitSet> all = of(level);
        for (int i = 0; i < all.size(); i++) if (all.get(i).intersects(outer)) numbers.set(i);
        return numbers;
    }

    /// Returns the cpus of the objects of this level that have these numbers.
    public BitSet cpus(CpuLevel level, BitSet numbers) {
        BitSet together = new BitSet();
        for (int n = numbers.nextSetBit(0); n >= 0; n = numbers.nextSetBit(n + 1))
            together.or(of(level).get(n));
        return together;
    }
}
