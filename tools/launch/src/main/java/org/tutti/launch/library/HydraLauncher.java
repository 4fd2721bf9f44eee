package org.tutti.launch.library;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.cpu.CpuLevel;
import org.tutti.launch.place.Binding;
import org.tutti.launch.place.Bindings;
import org.tutti.launch.place.Hosts;
import org.tutti.launch.run.Run;

/// MPICH's mpiexec, hydra; Intel MPI and MVAPICH contain variants of it.
final class HydraLauncher extends NativeLauncher {
    HydraLauncher(Path command, String library) {
        super(command, library);
    }

    @Override
    public String title() {
        return "MPICH's mpiexec";
    }

    @Override
    public List<String> options(Run run, boolean tagged) {
        List<String> line = new ArrayList<>();
        line.add(command.toString());
        if (places(run)) place(line, run);
        if (tagged) line.add("-prepend-rank");
        line.addAll(run.engine().launcherArgs());
        return line;
    }

    private void place(List<String> line, Run run) {
        Binding wanted = run.placement().binding();
        if (wanted.cpuSet() != null) throw cannot("--cpu-set " + wanted.cpuSet(), "");
        if (wanted.rankfile() != null) {
            throw cannot(
                    "--rankfile " + wanted.rankfile(),
                    "specify the number of ranks of each host (-H a:1,b:3), or use Open MPI");
        }
        Bindings.Mapping map = Bindings.mapping(wanted.map());
        CpuLevel level = Bindings.level(wanted, map);
        boolean inTurn = map.word().equals("node");
        if (run.placement().hosts() != null)
            line.addAll(List.of(
                    "-hosts",
                    inTurn
                            ? inTurn(run.placement().hosts())
                            : run.placement().hosts().list()));
        else if (inTurn) line.addAll(List.of("-ppn", "1"));
        if (level != null) {
            line.addAll(List.of("-bind-to", map.units() > 1 ? level.word() + ":" + map.units() : level.word()));
            if (map.by() != null && map.by() != CpuLevel.NODE)
                line.addAll(List.of("-map-by", map.by().word()));
        }
        if (run.ranks().wdir() != null)
            line.addAll(List.of("-wdir", run.ranks().wdir().toAbsolutePath().toString()));
    }

    private String inTurn(Hosts hosts) {
        String names = hosts.inTurn();
        if (names != null) return names;
        throw cannot("--map-by node with " + hosts.text(), "name each host once, with equal numbers of slots");
    }

    @Override
    List<String> ofPart(Run run, int ranks, Iterable<String> names) {
        return List.of("-n", Integer.toString(ranks)); // passes on the whole environment
    }

    @Override
    public boolean waitsForLostConnections() {
        return true;
    }

    @Override
    public List<String> startFiles() {
        return List.of("mpich_shar_tmp", "ucx_shm_posix_");
    }

    @Override
    public void environment(Run run, Map<String, String> variables) {
        if (places(run) && run.placement().binding().report()) variables.put("HYDRA_TOPO_DEBUG", "1");
    }

    @Override
    RankShell.Names names() {
        return new RankShell.Names(
                "$PMI_RANK", "$PMI_SIZE", "$MPI_LOCALRANKID", "$MPI_LOCALNRANKS", RankShell.CORES_SEEN);
    }

    /// Parses `[RANK] `.
    @Override
    @Nullable
    public Tag tag(String head, int stream) {
        int close = head.indexOf("] ");
        int rank = head.startsWith("[") && close > 0 ? number(head, 1) : -1;
        return rank < 0 ? null : new Tag(rank, close + 2);
    }
}
