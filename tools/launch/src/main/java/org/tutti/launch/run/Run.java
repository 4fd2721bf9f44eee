package org.tutti.launch.run;

import java.util.List;
import java.util.Map;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.launch.program.ProgramSpec;

/// The complete description of a job for `tutti run`.
///
/// @param programs the programs of the job; ranks are numbered in this order
/// @param dryRun whether to print the commands instead of starting ranks
public record Run(
        List<ProgramSpec> programs,
        EngineChoice engine,
        Placement placement,
        RankSettings ranks,
        OutputOptions output,
        JobLimits limits,
        ProfileOptions profiling,
        boolean dryRun) {

    /// Returns a builder for a run of `program`. By default, the run has one rank per core, or the number of
    /// ranks of the Slurm allocation, and uses shared memory where possible.
    public static RunBuilder of(String program, List<String> args) {
        return new RunBuilder().program(program, args);
    }

    /// Returns the number of ranks that this launcher starts.
    public int size() {
        int size = 0;
        for (ProgramSpec program : programs) size += program.size();
        return size;
    }

    /// Returns the maximum number of ranks that a single host may get.
    public int ranksOfAMachine() {
        return placement.ranksOfAMachine(size());
    }

    /// Whether the ranks are only a part of the world, which the launchers of all nodes start together.
    public boolean isOfSeveralNodes() {
        Nodes nodes = placement.nodes();
        return nodes != null && nodes.areSeveral();
    }

    /// Whether only rank 0 runs the program, and the other ranks are workers of the pool.
    public boolean isOfPool() {
        return ranks.env().containsKey(RankEnvironment.POOL);
    }

    /// Returns the number in the world of the first rank that this launcher starts.
    public int firstRank() {
        Nodes nodes = placement.nodes();
        return nodes == null ? 0 : nodes.rank() * size();
    }

    /// Returns this run with more environment variables for the ranks.
    public Run with(Map<String, String> variables) {
        return new Run(programs, engine, placement, ranks.with(variables), output, limits, profiling, dryRun);
    }

    /// Returns `shm, 4 ranks: Halo.java 100`, for observers outside the job.
    public String title() {
        StringBuilder title = new StringBuilder(engine.name());
        title.append(engine.mpi() == null ? "" : " (" + engine.mpi() + ")");
        title.append(", ").append(size()).append(size() == 1 ? " rank: " : " ranks: ");
        for (ProgramSpec program : programs) {
            if (program != programs.getFirst()) title.append(" : ");
            title.append(program.program());
            for (String arg : program.args()) title.append(' ').append(arg);
        }
        return title.toString();
    }
}
