package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.e2e.diagnosis.TraceFile;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.TwoHosts;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Runs `tutti run` on hosts `a` and `b`, with Open MPI's mpirun and MPICH's hydra.
@Tag("ci")
class SeveralHostsTest extends JobTest {
    private static final List<String> TWO_HOSTS = List.of("-H", "a,b");

    /// With these options, rank 2, which fails, runs on host `b`.
    private static final List<String> TWO_ON_B = List.of("-H", "a,b:2");

    /// Maximum number of runs. On a busy machine a rank may be killed before it has sent the operations to the
    /// launcher; then the test repeats the job.
    private static final int RUNS = 3;

    private static TwoHosts hosts;
    private static Path directory;

    /// Whether mpirun was stopped while ranks ran on the other host. In this case, mpirun of Open MPI 4.1 may
    /// crash, and a directory of mpirun or of the daemon on the other host remains. The test ignores this
    /// directory, because Tutti has not created it.
    private boolean mpirunWasStopped;

    @BeforeAll
    static void startHosts() throws Exception {
        hosts = TwoHosts.start();
        directory = Checkout.scratch("several-hosts");
        Files.writeString(directory.resolve("hosts"), "a slots=1\nb slots=3 # the larger one\n");
        Files.writeString(directory.resolve("ranks"), "rank 0=b slot=0\nrank 1=a slot=0\nrank 2=b slot=1\n");
    }

    @AfterAll
    static void end() {
        if (hosts != null) hosts.close();
    }

    @AfterEach
    void checkHostResidue() throws Exception {
        assertNothingIsLeft();
        assertThat(hosts.newFiles()).allMatch(name -> mpirunWasStopped && name.matches("[ab]:/tmp/ompi\\..*"));
    }

    private static Stream<Way> natives() {
        return Way.natives().stream();
    }

    private static Command command(Way way, int ranks, List<String> options, String... program) {
        return Command.program(way, ranks, options, program).in(hosts);
    }

    private static ProcessOutcome place(Way way, int ranks, String... options) throws Exception {
        ProcessOutcome outcome =
                command(way, ranks, List.of(options), "RankPrinter", "place").run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        return outcome;
    }

    /// Returns host and local rank of each rank, in rank order, for example `a0`.
    private static List<String> hostsOf(ProcessOutcome outcome) {
        List<String> places = new ArrayList<>();
        for (String line : outcome.sortedOut()) places.add(line.replaceFirst(".*on (.), local (\\d) of .*", "$1$2"));
        return places;
    }

    @ParameterizedTest
    @Ways(
            quick = Way.OPEN_MPI,
            full = {Way.OPEN_MPI, Way.MPICH})
    void ranksReceiveRequestedSettings(Way way) throws Exception {
        String[] options = {"-H", "a:2,b:2", "-x", "GREETING=good day", "--wdir", "/usr", "--tag-output"};
        assertThat(place(way, 4, options).sortedOut())
                .containsExactly(
                        "[0] rank 0 of 4: on a, local 0 of 2, sum 6, in /usr, GREETING=good day",
                        "[1] rank 1 of 4: on a, local 1 of 2, sum 6, in /usr, GREETING=good day",
                        "[2] rank 2 of 4: on b, local 0 of 2, sum 6, in /usr, GREETING=good day",
                        "[3] rank 3 of 4: on b, local 1 of 2, sum 6, in /usr, GREETING=good day");
    }

    /// One rank runs on host `a`, two run on host `b`.
    @ParameterizedTest
    @Ways(full = {Way.OPEN_MPI, Way.MPICH})
    @Tag("full")
    void windowsReachTheOtherHost(Way way) throws Exception {
        ProcessOutcome outcome = command(way, 3, TWO_ON_B, "WindowsApart").run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.sortedOut())
                .filteredOn(line -> line.startsWith("sum"))
                .hasSize(3)
                .allMatch("sum 45 of 45"::equals);
        assertThat(outcome.out()).contains("shared: ranks of WORLD.window2 are on several machines");
    }

    private static Stream<Arguments> placements() {
        return Stream.of(
                Arguments.of(Way.OPEN_MPI, 4, "--hostfile DIR/hosts", List.of("a0", "b0", "b1", "b2")),
                Arguments.of(Way.MPICH, 4, "--hostfile DIR/hosts", List.of("a0", "b0", "b1", "b2")),
                Arguments.of(Way.OPEN_MPI, 3, "-H a:2,b:2 --map-by node", List.of("a0", "b0", "a1")),
                Arguments.of(Way.MPICH, 3, "-H a:2,b:2 --map-by node", List.of("a0", "b0", "a1")),
                Arguments.of(Way.OPEN_MPI, 3, "-H a:2,b:2 --rankfile DIR/ranks", List.of("b0", "a0", "b1")));
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("placements")
    void ranksArePlacedAsRequested(Way way, int ranks, String options, List<String> expected) throws Exception {
        String[] arguments = options.replace("DIR", directory.toString()).split(" ");
        ProcessOutcome outcome = place(way, ranks, arguments);
        assertThat(hostsOf(outcome)).as("%s", outcome).isEqualTo(expected);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.MPICH,
            full = {Way.OPEN_MPI, Way.MPICH})
    void killedRankOnOtherHostStopsJob(Way way) throws Exception {
        Child job = command(way, 2, TWO_HOSTS, "Waits", "recv").start();
        Map<Integer, Long> ranks = job.awaitReady(2);
        Processes.signal("KILL", hosts.outerPid(ranks.get(1)));
        ProcessOutcome outcome = job.await();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(137);
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: rank 1 failed first: ")
                .contains("SIGKILL")
                .contains(" on b)");
    }

    @ParameterizedTest
    @Ways(full = {Way.OPEN_MPI, Way.MPICH})
    @Tag("full")
    void exceptionOnOtherHostIsTheLastLine(Way way) throws Exception {
        String report = null;
        for (int run = 0; run < RUNS && (report == null || !report.contains("of rank 1 on b")); run++) {
            ProcessOutcome outcome =
                    command(way, 3, TWO_ON_B, "Failures", "inCollective").run();
            assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
            assertThat(outcome.lastErrorLine())
                    .as("%s", outcome)
                    .startsWith("tutti: rank 2 failed first: ")
                    .contains(
                            "java.lang.IllegalStateException: rank 2 throws on purpose at programs.Failures.inCollective(")
                    .contains(" on b)");
            // hydra kills the other rank before it can send the operations
            if (way == Way.MPICH) return;
            report = report(outcome);
        }
        assertOperationsOf(
                1, "allreduce\\(1 INT, SUM\\) on WORLD, call 1 at Failures.java:\\d+: in it", String.valueOf(report));
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("natives")
    void exitCodeOfOtherHostIsReturned(Way way) throws Exception {
        ProcessOutcome outcome =
                command(way, 3, TWO_ON_B, "Failures", "exit", "7").run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(7);
        assertThat(outcome.lastErrorLine()).as("%s", outcome).startsWith("tutti: rank 2 failed first: ");
        assertOperationsOf(2, "barrier\\(\\) on WORLD, call 1 at Failures.java:\\d+: done", report(outcome));
    }

    private static String report(ProcessOutcome outcome) throws Exception {
        Matcher path = Pattern.compile("(?:last operations|stacks) of all ranks: (\\S+)")
                .matcher(outcome.err());
        assertThat(path.find()).as("%s", outcome).isTrue();
        return Files.readString(Path.of(path.group(1)));
    }

    /// Asserts that the report contains the last operation of a rank on host `b`.
    private static void assertOperationsOf(int rank, String operation, String report) {
        assertThat(report)
                .containsPattern("== last operations of rank " + rank + " on b, reported [0-9.]+ s ago ==\n"
                        + "(?:#.*\n)*#\\d+, [0-9.]+ s ago: " + operation);
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("natives")
    void interruptStopsRanksOnTwoHosts(Way way) throws Exception {
        Child job = command(way, 2, TWO_HOSTS, "Waits", "barrier").start();
        job.awaitReady(2);
        mpirunWasStopped = way == Way.OPEN_MPI;
        Processes.signal("INT", TwoHosts.pid(job));
        ProcessOutcome outcome = job.await();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(130);
        assertThat(outcome.lastErrorLine()).as("%s", outcome).startsWith("tutti: interrupted");
    }

    @ParameterizedTest
    @Ways(
            quick = Way.MPICH,
            full = {Way.OPEN_MPI, Way.MPICH})
    void killedLauncherStopsRanksOnTwoHosts(Way way) throws Exception {
        Child job = command(way, 2, TWO_HOSTS, "Waits", "sleep").start();
        job.awaitReady(2);
        mpirunWasStopped = way == Way.OPEN_MPI;
        Processes.signal("KILL", TwoHosts.pid(job));
        assertThat(job.awaitCode()).isEqualTo(137);
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("natives")
    void unknownHostIsNamed(Way way) throws Exception {
        ProcessOutcome outcome =
                command(way, 2, List.of("-H", "a,c"), "RankPrinter", "hello").run();
        assertThat(outcome.code()).as("%s", outcome).isNotZero();
        assertThat(outcome.err()).as("%s", outcome).contains("Could not resolve hostname c");
        assertThat(outcome.lastErrorLine()).as("%s", outcome).startsWith("tutti: ");
    }

    /// @param before shell commands that create a file or a directory on host `a` only
    private static ProcessOutcome runAfter(String before, String java, String classPath, Way way) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("sh", "-c", before + " && \"$@\"", "sh", java));
        arguments.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", Checkout.classPathText()));
        arguments.add("org.tutti.cli.Main");
        arguments.addAll(way.run(2));
        arguments.addAll(List.of("-H", "a,b", "-cp", classPath, "programs.RankPrinter", "hello"));
        return Command.of(arguments).in(hosts).run();
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("natives")
    void missingFilesOnOtherHostAreNamed(Way way) throws Exception {
        way.require();
        String copy = "cp -r " + Checkout.PROGRAMS + " /tmp/classes && trap 'rm -r /tmp/classes' EXIT";
        ProcessOutcome outcome = runAfter(copy, Checkout.java(), "/tmp/classes", way);
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(127);
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: rank 1 failed first: /tmp/classes is not there; ")
                .contains("(on b)");
    }

    @Test
    @Tag("full")
    void missingJdkOnOtherHostIsNamed() throws Exception {
        Way.OPEN_MPI.require();
        String mount = "mkdir /tmp/jdk && mount --bind " + System.getProperty("java.home") + " /tmp/jdk"
                + " && trap 'umount /tmp/jdk; rmdir /tmp/jdk' EXIT";
        ProcessOutcome outcome = runAfter(mount, "/tmp/jdk/bin/java", Checkout.PROGRAMS.toString(), Way.OPEN_MPI);
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(127);
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: rank 1 failed first: ")
                .contains("/tmp/jdk/bin/java")
                .contains("(on b)");
    }

    @Test
    @Tag("full")
    void bindingsOnTwoHostsAreReported() throws Exception {
        Way.OPEN_MPI.require();
        ProcessOutcome outcome = place(Way.OPEN_MPI, 2, "-H", "a,b", "--bind-to", "core", "--report-bindings");
        assertThat(outcome.err()).as("%s", outcome).contains("[a:", "[b:", "bound to socket 0[core 0");
    }

    @Test
    void sharedMemoryEngineIsRejected() throws Exception {
        String[] arguments = {
            "run", "--engine", "shm", "-H", "a,b", "-cp", Checkout.PROGRAMS.toString(), "programs.RankPrinter"
        };
        ProcessOutcome outcome = Command.tutti(arguments).in(hosts).run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(2);
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: --engine shm: -H a,b names other machines than this (a)");
    }

    @Test
    @Tag("full")
    void stallIsExplainedAcrossHosts() throws Exception {
        ProcessOutcome outcome = command(
                        Way.MPICH, 2, List.of("-H", "a,b", "--stall", "5", "--stall-abort"), "Doings", "sleep")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.err())
                .as("%s", outcome)
                .containsPattern(
                        "tutti: stall: no rank has made progress for [0-9.]+ s: rank 0 waits for rank 1, which is asleep"
                                + " \\(Thread\\.sleep\\) at Doings\\.java:\\d+, on b \\(--stall\\):")
                .containsPattern(
                        "rank 0: recv\\(source=1, tag=\\d+\\) on WORLD for [0-9.]+ s, waits for rank 1 \\(Doings\\.java:\\d+\\)");
        assertOperationsOf(1, "barrier\\(\\) on WORLD, call 1 at Doings.java:\\d+: done", report(outcome));
    }

    /// The report uses the operations that a rank on the other host has sent.
    @ParameterizedTest
    @Tag("full")
    @MethodSource("natives")
    void firstDifferenceAcrossHostsIsNamed(Way way) throws Exception {
        mpirunWasStopped = way == Way.OPEN_MPI;
        ProcessOutcome outcome = command(
                        way, 2, List.of("-H", "a,b", "--stall", "5", "--stall-abort"), "Waits", "barrier")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.err())
                .as("%s", outcome)
                .containsPattern(
                        "first difference: collective call 2 of WORLD: rank 1 barrier\\(\\) at Waits\\.java:\\d+;"
                                + " rank 0 has made call 1, barrier\\(\\) at Waits\\.java:\\d+, as its last");
        assertOperationsOf(1, "barrier\\(\\) on WORLD, call 2 at Waits.java:\\d+: in it", report(outcome));
    }

    /// Messages in the network are invisible to Tutti, so a deadlock cannot be detected with certainty.
    @Test
    @Tag("full")
    void mutualWaitAcrossHostsIsReported() throws Exception {
        mpirunWasStopped = true;
        ProcessOutcome outcome = command(
                        Way.OPEN_MPI, 2, List.of("-H", "a,b", "--stall", "5", "--stall-abort"), "Stalls", "receives")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.err())
                .as("%s", outcome)
                .contains("ranks 0 and 1 wait for each other")
                .doesNotContain("deadlock");
    }

    /// The clocks of the hosts differ by a thousand seconds.
    @ParameterizedTest
    @Ways(full = {Way.OPEN_MPI, Way.MPICH})
    @Tag("full")
    void traceHasOneClock(Way way) throws Exception {
        Path file = directory.resolve(way + ".json");
        List<String> options = List.of("-H", "a,b", "--profile", "--trace", file.toString());
        ProcessOutcome outcome =
                command(way, 2, options, "Profiled", "messages").in(directory).run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.err()).as("%s", outcome).contains("profile: 2 ranks, ");
        List<TraceFile.Flow> flows = TraceFile.read(file).flows();
        assertThat(flows).as("%s", outcome).hasSizeGreaterThan(20).allSatisfy(f -> {
            assertThat(f.received()).isGreaterThan(f.sent()).isLessThan(f.sent() + 100e6);
        });
        try (Stream<Path> remaining = Files.list(directory)) {
            assertThat(remaining).noneMatch(path -> path.toString().contains("tutti-calls"));
        }
    }
}
