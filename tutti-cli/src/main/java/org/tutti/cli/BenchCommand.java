package org.tutti.cli;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.BenchMain;
import org.tutti.bench.BenchOptions;
import org.tutti.launch.Launcher;
import org.tutti.launch.Run;
import org.tutti.launch.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `tutti bench`.
@Command(
        name = "bench",
        description = "Measures message passing, with the columns of the OSU benchmarks.",
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  tutti bench latency                                  ping-pong of 2 ranks on shared memory",
            "  tutti bench allreduce -n 4 -m 8:65536                4 ranks, messages of 8 bytes to 64 KiB",
            "  tutti bench latency --engine libmpi --mpi mpich      the same over MPICH"
        })
final class BenchCommand implements Callable<Integer> {
    private static final long LARGEST = 1L << 30;

    @Option(
            names = {"-n", "-np"},
            paramLabel = "N",
            defaultValue = "2",
            description = "Number of ranks; 2 if it is not given.")
    String size = "2";

    @Option(
            names = "-m",
            paramLabel = "[MIN:]MAX",
            defaultValue = "1:4194304",
            description = "Message sizes in bytes; they double from MIN to MAX. Default: 1:4194304.")
    String sizes = "1:4194304";

    @Option(
            names = "--buffer",
            paramLabel = "heap|segment",
            defaultValue = "heap",
            description = "Java arrays (the default), or memory from mpi.alloc.")
    String buffer = "heap";

    @Option(names = "--engine", paramLabel = "ENGINE", description = "shm (the default) or libmpi.")
    @Nullable
    String engine;

    @Option(names = "--mpi", paramLabel = "LIBRARY", description = "With libmpi: openmpi, mpich, or a path.")
    @Nullable
    String mpi;

    @Option(names = "--jvm", paramLabel = "OPT", description = "An option for every rank's JVM; may be repeated.")
    List<String> jvm = List.of();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    boolean help;

    @Parameters(arity = "0..*", paramLabel = "latency|column|allreduce", description = "What to measure.")
    List<String> what = List.of();

    @Override
    public Integer call() throws Exception {
        if (what.size() != 1 || !BenchOptions.NAMES.contains(what.getFirst())) {
            throw new UsageException(
                    "bench " + String.join(" ", what) + ": name one measurement, latency, column or allreduce");
        }
        BenchOptions options = options(what.getFirst());
        int ranks = RunArguments.ranks(size);
        if (ranks < 2 && !options.what().equals("allreduce")) {
            throw new UsageException("-n " + ranks + ": a message needs 2 ranks");
        }
        Run.Builder run = Run.of(BenchMain.class.getName(), List.of(options.toArguments()))
                .size(ranks)
                .mpi(mpi)
                .jvm(jvm);
        if (engine != null || mpi != null) run.engine(engine == null ? "libmpi" : engine);
        return Launcher.run(run.build());
    }

    private BenchOptions options(String name) {
        int colon = sizes.indexOf(':');
        long min = colon < 0 ? 1 : bytes(sizes.substring(0, colon));
        long max = bytes(sizes.substring(colon + 1));
        if (min > max) throw new UsageException("-m " + sizes + ": the smallest size comes first, as in -m 8:65536");
        for (BenchOptions.Buffer b : BenchOptions.Buffer.values()) {
            if (b.name().toLowerCase(Locale.ROOT).equals(buffer)) return new BenchOptions(name, min, max, b);
        }
        throw new UsageException("--buffer " + buffer + ": there are heap and segment");
    }

    private long bytes(String text) {
        try {
            long value = Long.parseLong(text);
            if (value >= 0 && value <= LARGEST) return value;
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException(
                "-m " + sizes + ": sizes are numbers of bytes from 0 to " + LARGEST + ", as in -m 8:65536");
    }
}
