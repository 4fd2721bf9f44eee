package org.tutti.launch.run;

import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.HostResources;
import org.tutti.launch.place.Binding;
import org.tutti.launch.place.Hosts;
import org.tutti.launch.place.SlurmAllocation;

/// Where the ranks of a run are.
///
/// @param hosts the machines; null for this one, or the allocation that this process runs in
/// @param elsewhere whether there are ranks on other machines, too
/// @param binding which cpus ranks shall run on
/// @param nodes what torchrun's words say; null when none was used
public record Placement(
        @Nullable Hosts hosts,
        boolean elsewhere,
        Binding binding,
        @Nullable Nodes nodes) {

    /// Whether another machine than this is among the hosts, or among the allocation's where none were named.
    static boolean isElsewhere(@Nullable Hosts hosts) {
        if (hosts != null) return hosts.elsewhere();
        SlurmAllocation slurm = SlurmAllocation.current();
        return slurm != null && slurm.nodes() > 1;
    }

    /// How many ranks there are where nobody said it.
    static int defaultSize(@Nullable Hosts hosts) {
        if (hosts != null) return hosts.slots();
        SlurmAllocation slurm = SlurmAllocation.current();
        return slurm != null && slurm.tasks() > 0 ? slurm.tasks() : HostResources.cores();
    }

    /// How many of `ranks` ranks the fullest machine has.
    int ranksOfAMachine(int ranks) {
        if (!elsewhere) return ranks;
        if (hosts != null) return hosts.mostOnOne(ranks);
        SlurmAllocation slurm = SlurmAllocation.current();
        return slurm == null ? ranks : Math.ceilDiv(ranks, slurm.nodes());
    }
}
