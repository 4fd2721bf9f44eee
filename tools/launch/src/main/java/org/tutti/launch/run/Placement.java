package org.tutti.launch.run;

import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.HostResources;
import org.tutti.launch.place.Binding;
import org.tutti.launch.place.Hosts;
import org.tutti.launch.place.SlurmAllocation;

/// Where the ranks of a run are placed.
///
/// @param hosts the hosts; null for this host, or the allocation that contains this process
/// @param elsewhere whether some ranks run on other hosts
/// @param binding the requested cpus of the ranks
/// @param nodes the nodes from torchrun's options; null without such options
public record Placement(
        @Nullable Hosts hosts,
        boolean elsewhere,
        Binding binding,
        @Nullable Nodes nodes) {

    /// Whether the hosts, or the allocation if no hosts are specified, include a host other than this one.
    static boolean isElsewhere(@Nullable Hosts hosts) {
        if (hosts != null) return hosts.elsewhere();
        SlurmAllocation slurm = SlurmAllocation.current();
        return slurm != null && slurm.nodes() > 1;
    }

    /// Returns the default number of ranks of a run: the number of slots of the hosts; without hosts, the number
    /// of tasks of the Slurm allocation, or the number of cores.
    static int defaultSize(@Nullable Hosts hosts) {
        if (hosts != null) return hosts.slots();
        SlurmAllocation slurm = SlurmAllocation.current();
        return slurm != null && slurm.tasks() > 0 ? slurm.tasks() : HostResources.cores();
    }

    /// Returns the maximum number of ranks that a single host may get, in a job of `ranks` ranks.
    int ranksOfAMachine(int ranks) {
        if (!elsewhere) return ranks;
        if (hosts != null) return hosts.mostOnOne(ranks);
        SlurmAllocation slurm = SlurmAllocation.current();
        return slurm == null ? ranks : Math.ceilDiv(ranks, slurm.nodes());
    }
}
