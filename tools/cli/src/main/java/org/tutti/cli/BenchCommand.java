package org.tutti.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.Bench;
import org.tutti.bench.BusyThreads;
import org.tutti.bench.plan.BenchArguments;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.BenchTest;
import org.tutti.bench.report.OutputFiles;
import org.tutti.bench.report.Result;
import org.tutti.bench.report.Screen;
import org.tutti.launch.machine.Terminal;
import org.tutti.launch.place.Binding;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `tutti bench`: options of OSU's benchmarks and of mpi4py.bench.
@Command(
        name = "bench",
        description = "Measures message passing.",
        sortOptions = false,
        customSynopsis = {"Usage: tutti bench TEST [options]", "       tutti bench compare [options]"},
        synopsisHeading = "")
final class BenchCommand implements Callable<Integer> {
    /// The width of the second column of the list of tests, in an output of 80 columns.
    private static final int SUMMARY_WIDTH = 59;

    private static final int STDERR = 2, MOST_BUSY = 1024;

    /// The options that only a few tests have.
    private static final Set<String> SINGLE = Set.of(
            "--window-size",
            "--num-test-calls",
            "--quiet",
            "--min-size",
            "--max-size",
            "--num-tasks",
            "--chunksize",
            "--array",
            "--pickle",
            "--outband",
            "--skip-large",
            "--loop-large",
            "--large-size",
            "--skip-huge",
            "--loop-huge",
            "--huge-size",
            "--no-header",
            "--no-stats");

    @Option(
            names = {"-n", "-np"},
            paramLabel = "N",
            defaultValue = "2",
            description = "Number of ranks. Default: 2.")
    String ranks = "2";

    @Option(
            names = {"-m", "--message-size"},
            paramLabel = "[MIN:]MAX",
            description =
                    "Message sizes in bytes, doubling from MIN (1) to MAX (4194304, of collective operations 1048576);"
                            + " or a list, 8,65536. pingpong: MIN.")
    @Nullable
    String sizes;

    @Option(
            names = {"-i", "--iterations", "-l", "--loop"},
            paramLabel = "N",
            description =
                    "Measured iterations. OSU's tests: as many as fit into 0.1 s, at least 10000, beyond 8 KiB 1000,"
                            + " beyond 1 MiB 100, at most as many as fit into 1 s. pingpong: 10000, ringtest: 1,"
                            + " kernels: those of --size.")
    @Nullable
    String iterations;

    @Option(
            names = {"-x", "--warmup", "-s", "--skip"},
            paramLabel = "N",
            description =
                    "Warm-up iterations. Default: 20000, beyond 1 MiB 300, and for 0.2 s, the first size for 1 s, so"
                            + " that code is compiled; at most 4 s. ringtest: none.")
    @Nullable
    String warmup;

    @Option(
            names = {"-c", "--validation"},
            description = "Verify the received data; exit code 1 if wrong.")
    boolean check;

    @Option(
            names = {"-f", "--full"},
            description = "Also print minimum and maximum over the ranks, and iterations.")
    boolean full;

    @Option(
            names = {"-W", "--window-size"},
            paramLabel = "N",
            description = "bw, bibw, mbw-mr: messages in flight; 64.")
    @Nullable
    String window;

    @Option(
            names = {"-T", "--type"},
            paramLabel = "TYPE",
            description = "byte, int, long, float, double, OSU's mpi_char, mpi_int, mpi_float, or all. Default: byte,"
                    + " float where numbers are added.")
    @Nullable
    String types;

    @Option(
            names = {"-t", "--num-test-calls"},
            paramLabel = "N",
            description = "Nonblocking operations: calls of test during the overlap; 0.")
    @Nullable
    String tests;

    @Option(
            names = "--buffer",
            paramLabel = "WHERE",
            description =
                    "heap (Java arrays, the default), segment (memory from mpi.alloc), direct (NIO), device (each rank's;"
                            + " kind by TUTTI_DEVICE); or several, separated by commas.")
    @Nullable
    String buffers;

    @Option(names = "--object", description = "Objects instead of buffers: sendObject and similar calls.")
    boolean object;

    @Option(
            names = {"-q", "--quiet"},
            description = "mpi4py's tests: print nothing.")
    boolean quiet;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            description =
                    "Kernels: small (the default), medium or long: C takes about 0.1, 1 or 5 s on 2 ranks. ringtest:"
                            + " message size in bytes, 1 (mpi4py's -n; -n is the number of ranks here).")
    @Nullable
    String size;

    @Option(names = "--min-size", paramLabel = "BYTES", description = "pingpong: the same as -m; 1.")
    @Nullable
    String minSize;

    @Option(
            names = "--max-size",
            paramLabel = "BYTES",
            description = "pingpong, futures: largest message, 1073741824, 1048576 (mpi4py's -n).")
    @Nullable
    String maxSize;

    @Option(
            names = "--num-tasks",
            paramLabel = "N",
            description = "futures: tasks in one iteration, 50 (mpi4py's -t). The workers are all ranks but 0.")
    @Nullable
    String tasks;

    @Option(
            names = "--chunksize",
            paramLabel = "N",
            description = "futures: tasks in one message, 1 (mpi4py's -c); 0 to choose automatically.")
    @Nullable
    String chunk;

    @Option(
            names = {"-a", "--array"},
            paramLabel = "WHERE",
            description = "pingpong: heap (or numpy), segment, or none, which is a direct NIO buffer.")
    @Nullable
    String array;

    @Option(
            names = {"-p", "--pickle"},
            description = "pingpong: objects, by sendObject.")
    boolean pickle;

    @Option(
            names = {"-o", "--outband"},
            description =
                    "pingpong: the same as --pickle, because sendObject never copies a large array into the message.")
    boolean outband;

    @Option(names = "--skip-large", paramLabel = "N", description = "pingpong: -s beyond --large-size; 10.")
    @Nullable
    String skipLarge;

    @Option(names = "--loop-large", paramLabel = "N", description = "pingpong: -l beyond --large-size; 1000.")
    @Nullable
    String loopLarge;

    @Option(names = "--large-size", paramLabel = "BYTES", description = "pingpong: 16384.")
    @Nullable
    String largeSize;

    @Option(names = "--skip-huge", paramLabel = "N", description = "pingpong: -s beyond --huge-size; 1.")
    @Nullable
    String skipHuge;

    @Option(names = "--loop-huge", paramLabel = "N", description = "pingpong: -l beyond --huge-size; 10.")
    @Nullable
    String loopHuge;

    @Option(names = "--huge-size", paramLabel = "BYTES", description = "pingpong: 1048576.")
    @Nullable
    String hugeSize;

    @Option(names = "--no-header", description = "pingpong: only rows.")
    boolean noHeader;

    @Option(names = "--no-stats", description = "pingpong: only sizes and bandwidths.")
    boolean noStats;

    @Option(
            names = "--busy",
            paramLabel = "N",
            description = "Number of busy threads that compete with the ranks for the cores; 0.")
    String busy = "0";

    @Option(names = "--csv", paramLabel = "FILE", description = "Write the rows as CSV, with all digits.")
    @Nullable
    Path csv;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the rows as JSON.")
    @Nullable
    Path json;

    @Option(names = "--plot", paramLabel = "FILE", description = "Draw the rows: FILE.svg or FILE.png.")
    @Nullable
    Path plot;

    @Option(names = "--engine", paramLabel = "ENGINE", description = "shm (the default) or libmpi.")
    @Nullable
    String engine;

    @Option(names = "--mpi", paramLabel = "LIBRARY", description = "With libmpi: openmpi, mpich, or a path.")
    @Nullable
    String mpi;

    @Option(names = "--bind-to", paramLabel = "OBJECT", description = "As in tutti run: core, hwthread, … or none.")
    @Nullable
    String bindTo;

    @Option(names = "--jvm", paramLabel = "OPT", description = "An option for every rank's JVM; may be repeated.")
    List<String> jvm = List.of();

    @Mixin
    final HelpOption help = new HelpOption();

    @Parameters(arity = "0..*", hidden = true, completionCandidates = Tests.class)
    List<String> test = List.of();

    /// The names of the tests, for completion.
    static final class Tests extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        Tests() {
            super(Arrays.stream(BenchTest.values()).map(BenchTest::word).toList());
        }
    }

    /// Returns the command, for picocli; the help contains the list of tests.
    ///
    /// @param showsAll whether the help has all options
    static CommandLine commandLine(boolean showsAll) {
        CommandLine line = new CommandLine(new BenchCommand());
        line.addSubcommand(new CompareCommand());
        List<String> tests = new ArrayList<>(List.of(
                "Measures message passing: OSU's tests and mpi4py.bench's, with their options and columns, and"
                        + " application kernels.",
                "",
                "Tests:"));
        for (BenchTest t : BenchTest.values()) {
            String name = t.word();
            for (String part : OptionHelp.wrapped(t.summary(), SUMMARY_WIDTH)) {
                tests.add("  %-19s%s".formatted(name, part));
                name = "";
            }
        }
        CommandSpec spec = line.getCommandSpec();
        OptionHelp.install(spec, groups(spec), showsAll);
        spec.usageMessage()
                .description(tests.toArray(new String[0]))
                .footer(
                        "",
                        "Examples:",
                        "  tutti bench latency                           2 ranks on shared memory",
                        "  tutti bench allreduce -n 4 -m 8:65536 -f      4 ranks, 8 bytes to 64 KiB",
                        "  tutti bench bw --mpi mpich --buffer segment   MPICH, memory of mpi.alloc",
                        "  tutti bench latency --buffer heap,segment --plot latency.svg",
                        "  tutti bench bw --buffer device                between the ranks' devices",
                        "  tutti bench stencil --size medium             an application kernel");
        return line;
    }

    private static List<OptionHelp.Group> groups(CommandSpec spec) {
        List<String> single = spec.options().stream()
                .map(OptionSpec::longestName)
                .filter(name -> SINGLE.contains(name))
                .toList();
        List<String> basic = spec.options().stream()
                .map(OptionSpec::longestName)
                .filter(name -> !SINGLE.contains(name) && !name.equals("--help"))
                .toList();
        return List.of(
                new OptionHelp.Group("Options:", true, basic),
                new OptionHelp.Group("Options of single tests:", false, single));
    }

    @Override
    public Integer call() throws Exception {
        BenchTest wanted = BenchArguments.test(test);
        int size = RunArguments.ranks(ranks);
        int busyThreads = busy(busy);
        List<BenchOptions> all = arguments(wanted).options(size);
        OutputFiles outputs = new OutputFiles(wanted, csv, json, plot);
        String used = engine == null && mpi != null ? "libmpi" : engine;
        Binding binding = new Binding(bindTo, null, null, null, false, false);
        Bench bench = new Bench(size, used, mpi, binding, jvm, null);
        Screen screen = new Screen(System.out, System.err, Terminal.movesCursor(STDERR));
        List<Result> results = new ArrayList<>();
        int code = 0;
        String note = IdleCores.note(size);
        if (note != null) Main.print("note: " + note, 0);
        try (BusyThreads _ = BusyThreads.start(busyThreads)) {
            for (BenchOptions options : all) {
                if (!results.isEmpty()) screen.print("");
                Bench.Outcome ended = bench.run(options, screen);
                results.add(ended.result());
                code = ended.code();
                if (code != 0) break;
            }
        }
        outputs.write(results, Version.tutti());
        return code;
    }

    /// Parses the number of threads that compete for the cores.
    static int busy(String text) {
        return BenchArguments.number("--busy", text, 0, MOST_BUSY, "--busy 2");
    }

    private BenchArguments arguments(BenchTest wanted) {
        BenchArguments w = new BenchArguments(wanted);
        w.sizes = sizes;
        w.minSize = minSize;
        w.maxSize = maxSize;
        w.size = size;
        w.iterations = iterations;
        w.warmup = warmup;
        w.window = window;
        w.types = types;
        w.tests = tests;
        w.tasks = tasks;
        w.chunk = chunk;
        w.buffers = buffers;
        w.array = array;
        w.skipLarge = skipLarge;
        w.loopLarge = loopLarge;
        w.largeSize = largeSize;
        w.skipHuge = skipHuge;
        w.loopHuge = loopHuge;
        w.hugeSize = hugeSize;
        w.check = check;
        w.full = full;
        w.object = object;
        w.pickle = pickle;
        w.outband = outband;
        w.quiet = quiet;
        w.noHeader = noHeader;
        w.noStats = noStats;
        return w;
    }
}
