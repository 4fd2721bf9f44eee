package org.tutti.launch.rank;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.HostResources;
import org.tutti.launch.machine.JavaCommand;
import org.tutti.launch.program.Jars;
import org.tutti.launch.program.Program;
import org.tutti.launch.program.ProgramSpec;
import org.tutti.launch.run.Debugging;
import org.tutti.launch.run.Run;

/// The command line of a rank's JVM. The options of `--jvm` are last, because Java uses the last of several
/// options.
public final class RankCommand {
    private RankCommand() {}

    private static final long SMALLEST_HEAP = 64L << 20;

    /// Five times the default thresholds of HotSpot's optimizing compiler. A message passes through a large
    /// number of methods. With the default thresholds, all are compiled at the same time, on the cores of the
    /// ranks.
    private static final List<String> COMPILER = List.of(
            "-XX:Tier4InvocationThreshold=25000",
            "-XX:Tier4MinInvocationThreshold=3000",
            "-XX:Tier4CompileThreshold=75000",
            "-XX:Tier4BackEdgeThreshold=200000");

    /// @param processors the number of processors for a JVM; 0 to let each machine decide
    /// @param debugging the settings of a rank that a debugger may attach to; otherwise null
    public static List<String> of(Program program, Run run, int processors, @Nullable Debugging debugging) {
        // no switch over types: the JVM would generate a class while ranks wait for the start
        if (program instanceof Program.OfJava java) {
            Jars tutti = Jars.ofRanks();
            String classPath = tutti.around(List.of(java.classPath()));
            return java(run, java.spec(), java.mainClass(), classPath, tutti.tutti(), processors, debugging);
        }
        if (program instanceof Program.Spawned spawned) {
            List<String> tutti = Jars.atTheHeadOf(spawned.classPath());
            return java(run, spawned.spec(), spawned.entry(), spawned.classPath(), tutti, processors, debugging);
        }
        Program.Other other = (Program.Other) program;
        List<String> command = new ArrayList<>(other.interpreter());
        command.add(other.file());
        command.addAll(other.spec().args());
        return command;
    }

    /// @param entry the argument of [RankMain]
    /// @param head Tutti's jars, with which the class path begins
    private static List<String> java(
            Run run,
            ProgramSpec spec,
            String entry,
            String classPath,
            List<String> head,
            int processors,
            @Nullable Debugging debugging) {
        List<String> flags = flags(run.ranksOfAMachine(), processors, spec.jvm());
        List<String> command = new ArrayList<>();
        command.add(JavaCommand.path());
        if (debugging != null) command.add(debugging.option());
        command.addAll(flags);
        Path cache = AotCache.allows(spec.jvm()) ? AotCache.find(flags, head) : null;
        if (cache != null) command.addAll(List.of("-XX:AOTCache=" + cache, AotCache.SILENT));
        command.addAll(spec.jvm());
        command.addAll(List.of("-cp", classPath, RankMain.class.getName(), entry));
        command.addAll(spec.args());
        return command;
    }

    /// Returns the flags for a fair share of the machine. Half of the memory is for heaps; buffers and the JVMs
    /// need the rest.
    ///
    /// @param ranks the number of ranks that share the memory of a machine
    /// @param processors the number of processors for the JVM; 0 to omit the option
    /// @param jvm the user's options
    public static List<String> flags(int ranks, int processors, List<String> jvm) {
        long heap = Math.max(SMALLEST_HEAP, HostResources.memoryBytes() / 2 / ranks);
        List<String> flags = new ArrayList<>();
        if (processors > 0) flags.add("-XX:ActiveProcessorCount=" + processors);
        flags.add("-Xmx" + (heap >> 20) + "m");
        if (processors == 1 && !choosesCollector(jvm)) flags.add("-XX:+UseSerialGC");
        // a killed JVM would leave a file in /tmp/hsperfdata_…
        flags.add("-XX:-UsePerfData");
        flags.addAll(COMPILER);
        flags.add("--enable-native-access=ALL-UNNAMED");
        return flags;
    }

    /// Returns whether the options select a collector. The JVM does not start with two collectors.
    private static boolean choosesCollector(List<String> jvm) {
        for (String option : jvm) if (option.startsWith("-XX:+Use") && option.endsWith("GC")) return true;
        return false;
    }
}
