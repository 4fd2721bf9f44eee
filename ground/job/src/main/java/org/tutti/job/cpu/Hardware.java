package org.tutti.job.cpu;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;

/// The hardware on which this process may run, with hwloc's names.
public final class Hardware {
    private Hardware() {}

    /// Returns, for each type of hardware, whether this process may run on only one object of the type; an
    /// empty map if the system does not provide this information.
    public static Map<String, Boolean> ofThisProcess() {
        BitSet allowed = CpuTopology.allowed(CpuTopology.STATUS);
        if (allowed == null) return Map.of();
        CpuTopology topology = CpuTopology.read(CpuTopology.SYSTEM, allowed);
        Map<String, Boolean> single = new LinkedHashMap<>();
        for (CpuLevel level : CpuLevel.values()) {
            single.put("hwloc://" + name(level), topology.of(level).size() == 1);
        }
        return single;
    }

    private static String name(CpuLevel level) {
        return switch (level) {
            case HWTHREAD -> "PU";
            case CORE -> "Core";
            case NUMA -> "NUMANode";
            case SOCKET -> "Package";
            case NODE -> "Machine";
        };
    }
}
