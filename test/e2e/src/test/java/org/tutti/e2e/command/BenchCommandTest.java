package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchArguments;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.BenchTest;
import org.tutti.bench.report.Reader;
import org.tutti.bench.report.Result;
import org.tutti.bench.report.Screen;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.OpenCl;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Python;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;
import programs.Benches;

/// Runs every test of `tutti bench`, checks the data, and compares the columns with the OSU, mpi4py or file
/// benchmark of the same name. The tests use shared memory, with `-Pfull` also the libraries. Durations are not
/// asserted.
class BenchCommandTest extends JobTest {
    private static final int RANKS = 3;
    private static final String NUMBER = " +\\d+\\.\\d\\d", SIZE = "(8|4096)", PASS = " +Pass";
    private static final List<String> COLLECTIVES =
            List.of("bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "reduce-scatter");

    /// Returns the test name, the column titles after `# `, and the pattern of a row.
    private static Stream<Arguments> osu() {
        List<Arguments> all = new ArrayList<>(List.of(
                Arguments.of("latency", "Size Avg Latency(us)", SIZE + NUMBER),
                Arguments.of("bw", "Size Bandwidth (MB/s)", SIZE + NUMBER),
                Arguments.of("bibw", "Size Bandwidth (MB/s)", SIZE + NUMBER),
                Arguments.of("column", "Size Avg Latency(us)", SIZE + NUMBER),
                Arguments.of("object", "Avg Latency(us)", NUMBER),
                Arguments.of("multi-lat", "Size Avg Latency(us)", SIZE + NUMBER),
                Arguments.of("mbw-mr", "Size MB/s Messages/s", SIZE + NUMBER.repeat(2)),
                Arguments.of("barrier", "Avg Latency(us)", NUMBER),
                Arguments.of("comms", "Avg Latency(us)", NUMBER),
                Arguments.of("reduce-in-place", "Size Avg Latency(us)", SIZE + NUMBER),
                Arguments.of("allreduce", "Size Avg Latency(us) busbw(GB/s) #wrong", SIZE + NUMBER.repeat(2) + " +0"),
                Arguments.of("ibarrier", "Overall(us) Compute(us) Pure Comm.(us) Overlap(%)", NUMBER.repeat(4)),
                Arguments.of(
                        "iallreduce",
                        "Size Overall(us) Compute(us) Pure Comm.(us) Overlap(%)",
                        SIZE + NUMBER.repeat(4))));
        for (String name : COLLECTIVES) {
            all.add(Arguments.of(name, "Size Avg Latency(us)", SIZE + NUMBER));
            String overlap = "Size Overall(us) Compute(us) Pure Comm.(us) Overlap(%)";
            all.add(Arguments.of("i" + name, overlap, SIZE + NUMBER.repeat(4)));
        }
        return all.stream();
    }

    private static Stream<Arguments> oneSided() {
        return Stream.of(
                Arguments.of("put-latency", "Size Avg Latency(us)", SIZE + NUMBER),
                Arguments.of("get-latency", "Size Avg Latency(us)", SIZE + NUMBER),
                Arguments.of("put-bw", "Size Bandwidth (MB/s)", SIZE + NUMBER),
                Arguments.of("get-bw", "Size Bandwidth (MB/s)", SIZE + NUMBER),
                Arguments.of("acc-latency", "Size Avg Latency(us)", SIZE + NUMBER),
                Arguments.of("get-acc-latency", "Size Avg Latency(us)", SIZE + NUMBER),
                Arguments.of("fop-latency", "Avg Latency(us)", NUMBER),
                Arguments.of("cas-latency", "Avg Latency(us)", NUMBER));
    }

    private static Stream<Arguments> files() {
        return Stream.of(
                Arguments.of("io-write", "Size Bandwidth (MB/s)", SIZE + NUMBER),
                Arguments.of("io-read", "Size Bandwidth (MB/s)", SIZE + NUMBER),
                Arguments.of("io-write-at", "Size Max Latency(us)", SIZE + NUMBER),
                Arguments.of("io-read-at", "Size Max Latency(us)", SIZE + NUMBER),
                Arguments.of("io-write-shared", "Size Max Latency(us)", SIZE + NUMBER),
                Arguments.of("io-open", "Max Latency(us)", NUMBER));
    }

    private static List<String> kernels() {
        return Arrays.stream(BenchTest.values())
                .filter(BenchTest::isKernel)
                .map(BenchTest::word)
                .toList();
    }

    private static List<Arguments> all() {
        return Stream.of(osu(), oneSided(), files()).flatMap(tests -> tests).toList();
    }

    private static List<String> command(String test, int ranks) {
        List<String> arguments =
                new ArrayList<>(List.of("bench", test, "-n", String.valueOf(ranks), "-x", "2", "-i", "5", "-c"));
        if (isSized(test)) arguments.addAll(List.of("-m", "8,4096"));
        return arguments;
    }

    private static boolean isSized(String test) {
        return !test.matches("object|comms|i?barrier|fop-latency|cas-latency|io-open");
    }

    private static ProcessOutcome run(List<String> arguments) throws Exception {
        ProcessOutcome ended = Command.tutti(arguments.toArray(new String[0])).run();
        assertThat(ended.code()).as("%s", ended).isZero();
        // a comparison prints one line per launch
        assertThat(ended.err().lines().filter(line -> !line.matches("tutti: (launch |note: other processes use ).*")))
                .as("%s", ended)
                .isEmpty();
        return ended;
    }

    /// Returns the options that [#command] passes on the command line.
    private static BenchOptions options(String test) {
        BenchArguments benchArguments = new BenchArguments(BenchArguments.test(List.of(test)));
        benchArguments.warmup = "2";
        benchArguments.iterations = "5";
        benchArguments.check = true;
        if (isSized(test)) benchArguments.sizes = "8,4096";
        return benchArguments.options(RANKS).getFirst();
    }

    private static void check(List<String> lines, String test, String columns, String row) {
        assertThat(lines.getFirst()).matches("# Tutti MPI[ _].* Test, \\d ranks, .*");
        assertThat(lines.stream().map(line -> line.replaceAll(" +", " "))).contains("# " + columns + " Validation");
        List<String> rows = lines.stream()
                .filter(line -> !line.startsWith("#") && !line.isBlank())
                .toList();
        assertThat(rows).as(test).hasSize(isSized(test) ? 2 : 1).allMatch(line -> line.matches(row + PASS));
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void testsOfOsuPrintColumnsAndCheckData(Way way) throws Exception {
        List<Arguments> tests = all();
        List<String> program = new ArrayList<>(List.of("Benches"));
        for (Arguments test : tests) {
            program.addAll(options((String) test.get()[0]).toArguments());
            program.add(Benches.NEXT);
        }
        ProcessOutcome ended = Command.program(way, RANKS, List.of(), program.toArray(new String[0]))
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        List<String> printedLines = ended.out().lines().toList();
        int at = 0;
        for (Arguments test : tests) {
            List<String> mine = new ArrayList<>(List.of(printedLines.get(at++)));
            while (at < printedLines.size() && !printedLines.get(at).startsWith(Report.MARK + Report.ENGINE))
                mine.add(printedLines.get(at++));
            Object[] expected = test.get();
            check(printed(mine), (String) expected[0], (String) expected[1], (String) expected[2]);
        }
        assertThat(at).isEqualTo(printedLines.size());
    }

    /// A kernel prints a time and a checksum, and verifies the result.
    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void kernelsPrintTimeAndChecksum(Way way) throws Exception {
        List<String> program = new ArrayList<>(List.of("Benches"));
        for (String kernel : kernels()) {
            BenchArguments benchArguments = new BenchArguments(BenchArguments.test(List.of(kernel)));
            benchArguments.iterations = "3";
            program.addAll(benchArguments.options(2).getFirst().toArguments());
            program.add(Benches.NEXT);
        }
        ProcessOutcome ended = Command.program(way, 2, List.of(), program.toArray(new String[0]))
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        List<String> lines = printed(ended.out().lines().toList());
        assertThat(lines.stream().filter(line -> line.startsWith("# Tutti ")).map(line -> line.split(" ")[2]))
                .containsExactlyElementsOf(kernels());
        assertThat(lines.stream().filter(line -> !line.startsWith("#")))
                .hasSameSizeAs(kernels())
                .allMatch(line -> line.matches(" *\\d+\\.\\d\\d +\\d+\\.\\d{3} +3  0x[0-9a-f]{16}"));
    }

    @Test
    @Tag("ci")
    void kernelsAreComparedWithC() throws Exception {
        Way.OPEN_MPI.require();
        ProcessOutcome ended =
                run(List.of("bench", "compare", "--tests", "global-sum", "--launches", "1", "--who", "shm,c"));
        assertThat(ended.out())
                .contains("kernels of size small, without warm-up")
                .doesNotContain("not run: C, Open MPI", "not run: Tutti");
        assertThat(ended.err()).isEqualTo("tutti: launch 1 of 1\n");
        assertThat(ended.out().lines())
                .anyMatch(line -> line.matches("global-sum +2 +- +C, Open MPI +\\S+ ms .*"))
                .anyMatch(
                        line -> line.matches("global-sum +2 +- +Tutti shm +\\S+ ms .* C, .*(reached|within interval)"));
    }

    /// Returns the output of the command if rank 0 prints these report lines.
    private static List<String> printed(List<String> printedLines) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        Reader reader = new Reader(new Result(options("latency"), RANKS), new Screen(stream, stream, false));
        byte[] bytes = (String.join("\n", printedLines) + "\n").getBytes(StandardCharsets.UTF_8);
        reader.write(bytes, 0, bytes.length);
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static Stream<Arguments> oneOfEachKind() {
        String names = Tier.FULL ? "bw|barrier|multi-lat|iallreduce" : "iallreduce";
        return osu().filter(test -> ((String) test.get()[0]).matches(names));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("oneOfEachKind")
    @Tag("ci")
    void theCommandPrintsTheSame(String test, String columns, String row) throws Exception {
        check(run(command(test, 4)).out().lines().toList(), test, columns, row);
    }

    @Test
    @Tag("full")
    void memoryOfDevicesIsMeasuredAndNamed() throws Exception {
        OpenCl.require();
        Path json = Checkout.scratch("bench").resolve("device.json");
        List<String> arguments = command("allreduce", 2);
        arguments.addAll(List.of("--buffer", "device", "--json", json.toString()));
        ProcessOutcome ended = Command.tutti(arguments.toArray(new String[0]))
                .env("TUTTI_DEVICE", "opencl")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        List<String> lines = ended.out().lines().toList();
        check(lines, "allreduce", "Size Avg Latency(us) busbw(GB/s) #wrong", SIZE + NUMBER.repeat(2) + " +0");
        assertThat(lines.getFirst()).contains(", 2 ranks, opencl:0 (");
        assertThat(json).content().contains("\"buffer\": \"device\"", "\"device\": \"opencl:0 (");
    }

    @Test
    @Tag("ci")
    void everyTestOfTheHelpIsCovered() throws Exception {
        ProcessOutcome help = run(List.of("bench", "--help"));
        List<String> listed = help.out()
                .lines()
                .dropWhile(line -> !line.equals("Tests:"))
                .skip(1)
                .takeWhile(line -> !line.isBlank())
                .filter(line -> !line.startsWith("   ")) // skips the second line of a description
                .map(line -> line.strip().split(" ")[0])
                .toList();
        List<String> tried =
                new ArrayList<>(all().stream().map(a -> (String) a.get()[0]).toList());
        tried.addAll(List.of("helloworld", "ringtest", "pingpong", "futures"));
        tried.addAll(kernels());
        assertThat(listed).containsExactlyInAnyOrderElementsOf(tried);
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void mpi4pyTestsPrintTheExpectedLines(Way way) throws Exception {
        way.require();
        List<String> hello = new ArrayList<>(List.of("bench", "helloworld", "-n", "3"));
        hello.addAll(way.options());
        assertThat(run(hello).out().lines().map(line -> line.replaceFirst(" on \\S+\\.$", "")))
                .containsExactly(
                        "Hello, World! I am process 0 of 3",
                        "Hello, World! I am process 1 of 3",
                        "Hello, World! I am process 2 of 3");
        List<String> ring = new ArrayList<>(List.of("bench", "ringtest", "-n", "3", "--size", "100", "-l", "3"));
        ring.addAll(way.options());
        assertThat(run(ring).out()).matches("time for 3 loops = [\\d.e-]+ seconds \\(3 processes, 100 bytes\\)\n");
        List<String> pingpong =
                new ArrayList<>(List.of("bench", "pingpong", "-m", "2", "--max-size", "16", "-s", "2", "-l", "9"));
        pingpong.addAll(way.options());
        List<String> lines = run(pingpong).out().lines().toList();
        assertThat(lines.subList(0, 2))
                .containsExactly(
                        "# MPI PingPong Test", "# Size [B]  Bandwidth [MB/s] | Time Mean [s] ± StdDev [s]  Samples");
        assertThat(lines.subList(2, lines.size()))
                .hasSize(4)
                .allMatch(line ->
                        line.matches(" +(2|4|8|16) +\\d+\\.\\d\\d \\| \\d\\.\\d{7}e-\\d\\d ± \\d\\.\\d{4}e-\\d\\d +9"));
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void futuresPrintTasksPerSecond(Way way) throws Exception {
        way.require();
        List<String> arguments = new ArrayList<>(List.of("bench", "futures", "-m", "4", "--max-size", "8", "-s", "2"));
        arguments.addAll(List.of("-l", "3", "--num-tasks", "10", "--chunksize", "0"));
        arguments.addAll(way.options());
        List<String> lines = run(arguments).out().lines().toList();
        assertThat(lines.subList(0, 2))
                .containsExactly(
                        "# MPI Futures Test, workers: 1, tasks: 10, in a message: automatic",
                        "# Size [B]          Tasks/s | Time Mean [s] ± StdDev [s]  Samples");
        assertThat(lines.subList(2, lines.size()))
                .hasSize(2)
                .allMatch(line ->
                        line.matches(" +(4|8) +\\d+\\.\\d\\d \\| \\d\\.\\d{7}e-\\d\\d ± \\d\\.\\d{4}e-\\d\\d +3"));
    }

    @Test
    @Tag("full")
    void rowsObjectsAndFilesShareOneMeasurement() throws Exception {
        Path directory = Checkout.scratch("bench");
        List<String> arguments = command("allreduce", 2);
        arguments.addAll(List.of(
                "-f",
                "--buffer",
                "heap,segment,object",
                "--csv",
                directory.resolve("a.csv").toString()));
        arguments.addAll(List.of("--json", directory.resolve("a.json").toString()));
        arguments.addAll(List.of("--plot", directory.resolve("a.svg").toString()));
        ProcessOutcome ended = run(arguments);
        assertThat(ended.out().lines().filter(line -> line.startsWith("# Size")))
                .hasSize(3)
                .allMatch(line ->
                        line.matches("# Size +Avg Latency\\(us\\) +Min Latency\\(us\\) +Max Latency\\(us\\) +Iterations"
                                + " +busbw\\(GB/s\\) +#wrong +Validation"));
        assertThat(Files.readAllLines(directory.resolve("a.csv"))).hasSize(1 + 3 * 2);
        assertThat(directory.resolve("a.json")).content().contains("\"buffer\": \"object\"");
        assertThat(directory.resolve("a.svg")).content().contains("segment, max");
    }

    @Test
    @Tag("ci")
    void aSignalInAJobStopsTheComparison() throws Exception {
        Child comparison = Command.tutti("bench", "compare", "--who", "shm", "--tests", "latency", "--launches", "100")
                .start();
        while (Processes.alive().size() < 3) Thread.sleep(10);
        Thread.sleep(200); // by then, the launcher of the two ranks handles signals
        Processes.signal("TERM", comparison.pid());
        ProcessOutcome ended = comparison.await();
        assertThat(ended.code()).as("%s", ended).isEqualTo(143);
        assertThat(ended.out()).as("%s", ended).isEmpty();
    }

    @Test
    @Tag("full")
    void compareMeasuresInstalledLibraries() throws Exception {
        for (Way way : Way.natives()) way.require();
        Python.path(); // skips the test if mpi4py is not installed
        Path directory = Checkout.scratch("compare").resolve("out");
        ProcessOutcome ended = run(List.of(
                "bench",
                "compare",
                "--tests",
                "latency",
                "--launches",
                "1",
                "--who",
                "shm,c,mpi4py",
                "-m",
                "8,64",
                "--out",
                directory.toString()));
        assertThat(ended.out())
                .contains("# Open MPI ", "# MPICH ", "medians of 1 launch; ")
                .doesNotContain("not run");
        assertThat(ended.out().lines().filter(line -> line.startsWith("latency ")))
                .hasSize(2 * 5)
                .anyMatch(line -> line.matches("latency +2 +8 +C, Open MPI .* us .*"))
                .anyMatch(line -> line.matches("latency +2 +64 +mpi4py, Open MPI .* us .* C, Open MPI"))
                .anyMatch(line ->
                        line.matches("latency +2 +64 +Tutti shm, heap .* C, Open MPI .*(reached|within interval)"));
        assertThat(Files.readAllLines(directory.resolve("launches.csv"))).hasSize(1 + 2 * 5);
        assertThat(directory.resolve("table.csv")).content().startsWith("test,ranks,bytes,who,");
        assertThat(directory.resolve("ratios.svg")).content().contains("latency 64 B, 2 ranks, heap");
        assertThat(directory.resolve("latency-2.svg")).content().contains("C, MPICH");
        assertThat(directory.resolve("report.txt")).content().isEqualTo(ended.out());
    }
}
