package org.tutti.launch.library;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.cpu.CpuLevel;
import org.tutti.launch.place.Binding;
import org.tutti.launch.place.Bindings;
import org.tutti.launch.place.SlurmAllocation;
import org.tutti.launch.run.Run;

/// Slurm's srun, inside an allocation.
final class SlurmLauncher extends NativeLauncher {
    private final String pmi;
    private final SlurmAllocation allocation;

    /// @param pmi the process manager interface of the library, as listed by `srun --mpi=list`
    SlurmLauncher(Path command, String library, String pmi, SlurmAllocation allocation) {
        super(command, library);
        this.pmi = pmi;
        this.allocation = allocation;
    }

    @Override
    public String title() {
        return "Slurm's srun";
    }

    @Override
    public boolean places(Run run) {
        return true;
    }

    @Override
    public List<String> options(Run run, boolean tagged) {
        Binding wanted = run.placement().binding();
        List<String> line = new ArrayList<>();
        line.add(command.toString());
        line.add("--mpi=" + pmi);
        // otherwise the other ranks would wait for a failed rank
        line.add("--kill-on-bad-exit=1");
        line.add("--ntasks=" + run.size());
        // the job step that runs this launcher occupies the cpus that the new step needs
        if (allocation.inStep()) line.add("--overlap");
        if (wanted.sharing()) line.add("--overcommit");
        if (wanted.cpuSet() != null)
            throw cannot("--cpu-set " + wanted.cpuSet(), "use its --cpu-bind=map_cpu:… by --launcher-arg");
        if (wanted.rankfile() != null) throw cannot("--rankfile " + wanted.rankfile(), "use -H, or --launcher mpirun");
        distribute(line, run);
        if (run.ranks().wdir() != null) line.add("--chdir=" + run.ranks().wdir().toAbsolutePath());
        if (tagged) line.add("--label");
        line.addAll(run.engine().launcherArgs());
        return line;
    }

    private void distribute(List<String> line, Run run) {
        Binding wanted = run.placement().binding();
        Bindings.Mapping map = Bindings.mapping(wanted.map());
        CpuLevel level = Bindings.level(wanted, map);
        if (run.placement().hosts() != null) {
            if (map.word().equals("node"))
                throw cannot("--map-by node with -H", "list the hosts alternately: -H a,b,a,b");
            line.add("--nodelist=" + run.placement().hosts().eachRank(run.size()));
            line.add("--distribution=arbitrary");
        } else if (wanted.map() != null) {
            line.add("--distribution=" + distribution(map));
        }
        if (map.units() > 0) line.add("--cpus-per-task=" + map.units());
        String bind = level == null ? "" : binding(level);
        if (wanted.report()) bind = bind.isEmpty() ? "verbose" : "verbose," + bind;
        if (bind.isEmpty() && "none".equals(wanted.to())) bind = "none";
        if (!bind.isEmpty()) line.add("--cpu-bind=" + bind);
    }

    private String distribution(Bindings.Mapping map) {
        return switch (map.word()) {
            case "slot", "core" -> "block:block";
            case "node" -> "cyclic";
            case "socket" -> "block:cyclic";
            default -> throw cannot("--map-by " + map.word(), "use slot, core, socket or node");
        };
    }

    private static String binding(CpuLevel level) {
        return switch (level) {
            case CORE -> "cores";
            case HWTHREAD -> "threads";
            case SOCKET -> "sockets";
            case NUMA -> "ldoms";
            case NODE -> "none";
        };
    }

    @Override
    List<String> ofPart(Run run, int ranks, Iterable<String> names) {
        return List.of(); // passes on the whole environment
    }

    @Override
    boolean takesSeveralPrograms() {
        return false;
    }

    @Override
    RankShell.Names names() {
        return new RankShell.Names(
                "$SLURM_PROCID",
                "$SLURM_STEP_NUM_TASKS",
                "$SLURM_LOCALID",
                RankShell.SLURM_LOCAL_SIZE,
                "$SLURM_CPUS_ON_NODE");
    }

    /// Parses `RANK: `, with spaces before short numbers.
    @Override
    @Nullable
    public Tag tag(String head, int stream) {
        int from = 0;
        while (from < head.length() && head.charAt(from) == ' ') from++;
        int rank = number(head, from);
        int colon = head.indexOf(": ");
        boolean numberOnly = rank >= 0 && colon == from + Integer.toString(rank).length();
        return numberOnly ? new Tag(rank, colon + 2) : null;
    }
}
