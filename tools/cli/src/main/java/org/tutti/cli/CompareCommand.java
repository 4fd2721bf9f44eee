package org.tutti.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.compare.Compare;
import org.tutti.bench.compare.CompareTest;
import org.tutti.bench.compare.ComparisonRun;
import org.tutti.bench.plan.BenchArguments;
import org.tutti.bench.plan.KernelSize;
import org.tutti.bench.report.Screen;
import org.tutti.launch.UsageException;
import org.tutti.launch.machine.Terminal;
import org.tutti.launch.text.EditDistance;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `tutti bench compare`.
@Command(
        name = "compare",
        description =
                "Compares Tutti with C on the installed MPI libraries, and with mpi4py, launch by launch, alternating.",
        sortOptions = false,
        footer = {
            "",
            "Tests: latency, bw, allreduce, bcast, allgather, alltoall, object, startup; on",
            "request also bibw, reduce, reduce-in-place, barrier, comms, column, windows",
            "(put-latency), files (io-write), and kernels: each by name, or all as kernels.",
            "The machine should be idle. All tests take about an hour, one test with two",
            "launches half a minute.",
            "",
            "Examples:",
            "  tutti bench compare --out figures",
            "  tutti bench compare --tests latency --launches 2",
            "  tutti bench compare --tests allreduce -n 2 -m 8,65536 --who shm,c",
            "  tutti bench compare --tests kernels --size medium --who shm,c"
        })
final class CompareCommand implements Callable<Integer> {
    private static final int STDERR = 2, MOST_LAUNCHES = 1000, MOST_RANKS = 1024;
    private static final long LARGEST = 1 << 30;
    private static final String KERNELS = "kernels";

    @Option(names = "--launches", paramLabel = "N", description = "Launches of each; 10.")
    String launches = "10";

    @Option(names = "--tests", paramLabel = "TEST,...", description = "Tests to compare; see below.")
    @Nullable
    String tests;

    @Option(
            names = {"-n", "-np"},
            paramLabel = "N,...",
            description = "Numbers of ranks of collective operations, 2,4,8, and of kernels, 2.")
    @Nullable
    String ranks;

    @Option(
            names = "-m",
            paramLabel = "BYTES,...",
            description = "Message sizes. Default: latency 8; bw 65536,1048576,4194304; collective operations"
                    + " 8,65536,4194304.")
    @Nullable
    String sizes;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            description = "Kernels: small (the default), medium or long: C takes about 0.1, 1 or 5 s on 2 ranks.")
    @Nullable
    String size;

    @Option(names = "--who", paramLabel = "WHO,...", description = "shm, libmpi, c, mpi4py: the contenders; all.")
    @Nullable
    String who;

    @Option(
            names = "--bind-to",
            paramLabel = "OBJECT",
            description = "core or none: the binding of ranks, for all contenders; none.")
    String bindTo = "none";

    @Option(
            names = "--thread-multiple",
            description = "C requests MPI_THREAD_MULTIPLE, as Tutti and mpi4py do, instead of plain MPI_Init.")
    boolean threadMultiple;

    @Option(names = "--busy", paramLabel = "N", description = "Number of busy threads that compete for the cores; 0.")
    String busy = "0";

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write the table, all values (CSV) and charts to this directory.")
    @Nullable
    Path out;

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws Exception {
        if (!bindTo.equals("none") && !bindTo.equals("core")) {
            throw new UsageException("--bind-to " + bindTo + ": there are core and none");
        }
        if (out != null && Files.exists(out) && !Files.isDirectory(out)) {
            throw new UsageException("--out " + out + ": that is a file; name a directory");
        }
        ComparisonRun wanted = new ComparisonRun(
                (int) number("--launches", launches, 1, MOST_LAUNCHES, "--launches 10"),
                tests(),
                ranks(),
                sizes == null ? List.of() : numbers("-m", sizes, 1, LARGEST, "-m 8,65536"),
                size == null ? KernelSize.SMALL : BenchArguments.kernelSize(size),
                who(),
                bindTo,
                threadMultiple,
                BenchCommand.busy(busy),
                out,
                tutti(),
                Version.tutti());
        return Compare.run(wanted, new Screen(System.out, System.err, Terminal.movesCursor(STDERR)));
    }

    private List<Integer> ranks() {
        if (ranks == null) return List.of();
        return numbers("-n", ranks, 2, MOST_RANKS, "-n 2,4,8").stream()
                .map(Long::intValue)
                .toList();
    }

    private List<CompareTest> tests() {
        if (tests == null) return CompareTest.defaults();
        List<String> names = new ArrayList<>(
                Arrays.stream(CompareTest.values()).map(CompareTest::word).toList());
        names.add(KERNELS);
        List<CompareTest> list = new ArrayList<>();
        for (String word : tests.split(",", -1)) {
            if (word.equals(KERNELS)) {
                list.addAll(CompareTest.kernels());
                continue;
            }
            CompareTest test = CompareTest.named(word);
            if (test == null) {
                throw new UsageException("--tests " + tests + ": " + word + " is not compared; did you mean "
                        + EditDistance.nearest(word, names) + "? There are " + String.join(", ", names));
            }
            list.add(test);
        }
        return list;
    }

    private List<String> who() {
        if (who == null) return ComparisonRun.EVERYBODY;
        List<String> list = List.of(who.split(",", -1));
        for (String word : list) {
            if (!ComparisonRun.EVERYBODY.contains(word)) {
                throw new UsageException("--who " + who + ": there are " + String.join(", ", ComparisonRun.EVERYBODY));
            }
        }
        return list;
    }

    private static List<Long> numbers(String option, String text, long least, long most, String example) {
        List<Long> list = new ArrayList<>();
        for (String word : text.split(",", -1)) list.add(number(option, word, least, most, example));
        return list;
    }

    private static long number(String option, String text, long least, long most, String example) {
        try {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) return value;
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new UsageException(
                option + " " + text + ": whole numbers from " + least + " to " + most + ", as in " + example);
    }

    /// Returns the command as a user types it: the script, if known.
    private static List<String> tutti() {
        if (Installation.isKnown()) return List.of(Installation.script().toString());
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName());
    }
}
