package org.tutti.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.Launcher;
import org.tutti.launch.Run;
import org.tutti.launch.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `tutti run`.
@Command(
        name = "run",
        description = "Runs a program as several ranks; ends with the exit code of the first rank that fails.",
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  tutti run -n 4 Hello.java                  a source file, compiled once and cached",
            "  tutti run -n 4 -cp build/classes my.Main   a class",
            "  tutti run -n 4 app.jar --size 100          a jar; what follows it is the program's",
            "  tutti run -n 4 --jvm -Xmx2g app.jar        an option for every rank's JVM",
            "  tutti run -n 2 --engine libmpi app.jar     over the machine's Open MPI or MPICH",
            "  tutti run -n 4 --timeout 60 app.jar        ended after a minute, exit code 124"
        })
final class RunCommand implements Callable<Integer> {
    @Option(
            names = {"-n", "-np"},
            paramLabel = "N",
            description = "Number of ranks; the number of cores if it is not given.")
    @Nullable String size;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            description = "shm: shared memory, nothing to install (the default). libmpi: the machine's MPI library.")
    @Nullable String engine;

    @Option(
            names = "--mpi",
            paramLabel = "LIBRARY",
            description = "With libmpi: openmpi, mpich, or the path of a library. Default: Open MPI, else MPICH.")
    @Nullable String mpi;

    @Option(
            names = {"-cp", "--class-path"},
            paramLabel = "PATH",
            description = "Class path of the program.")
    @Nullable String classPath;

    @Option(names = "--jvm", paramLabel = "OPT", description = "An option for every rank's JVM; may be repeated.")
    List<String> jvm = new ArrayList<>();

    @Option(
            names = "-x",
            paramLabel = "NAME[=VALUE]",
            description = "An environment variable for every rank; may be repeated.")
    List<String> env = new ArrayList<>();

    @Option(names = "--wdir", paramLabel = "DIR", description = "Working directory of the ranks.")
    @Nullable Path wdir;

    @Option(names = "--tag-output", description = "Begin each line with [rank], also when output is no terminal.")
    boolean tagOutput;

    @Option(
            names = "--output-dir",
            paramLabel = "DIR",
            description = "Keep the output of each rank in DIR/rank-R.out and .err, too.")
    @Nullable Path outputDir;

    @Option(names = "--timeout", paramLabel = "SECONDS", description = "End the job after that time, with exit code 124.")
    @Nullable String timeout;

    @Option(
            names = "--quiet",
            description = "Say nothing of tutti's own; with --output-dir, the ranks' output goes there alone.")
    boolean quiet;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    boolean help;

    @Parameters(
            arity = "0..*",
            paramLabel = "PROGRAM [ARGS...]",
            hideParamSyntax = true,
            description = "A source file (Hello.java), a main class or a jar, then the program's own arguments.")
    List<String> program = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        if (program.isEmpty()) {
            throw new UsageException("nothing to run; name a source file, a main class or a jar:"
                    + " tutti run -n 4 Hello.java");
        }
        String name = program.get(0);
        Run.Builder run = Run.of(name, program.subList(1, program.size()))
                .mpi(mpi)
                .classPath(classPath)
                .jvm(jvm)
                .env(environment())
                .wdir(wdir)
                .tagOutput(tagOutput)
                .outputDir(outputDir)
                .quiet(quiet);
        if (size != null) run.size(ranks(size));
        if (engine != null || mpi != null) run.engine(engine == null ? "libmpi" : engine);
        if (timeout != null) run.timeout(seconds(timeout));
        return Launcher.run(run.build());
    }

    static int ranks(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new UsageException("-n " + text + ": the number of ranks is a whole number, as in -n 4");
        }
    }

    private static Duration seconds(String text) {
        try {
            double seconds = Double.parseDouble(text);
            if (seconds > 0 && seconds < 1e9) return Duration.ofNanos((long) (seconds * 1e9));
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException("--timeout " + text + ": give a number of seconds, as in --timeout 60");
    }

    private Map<String, String> environment() {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String definition : env) {
            int equals = definition.indexOf('=');
            String name = equals < 0 ? definition : definition.substring(0, equals);
            String value = equals < 0 ? System.getenv(name) : definition.substring(equals + 1);
            if (name.isEmpty()) throw new UsageException("-x " + definition + ": give NAME or NAME=VALUE");
            if (value != null) variables.put(name, value);
        }
        return variables;
    }
}
