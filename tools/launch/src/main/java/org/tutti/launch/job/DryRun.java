package org.tutti.launch.job;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.cpu.CpuList;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.launch.library.NativeLauncher;
import org.tutti.launch.place.Bindings;
import org.tutti.launch.program.Program;
import org.tutti.launch.rank.RankCommand;
import org.tutti.launch.run.Run;
import org.tutti.launch.text.ShellArgument;

/// `--dry-run`: the commands of a run, in shell syntax. Omits the files through which ranks communicate and
/// report exit codes, because these files exist only while a job runs.
final class DryRun {
    private DryRun() {}

    static void print(Run run, List<Program> programs, Bindings bindings, @Nullable NativeLauncher launcher) {
        StringBuilder text = new StringBuilder();
        if (launcher != null) {
            Map<String, String> variables = NativeJob.variables(launcher, run, bindings, 0);
            line(
                    text,
                    run.ranks().wdir(),
                    variables,
                    NativeJob.command(
                            launcher,
                            run,
                            programs,
                            bindings,
                            variables,
                            run.output().tagged()));
        } else {
            text.append("# started by tutti, each with ")
                    .append(RankEnvironment.JOB)
                    .append(", the path of their shared memory\n");
            int rank = 0;
            for (Program program : programs) {
                for (int end = rank + program.spec().size(); rank < end; rank++) {
                    Map<String, String> variables = new TreeMap<>(LocalJob.variables(run, bindings, rank, 0));
                    List<String> command = new ArrayList<>();
                    BitSet cpus = bindings.cpus(rank);
                    if (cpus != null) command.addAll(List.of("taskset", "-c", CpuList.of(cpus)));
                    command.addAll(RankCommand.of(
                            program, run, bindings.processors(rank), run.ranks().debuggingOf(rank)));
                    line(text, run.ranks().wdir(), variables, command);
                }
            }
        }
        System.out.print(text);
        System.out.flush();
    }

    private static void line(
            StringBuilder text, @Nullable Path directory, Map<String, String> variables, List<String> command) {
        text.append("env");
        if (directory != null) text.append(" -C ").append(ShellArgument.quoted(directory.toString()));
        variables.forEach(
                (name, value) -> text.append(' ').append(name).append('=').append(ShellArgument.quoted(value)));
        for (String word : command) text.append(' ').append(ShellArgument.quoted(word));
        text.append('\n');
    }
}
