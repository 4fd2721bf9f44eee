package org.tutti.launch.run;

import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// What a run may ask for when it is started on each of several nodes by hand (`--nnodes`): its launchers know
/// nothing
/// of each other.
final class SeveralNodes {
    private SeveralNodes() {}

    /// @throws UsageException if something was asked for that makes no sense then
    static void require(RunBuilder run, Nodes nodes) {
        String other = ofOneLauncher(run);
        String option = "--nnodes " + nodes.count();
        if (other != null) {
            throw new UsageException(other + " and " + option + ": with the first, one tutti run starts the ranks"
                    + " of all machines; with the second, you start one on each; give one");
        }
        if (run.maxRestarts > 0) {
            throw new UsageException("--max-restarts " + run.maxRestarts + " and " + option + ": the launchers of the"
                    + " nodes know nothing of each other, so that none can start the others' ranks anew; leave"
                    + " out --max-restarts");
        }
        if (run.profile || run.trace != null) {
            throw new UsageException((run.trace == null ? "--profile" : "--trace " + run.trace) + " and " + option
                    + ": each launcher would see the calls of its own node's ranks alone; start the job by one"
                    + " tutti run, with -H");
        }
        if (run.programs.size() > 1)
            throw new UsageException(option + " starts one program, not " + run.programs.size());
        if (run.programs.getFirst().size() > 0) {
            throw new UsageException("-n " + run.programs.getFirst().size() + " and " + option
                    + ": say how many ranks each node has by --nproc-per-node");
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

    /// What is for a launcher that starts the ranks of all machines; null when nothing was said of it.
    private static @Nullable String ofOneLauncher(RunBuilder run) {
        if (run.hosts != null) return run.hosts.words();
        if (run.binding.rankfile() != null) return "--rankfile " + run.binding.rankfile();
        if (run.engine != null) return "--engine " + run.engine;
        if (run.mpi != null) return "--mpi " + run.mpi;
        if (run.launcher != null) return "--launcher " + run.launcher;
        return run.launcherArgs.isEmpty() ? null : "--launcher-arg " + run.launcherArgs.getFirst();
    }
}
