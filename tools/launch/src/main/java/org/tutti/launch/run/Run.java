package org.tutti.launch.run;

import java.util.List;
import java.util.Map;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.launch.program.ProgramSpec;

/// What `tutti run` is asked to start.
///
/// @param programs the programs of the job; ranks are numbered in their order
/// @param dryRun says what would be started, and starts nothing
public record Run(
        List<ProgramSpec> programs,
        EngineChoice engine,
        Placement placement,
        RankSettings ranks,
        OutputOptions output,
        JobLimits limits,
        ProfileOptions profiling,
        boolean dryRun) {

    /// A run of `program` with as many ranks as there are cores, on shared memory.
    public static RunBuilder of(String program, List<String> args) {
        return new RunBuilder().program(program, args);
    }

    /// The number of ranks that this launcher starts.
    public int size() {
        int size = 0;
        for (ProgramSpec program : programs) size += program.size();
        return size;
    }

    /// How many ranks the fullest machine has.
    public int ranksOfAMachine() {
        return placement.ranksOfAMachine(size());
    }

    /// Whether its ranks are only a part of the world, which the launchers of all nodes start together.
    public boolean isOfSeveralNodes() {
        Nodes nodes = placement.nodes();
        return nodes != null && nodes.areSeveral();
    }

    /// Whether rank 0 alone runs the program, and the others are workers of its pool.
    public boolean isOfPool() {
        return ranks.env().containsKey(RankEnvironment.POOL);
    }

    /// The rank in the world of the first one here.
    public int firstRank() {
        Nodes nodes = placement.nodes();
        return nodes == null ? 0 : nodes.rank() * size();
    }

    /// The same with more variables for its ranks.
    public Run with(Map<String, String> variables) {
        return new Run(programs, engine, placement, ranks.with(variables), output, limits, profiling, dryRun);
    }

    /// `shm, 4 ranks: Halo.java 100`, for who looks at the job from outside.
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
