package org.tutti.launch.rank;

import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.HostResources;
import org.tutti.launch.machine.JavaCommand;
import org.tutti.launch.program.Jars;
import org.tutti.launch.program.Program;
import org.tutti.launch.program.ProgramClasses;
import org.tutti.launch.program.ProgramSpec;
import org.tutti.launch.run.Debugging;
import org.tutti.launch.run.Run;

/// The command line of a rank's JVM. The options of `--jvm` are last: if an option is repeated, Java uses the
/// last one.
public final class RankCommand {
    private RankCommand() {}

    /// The module with native calls; referenced by name, because it is optional.
    private static final String PLATFORM = "org.tutti.os.linux";

    private static final long SMALLEST_HEAP = 64L << 20;

    /// Five times the default thresholds of HotSpot's optimizing compiler. A message passes through a large
    /// number of methods; with the default thresholds, HotSpot compiles all of these at the same time, on the
    /// cores of the ranks.
    private static final List<String> COMPILER = List.of(
            "-XX:Tier4InvocationThreshold=25000",
            "-XX:Tier4MinInvocationThreshold=3000",
            "-XX:Tier4CompileThreshold=75000",
            "-XX:Tier4BackEdgeThreshold=200000");

    /// @param processors the number of processors for a JVM; 0 to let each machine decide
    /// @param debugging the settings of a rank that a debugger may attach to; otherwise null
    public static List<String> of(Program program, Run run, int processors, @Nullable Debugging debugging) {
        // no switch over types, because the JVM would generate a class while ranks wait for the start
        if (program instanceof Program.OfJava java) {
            Jars tutti = Jars.ofRanks();
            ProgramClasses classes =
                    java.classes().on(tutti.around(List.of(java.classes().classPath())));
            return java(run, java.spec(), java.mainClass(), classes, tutti.tutti(), processors, debugging);
        }
        if (program instanceof Program.Spawned spawned) {
            List<String> tutti = Jars.atTheHeadOf(spawned.classes().classPath());
            return java(run, spawned.spec(), spawned.entry(), spawned.classes(), tutti, processors, debugging);
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
            ProgramClasses classes,
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
        addMain(classes, entry, command);
        command.add(entry);
        command.addAll(spec.args());
        return command;
    }

    /// Adds the options for the classes, and the class that the JVM starts: [RankMain], or Spring Boot's loader,
    /// which then starts [RankMain].
    private static void addMain(ProgramClasses classes, String entry, List<String> command) {
        String main = RankMain.class.getName(), boot = classes.bootLauncher();
        if (boot != null) command.add("-Dloader.main=" + main);
        if (!classes.classPath().isEmpty()) command.addAll(List.of("-cp", classes.classPath()));
        if (!classes.areInImage()) {
            command.add(boot == null ? main : boot);
            return;
        }
        command.add("--add-modules=ALL-SYSTEM");
        if (ModuleFinder.ofSystem().find(PLATFORM).isPresent()) command.add("--enable-native-access=" + PLATFORM);
        addOpens(entry, command);
        command.addAll(List.of("-m", RankMain.class.getModule().getName() + "/" + main));
    }

    /// Opens the package of the program in the run-time image to [RankMain], which calls the program. The `java`
    /// command would not need this permission to call a main method.
    private static void addOpens(String entry, List<String> command) {
        int mark = entry.indexOf('#');
        String type = mark < 0 ? entry : entry.substring(0, mark);
        String packageName = type.substring(0, Math.max(0, type.lastIndexOf('.')));
        String caller = RankMain.class.getModule().getName();
        for (ModuleReference module : ModuleFinder.ofSystem().findAll()) {
            String name = module.descriptor().name();
            if (name.equals(caller) || !module.descriptor().packages().contains(packageName)) continue;
            command.add("--add-opens=" + name + "/" + packageName + "=" + caller);
        }
    }

    /// Returns Tutti's flags for the JVM of a rank, including the rank's fair share of the machine. Half of the
    /// memory is for heaps; buffers and the JVMs need the rest.
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
