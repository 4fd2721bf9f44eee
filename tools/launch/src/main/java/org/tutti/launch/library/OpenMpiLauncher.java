package org.tutti.launch.library;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.cpu.CpuLevel;
import org.tutti.launch.place.Binding;
import org.tutti.launch.place.Bindings;
import org.tutti.launch.run.Run;

/// Open MPI's mpirun. Since 5.0 it is the launcher of PRRTE, in which some options have different names.
final class OpenMpiLauncher extends NativeLauncher {
    private static final String MAY_SHARE = ":overload-allowed";
    private static final int FIRST_PRRTE = 5;

    private int major; // 0: not queried yet

    OpenMpiLauncher(Path command, String library) {
        super(command, library);
    }

    @Override
    public String title() {
        return "Open MPI's mpirun";
    }

    @Override
    public List<String> options(Run run, boolean tagged) {
        List<String> line = new ArrayList<>();
        line.add(command.toString());
        if ("root".equals(System.getProperty("user.name"))) line.add("--allow-run-as-root");
        if (places(run)) {
            place(line, run);
        } else {
            line.add("--oversubscribe");
            // By default, mpirun binds each rank of a job with one or two ranks to one core, but a JVM has
            // several threads.
            line.addAll(List.of("--bind-to", "none"));
        }
        if (tagged) line.add("--tag-output");
        line.addAll(run.engine().launcherArgs());
        return line;
    }

    private void place(List<String> line, Run run) {
        Binding wanted = run.placement().binding();
        if (run.placement().hosts() != null)
            line.addAll(List.of("-H", run.placement().hosts().list()));
        if (wanted.cpuSet() != null) throw cannot("--cpu-set " + wanted.cpuSet(), "over several hosts use --rankfile");
        if (wanted.sharing()) line.add("--oversubscribe");
        Bindings.Mapping map = Bindings.mapping(wanted.map());
        CpuLevel level = Bindings.level(wanted, map);
        if (wanted.rankfile() != null) {
            String file = wanted.rankfile().toAbsolutePath().toString();
            line.addAll(isPrrte() ? List.of("--map-by", "rankfile:file=" + file) : List.of("--rankfile", file));
        } else {
            if (wanted.map() != null) line.addAll(List.of("--map-by", wanted.map()));
            String to = level == null ? "none" : level == CpuLevel.SOCKET && isPrrte() ? "package" : level.word();
            line.addAll(List.of("--bind-to", level != null && wanted.sharing() ? to + MAY_SHARE : to));
        }
        if (wanted.report()) line.add("--report-bindings");
    }

    /// Whether mpirun is PRRTE's. Checked only when needed, because the query takes 40 ms.
    private boolean isPrrte() {
        if (major == 0) major = major(NativeLaunchers.version(command));
        return major >= FIRST_PRRTE;
    }

    /// Returns the major version from `mpirun (Open MPI) 5.0.7` or, under an alternative name of the command,
    /// `mpirun.openmpi (OpenRTE) 4.1.4`. Returns `FIRST_PRRTE` for any other text, and for PRRTE, because PRRTE
    /// has separate version numbers.
    static int major(String version) {
        int at = version.indexOf(") ");
        return at < 0 || version.contains("PRRTE") ? FIRST_PRRTE : number(version, at + 2);
    }

    @Override
    List<String> ofPart(Run run, int ranks, Iterable<String> names) {
        List<String> words = new ArrayList<>(List.of("-n", Integer.toString(ranks)));
        if (!run.placement().elsewhere()) return words;
        for (String name : names) words.addAll(List.of("-x", name));
        if (run.ranks().wdir() != null)
            words.addAll(List.of("--wdir", run.ranks().wdir().toAbsolutePath().toString()));
        return words;
    }

    @Override
    public void sweep(long pid, Map<String, String> environment) {
        OpenMpiSession.of(environment).sweep(pid);
    }

    @Override
    String sweep() {
        return OpenMpiSession.SWEEP;
    }

    @Override
    RankShell.Names names() {
        return new RankShell.Names(
                "$OMPI_COMM_WORLD_RANK",
                "$OMPI_COMM_WORLD_SIZE",
                "$OMPI_COMM_WORLD_LOCAL_RANK",
                "$OMPI_COMM_WORLD_LOCAL_SIZE",
                RankShell.CORES_SEEN);
    }

    /// Parses `[job,RANK]<stdout>:`, since 5.0 with a space after it.
    @Override
    @Nullable
    public Tag tag(String head, int stream) {
        String mark = "]<std" + (stream == 0 ? "out" : "err") + ">:";
        int close = head.indexOf(']');
        if (!head.startsWith("[") || !head.startsWith(mark, close)) return null;
        int end = close + mark.length();
        int rank = number(head, head.lastIndexOf(',', close) + 1);
        return rank < 0 ? null : new Tag(rank, head.startsWith(" ", end) && isPrrte() ? end + 1 : end);
    }

    @Override
    public int withoutTags(byte[] buffer, int from, int to, byte[] tag) {
        int end = from;
        for (int at = from; at < to; ) {
            int next = at + tag.length;
            if (buffer[at] == '[' && next <= to && Arrays.equals(buffer, at, next, tag, 0, tag.length)) {
                at = next;
            } else {
                buffer[end++] = buffer[at++];
            }
        }
        return end;
    }
}
