package org.tutti.launch.run;

import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// Checks the options of a run that the user starts by hand on each of several nodes (`--nnodes`). The launchers
/// of the nodes do not communicate.
final class SeveralNodes {
    private SeveralNodes() {}

    /// @throws UsageException if an option cannot be used in such a run
    static void require(RunBuilder run, Nodes nodes) {
        String other = ofOneLauncher(run);
        String option = "--nnodes " + nodes.count();
        if (other != null) {
            throw new UsageException(other + " and " + option + ": with the first, one tutti run starts the ranks"
                    + " of all machines; with the second, you start one on each; give one");
        }
        if (run.maxRestarts > 0) {
            throw new UsageException("--max-restarts " + run.maxRestarts + " and " + option + ": the launchers of the"
                    + " nodes do not communicate, so that none can restart the ranks of other nodes; leave"
                    + " out --max-restarts");
        }
        if (run.profile || run.trace != null) {
            throw new UsageException((run.trace == null ? "--profile" : "--trace " + run.trace) + " and " + option
                    + ": each launcher would record only the calls of its node's ranks; start the job by one"
                    + " tutti run, with -H");
        }
        if (run.programs.size() > 1)
            throw new UsageException(option + " starts one program, not " + run.programs.size());
        if (run.programs.getFirst().size() > 0) {
            throw new UsageException("-n " + run.programs.getFirst().size() + " and " + option
                    + ": specify the ranks of each node with --nproc-per-node");
        }
        if (run.torchrun.perNode() == null) {
            throw new UsageException(option + " needs --nproc-per-node N: how many ranks each node has");
        }
        int most = RunBuilder.MOST_RANKS / nodes.count();
        int ranks = Nodes.perNode(run.torchrun, RunBuilder.MOST_RANKS_HERE);
        if (ranks > most) {
            throw new UsageException(option + " and --nproc-per-node " + ranks + ": a job has at most "
                    + RunBuilder.MOST_RANKS + " ranks");
        }
    }

    /// Returns the option that requires one launcher for the ranks of all machines, or null.
    private static @Nullable String ofOneLauncher(RunBuilder run) {
        if (run.hosts != null) return run.hosts.text();
        if (run.binding.rankfile() != null) return "--rankfile " + run.binding.rankfile();
        if (run.engine != null) return "--engine " + run.engine;
        if (run.mpi != null) return "--mpi " + run.mpi;
        if (run.launcher != null) return "--launcher " + run.launcher;
        return run.launcherArgs.isEmpty() ? null : "--launcher-arg " + run.launcherArgs.getFirst();
    }
}
