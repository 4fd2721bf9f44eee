package org.tutti.e2e.job;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.cli.Main;

/// A command line that runs as a child process: by default in the project's root, with an empty stdin, and in
/// the common sandbox.
public final class Command {
    /// The flags with which `./tutti` starts the launcher.
    private static final List<String> LAUNCHER_FLAGS = List.of(
            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-XX:-UsePerfData", "-Xlog:aot*=off,cds*=off");

    /// A flag for ranks that run only for seconds, so that C2 compilation does not pay off.
    public static final String RANKS_FLAG = "-XX:TieredStopAtLevel=1";

    private final List<String> arguments;
    private final Map<String, String> environment = new TreeMap<>();
    private Path directory = Checkout.ROOT;
    private CommandEnvironment place = Sandbox.common();
    private @Nullable String input = "";

    private Command(List<String> arguments) {
        this.arguments = arguments;
        environment.put(Processes.MARK_NAME, Processes.MARK);
        environment.put("XDG_CACHE_HOME", Checkout.SCRATCH.resolve("cache").toString());
        environment.put("NO_COLOR", "1");
        // for machines on which tests run as root, and with fewer cores than ranks; Tutti passes the same
        // settings as options
        environment.put("OMPI_ALLOW_RUN_AS_ROOT", "1");
        environment.put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        environment.put("OMPI_MCA_rmaps_base_oversubscribe", "1");
        // tests run in parallel, so a waiting rank yields the core
        environment.put("OMPI_MCA_mpi_yield_when_idle", "1");
    }

    /// Creates an arbitrary command.
    public static Command of(String... arguments) {
        return new Command(List.of(arguments));
    }

    public static Command of(List<String> arguments) {
        return new Command(List.copyOf(arguments));
    }

    /// Runs `tutti ARGUMENTS` in this JVM. Only for commands that start no process.
    public static ProcessOutcome here(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(), err = new ByteArrayOutputStream();
        PrintStream outBefore = System.out, errBefore = System.err;
        int code;
        try {
            System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
            code = Main.execute(arguments);
        } finally {
            System.setOut(outBefore);
            System.setErr(errBefore);
        }
        List<String> command = new ArrayList<>(List.of("tutti"));
        command.addAll(Arrays.asList(arguments));
        return new ProcessOutcome(
                command, code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /// Creates the command `tutti ARGUMENTS`, without the script `./tutti`, which builds Tutti.
    public static Command tutti(String... arguments) {
        return launcher(List.of("--enable-native-access=ALL-UNNAMED"), Arrays.asList(arguments));
    }

    /// Like [#tutti], with flags for the launcher's JVM.
    public static Command launcher(List<String> flags, List<String> arguments) {
        return launcher(AotCaches.flags(), flags, arguments);
    }

    static Command launcher(List<String> cache, List<String> flags, List<String> arguments) {
        List<String> line = new ArrayList<>();
        line.add(Checkout.java());
        line.addAll(LAUNCHER_FLAGS);
        line.addAll(cache);
        line.addAll(flags);
        line.addAll(List.of("-cp", Checkout.classPathText(), "org.tutti.cli.Main"));
        line.addAll(arguments);
        return new Command(line);
    }

    /// Creates the command `tutti run` for a test program, a class of the package `programs`. The options of
    /// `way` and `options` precede `program` and the arguments.
    public static Command program(Way way, int ranks, List<String> options, String... program) {
        return launcher(List.of("--enable-native-access=ALL-UNNAMED"), arguments(way, ranks, options, program));
    }

    public static List<String> arguments(Way way, int ranks, List<String> options, String... program) {
        way.require();
        List<String> line = way.run(ranks);
        line.addAll(List.of("--jvm", RANKS_FLAG));
        line.addAll(options); // the last value of an option applies
        line.addAll(List.of("-cp", Checkout.PROGRAMS.toString()));
        line.add("programs." + program[0]);
        line.addAll(Arrays.asList(program).subList(1, program.length));
        return line;
    }

    public Command env(String name, String value) {
        environment.put(name, value);
        return this;
    }

    public Command in(Path where) {
        directory = where;
        return this;
    }

    public Command in(Sandbox where) {
        return on(where);
    }

    /// Runs the command on the first of the two hosts.
    public Command in(TwoHosts where) {
        return on(where);
    }

    /// Runs the command on the first of the two hosts, like a user of a cluster.
    public Command in(Slurm where) {
        return on(where);
    }

    private Command on(CommandEnvironment where) {
        place = where;
        return this;
    }

    /// Sets the content of stdin, which is then closed.
    public Command input(String text) {
        input = text;
        return this;
    }

    /// Leaves stdin open, without input.
    public Command openInput() {
        input = null;
        return this;
    }

    public Child start() {
        try {
            Files.createDirectories(Checkout.SCRATCH.resolve("cache"));
            ProcessBuilder builder = new ProcessBuilder(place.enter(directory, Processes.withSignals(arguments)));
            builder.directory(directory.toFile());
            builder.environment().keySet().removeIf(Command::isOfSurefire);
            builder.environment().putAll(place.environment());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (input != null) {
                try (var stdin = process.getOutputStream()) {
                    stdin.write(input.getBytes(StandardCharsets.UTF_8));
                } catch (IOException e) {
                    // the process does not read stdin
                }
            }
            return new Child(process, arguments);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns whether the variable configures the JVMs of the build. Such variables must not reach the child.
    private static boolean isOfSurefire(String variable) {
        return variable.startsWith("MAVEN_") || variable.equals("JAVA_TOOL_OPTIONS") || variable.equals("CLASSPATH");
    }

    /// Starts the command and waits until it ends.
    public ProcessOutcome run() throws InterruptedException {
        return start().await();
    }
}
