package org.tutti.launch.rank;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.HostResources;
import org.tutti.launch.machine.JavaCommand;
import org.tutti.launch.program.Jars;
import org.tutti.launch.program.Program;
import org.tutti.launch.run.Debugging;
import org.tutti.launch.run.Run;

/// The command line of a rank's JVM. What the user passes with `--jvm` comes last, and Java lets the last
/// one win.
public final class RankCommand {
    private RankCommand() {}

    private static final long SMALLEST_HEAP = 64L << 20;

    /// @param processors how many processors a JVM shall count on; 0 where its own machine says so
    /// @param debugging for a rank that a debugger may attach to; else null
    public static List<String> of(Program program, Run run, int processors, @Nullable Debugging debugging) {
        return switch (program) {
            case Program.OfJava java -> java(java, run.ranksOfAMachine(), processors, debugging);
            case Program.Spawned spawned -> {
                List<String> jvm = spawned.spec().jvm();
                List<String> command = new ArrayList<>(List.of(JavaCommand.path()));
                command.addAll(flags(run.ranksOfAMachine(), processors, jvm));
                command.addAll(jvm);
                command.addAll(List.of("-cp", spawned.classPath(), RankMain.class.getName(), spawned.entry()));
                command.addAll(spawned.spec().args());
                yield command;
            }
            case Program.Other other -> {
                List<String> command = new ArrayList<>(other.interpreter());
                command.add(other.file());
                command.addAll(other.spec().args());
                yield command;
            }
        };
    }

    private static List<String> java(Program.OfJava program, int ranks, int processors, @Nullable Debugging debugging) {
        Jars tutti = Jars.ofRanks();
        List<String> jvm = program.spec().jvm();
        List<String> flags = flags(ranks, processors, jvm);
        List<String> command = new ArrayList<>();
        command.add(JavaCommand.path());
        if (debugging != null) command.add(debugging.option());
        command.addAll(flags);
        Path cache = AotCache.allows(jvm) ? AotCache.find(flags, tutti.own()) : null;
        if (cache != null) command.addAll(List.of("-XX:AOTCache=" + cache, AotCache.SILENT));
        command.addAll(jvm);
        command.add("-cp");
        command.add(tutti.around(List.of(program.classPath())));
        command.add(RankMain.class.getName());
        command.add(program.mainClass());
        command.addAll(program.spec().args());
        return command;
    }

    /// A fair share of the machine. Half of the memory is for heaps: buffers and the JVMs themselves lie
    /// outside.
    ///
    /// @param ranks how many share the memory of a machine
    /// @param processors how many processors the JVM shall count on; 0 to say nothing of it
    /// @param jvm the user's options
    public static List<String> flags(int ranks, int processors, List<String> jvm) {
        long heap = Math.max(SMALLEST_HEAP, HostResources.memoryBytes() / 2 / ranks);
        List<String> flags = new ArrayList<>();
        if (processors > 0) flags.add("-XX:ActiveProcessorCount=" + processors);
        flags.add("-Xmx" + (heap >> 20) + "m");
        if (processors == 1 && !choosesCollector(jvm)) flags.add("-XX:+UseSerialGC");
        // A killed JVM would leave its file under /tmp/hsperfdata_…
        flags.add("-XX:-UsePerfData");
        flags.add("--enable-native-access=ALL-UNNAMED");
        return flags;
    }

    /// Two of them would keep the JVM from starting.
    private static boolean choosesCollector(List<String> jvm) {
        for (String option : jvm) if (option.startsWith("-XX:+Use") && option.endsWith("GC")) return true;
        return false;
    }
}
