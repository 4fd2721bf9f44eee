package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Marked;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Tutti;

/// `comm.spawn`: ranks start worlds and communicate with these.
class ChildrenTest extends JobTest {
    private static final String PROGRAMS =
            "0 of 6: 0[programs, a b]\n1 of 6: 0[programs, a b]\n2 of 6: 1[programs, ]\n3 of 6: 2[programs, c]\n"
                    + "4 of a file, as program OptionalInt[3]\n5 of a file, as program OptionalInt[4]\n";

    private static Command children(int ranks, String... arguments) {
        return children(ranks, List.of(), arguments);
    }

    private static Command children(int ranks, List<String> options, String... arguments) {
        return Command.program(Way.SHM, ranks, options, program(arguments));
    }

    private static String[] program(String... arguments) {
        String[] program = new String[arguments.length + 1];
        program[0] = "Children";
        System.arraycopy(arguments, 0, program, 1, arguments.length);
        return program;
    }

    private static ProcessOutcome runOk(Command command) throws Exception {
        ProcessOutcome outcome = command.run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
        return outcome;
    }

    @Test
    void parentsAndChildrenCommunicate() throws Exception {
        for (int parents : Tier.FULL ? new int[] {1, 2, 3, 5} : new int[] {2}) {
            assertThat(runOk(children(parents, "talk")).out()).isEqualTo("talked\n");
        }
    }

    @Test
    @Tag("full")
    void processWithoutLauncherMaySpawn() throws Exception {
        List<String> line = new ArrayList<>(List.of(Checkout.java(), "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
        line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
        line.addAll(List.of(Checkout.classPathText() + ":" + Checkout.PROGRAMS, "programs.Children", "talk"));
        assertThat(runOk(Command.of(line)).out()).isEqualTo("talked\n");
    }

    private static Path inFile() throws Exception {
        Path file = Checkout.scratch("children").resolve("InFile.java");
        Files.writeString(file, """
                import org.tutti.mpi.*;

                void main(String[] args) {
                    try (Mpi mpi = Mpi.init()) {
                        mpi.parent().sendObject(mpi.world().rank() + " of a file, as program " + mpi.appNumber(), 0, 0);
                        mpi.parent().disconnect();
                    }
                }
                """);
        return file;
    }

    @Test
    @Tag("full")
    void severalProgramsFormOneWorldInOrder() throws Exception {
        assertThat(runOk(children(2, "programs", inFile().toString())).out()).isEqualTo(PROGRAMS);
    }

    private static Path directory() throws Exception {
        Path directory = Files.createDirectories(Checkout.scratch("children").resolve("a 'dir'"));
        Files.writeString(directory.resolve("here"), "");
        return directory;
    }

    private static void assertGiven(ProcessOutcome outcome) {
        assertThat(outcome.code()).as("%s", outcome).isZero();
        String all = " of 3: a b=\"c\" $HOME, ", rest = " in a 'dir', file true, ";
        assertThat(outcome.out().lines())
                .as("%s", outcome)
                .satisfiesExactly(
                        line -> assertThat(line).matches(Pattern.quote("0" + all + rest) + "6[0-9] MiB, -D x y"),
                        line -> assertThat(line)
                                .matches(Pattern.quote("1" + all + "null" + rest) + "9[0-9] MiB, -D x y"));
    }

    @Test
    @Tag("ci")
    void childrenReceiveVariablesDirectoryAndOptions() throws Exception {
        assertGiven(runOk(children(2, "given", directory().toString())));
    }

    @Test
    @Tag("full")
    void largestPossibleNumberIsStarted() throws Exception {
        String[] arguments = Tier.FULL
                ? new String[] {"soft", "4x1:4:2", "4x1:4:2 2", "2000000x1,2,9000:1:-3000", "3x-7:3"}
                : new String[] {"soft", "4x1:4:2", "2000000x1,2,9000:1:-3000 1"};
        String expected = Tier.FULL
                ? "4x1:4:2: 3\n4x1:4:2 2: 5\n2000000x1,2,9000:1:-3000: 2\n3x-7:3: 3\n"
                : "4x1:4:2: 3\n2000000x1,2,9000:1:-3000 1: 3\n";
        assertThat(runOk(children(1, arguments)).out()).isEqualTo(expected);
    }

    /// With 5 free slots, as many children start as fit. If Tutti ignored the number of slots, it would request
    /// all.
    @Test
    @Tag("full")
    void openMpiStartsAsManyAsSlotsAllow() throws Exception {
        Way.OPEN_MPI.require();
        assertGiven(overLibrary(Way.OPEN_MPI, 2, "given", directory().toString()));
        assertThat(overLibrary(Way.OPEN_MPI, 2, "soft", "4x1:4:2").out()).isEqualTo("4x1:4:2: 3\n");
        List<String> line = new ArrayList<>(List.of("env", "-u", "OMPI_MCA_rmaps_base_oversubscribe"));
        line.addAll(List.of("mpirun.openmpi", "-H", "localhost:6", "-n", "2"));
        if ("root".equals(System.getProperty("user.name"))) line.add("--allow-run-as-root");
        line.addAll(List.of("--bind-to", "none", "-x", "TUTTI_LIBMPI=openmpi", Checkout.java()));
        line.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED"));
        line.addAll(List.of("-cp", Checkout.classPathText() + ":" + Checkout.PROGRAMS, "programs.Children"));
        line.addAll(List.of("soft", "20x1:20:2", "20x1:20"));
        ProcessOutcome outcome = Command.of(line).run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo("20x1:20:2: 3\n20x1:20: 1\n");
    }

    @Test
    @Tag("full")
    void childrenMayHaveChildren() throws Exception {
        assertThat(runOk(children(2, "nested")).out()).isEqualTo("three generations\n");
    }

    @Test
    @Tag("full")
    void manySpawnsLeaveNoResidue() throws Exception {
        assertThat(runOk(children(2, "often", "250")).out()).isEqualTo("often\n");
    }

    @Test
    @Tag("full")
    void siblingWorldsConnectAtPort() throws Exception {
        assertThat(runOk(children(2, "meet")).out()).isEqualTo("met 5\n");
    }

    /// Two child worlds are connected only by a port. A failure in one is reported in the other.
    @Test
    @Tag("full")
    void siblingWorldDetectsFailure() throws Exception {
        ProcessOutcome outcome = children(1, "siblings").run();
        assertThat(outcome.out())
                .as("%s", outcome)
                .isEqualTo("ERR_PROC_FAILED recvObject: waits for rank 0 of the remote group, which has ended without"
                        + " Mpi.close and sends no more messages (rank 0 of 1 and 1 remote, WORLD.accept1)\n");
    }

    @Test
    @Tag("full")
    void openPortsAreReportedWithLines() throws Exception {
        Marked source = Marked.program("Children");
        ProcessOutcome outcome = children(1, "open").run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.err().replaceAll("@/proc/\\d+/fd/\\d+", ""))
                .isEqualTo("tutti: close: 2 ports were never closed: tutti-port:0.1, opened at "
                        + source.line("open: 1") + "; tutti-port:0.3, opened at " + source.line("open: 3")
                        + " (rank 0 of 1, WORLD)\n");
    }

    /// A rank that waits for a different world is not reported as a stall or a deadlock. The report at
    /// `--timeout` explains the wait.
    @Test
    @Tag("full")
    void waitForAnotherWorldIsNoStall() throws Exception {
        for (String how : List.of("delayed", "delayedServer")) {
            assertThat(runOk(children(2, List.of("--stall", "1"), how)).out()).isEqualTo("delayed\n");
        }
        ProcessOutcome outcome =
                children(2, List.of("--timeout", "4"), "delayed").run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(124);
        assertThat(outcome.err())
                .as("%s", outcome)
                .containsAnyOf(
                        "waits for an event outside this world (Children.java:", "in disconnect at Children.java:");
    }

    @Test
    @Tag("ci")
    void failedSpawnIsReportedOnAllRanks() throws Exception {
        Map<String, String> expected = new LinkedHashMap<>();
        String before = "ERR_SPAWN ARGUMENT spawn: the ranks did not join: ";
        expected.put("class", "ERR_SPAWN ARGUMENT spawn: no class no.such.Class on the class path ");
        expected.put("file", "ERR_SPAWN ARGUMENT spawn: no file none.java here (");
        expected.put(
                "python",
                "ERR_SPAWN ARGUMENT spawn: none.py is not a Java program; programs in other languages cannot");
        expected.put("main", "ERR_SPAWN ARGUMENT spawn: class programs.NoMain has no main method; add");
        expected.put("wdir", "ERR_SPAWN ARGUMENT spawn: wdir=no/such: there is no such directory in /");
        expected.put("jvm", "ERR_SPAWN ARGUMENT spawn: -XX:NoSuchFlag: the JVM does not start: Unrecognized VM option");
        expected.put("none", "ERR_ARG ARGUMENT spawn: no program was given (rank ");
        expected.put("size", "ERR_ARG ARGUMENT spawn: size=0 is not a valid number of ranks (rank ");
        expected.put("root", "ERR_ROOT ARGUMENT spawn: root=2 is not a rank of WORLD, which has ranks 0 to 1 (rank ");
        expected.put(
                "million", "ERR_SPAWN ARGUMENT spawn: 1000000 ranks: a world on one machine has at most 1024 (rank ");
        expected.put("exit", before + "rank 0 failed first: it exited: exit code 7 after ");
        expected.put("throw", before + "rank 0 failed first: java.lang.IllegalStateException: not today at programs.");
        expected.put("partly", before + "rank 0 failed first: it exited: exit code 7 after ");
        expected.put("end", before + "they have ended without Mpi.init (rank ");
        ProcessOutcome outcome =
                children(2, "refused", String.join(",", expected.keySet())).run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        List<String> lines = outcome.out().lines().toList();
        expected.forEach((how, text) -> assertThat(lines.stream().filter(line -> line.startsWith(how + ": ")))
                .as("%s", outcome)
                .hasSize(2)
                .allMatch(line -> line.startsWith(how + ": " + text)));
    }

    @ParameterizedTest
    @CsvSource({
        "child, IllegalStateException: a child throws on purpose at programs.Children.child(Children.java:, 1",
        "exit, it exited: exit code 9, 9"
    })
    @Tag("ci")
    void connectedWorldsFailTogether(String how, String why, int code) throws Exception {
        ProcessOutcome outcome = children(2, "fails", how).run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(code);
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: rank 0 failed first: ranks spawned by this rank at Children.java:")
                .contains(" failed: rank 1 failed first: ")
                .contains(why)
                .contains("; rank 1 was stopped");
    }

    @Test
    @Tag("ci")
    void disconnectedWorldsFailSeparately() throws Exception {
        ProcessOutcome outcome = children(2, "independent").run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).isEqualTo("parents go on\n");
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: ranks spawned by this rank, and disconnected from it, failed: rank 1 failed"
                        + " first: java.lang.IllegalStateException: a child throws on purpose at programs.Children.");
    }

    @Test
    @Tag("full")
    void childrenStopWithFailedParent() throws Exception {
        ProcessOutcome outcome = children(3, "fails", "parent").run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.lastErrorLine())
                .startsWith("tutti: rank 2 failed first: java.lang.IllegalStateException: a parent throws on purpose");
    }

    @Test
    @Tag("ci")
    void killedRankStopsConnectedWorlds() throws Exception {
        for (int victim : Tier.FULL ? new int[] {0, 1, 2} : new int[] {0, 2}) {
            Child job = children(2, "waits", "forever").start();
            Map<Integer, Long> ready = job.awaitReady(3);
            Processes.signal("KILL", ready.get(victim));
            ProcessOutcome outcome = job.await();
            assertThat(outcome.code()).as("%s", outcome).isEqualTo(137);
            assertThat(outcome.lastErrorLine()).as("%s", outcome).contains("it was killed (SIGKILL; ");
            assertNothingIsLeft();
        }
        Child job = children(2, "waits", "forever").start();
        job.awaitReady(3);
        Processes.signal("TERM", job.pid());
        assertThat(job.awaitCode()).isEqualTo(143);
        assertNothingIsLeft();
    }

    private static ProcessOutcome overLibrary(Way way, int ranks, String... arguments) throws Exception {
        return Command.program(way, ranks, List.of("--oversubscribe"), program(arguments))
                .run();
    }

    @Test
    @Tag("full")
    void openMpiSpawnsChildren() throws Exception {
        Way.OPEN_MPI.require();
        for (int parents : Tier.FULL ? new int[] {1, 2, 3} : new int[] {2}) {
            ProcessOutcome outcome = overLibrary(Way.OPEN_MPI, parents, "talk");
            assertThat(outcome.code()).as("%s", outcome).isZero();
            assertThat(outcome.out()).as("%s", outcome).isEqualTo("talked\n");
        }
    }

    @Test
    @Tag("full")
    void openMpiSpawnsSeveralProgramsAndGrandchildren() throws Exception {
        Way.OPEN_MPI.require();
        ProcessOutcome several = overLibrary(Way.OPEN_MPI, 2, "programs", inFile().toString());
        assertThat(several.code()).as("%s", several).isZero();
        assertThat(several.out()).isEqualTo(PROGRAMS);
        assertThat(overLibrary(Way.OPEN_MPI, 2, "nested").out()).isEqualTo("three generations\n");
        assertThat(overLibrary(Way.OPEN_MPI, 2, "often", "10").out()).isEqualTo("often\n");
        ProcessOutcome delayed = Command.program(Way.OPEN_MPI, 2, List.of("--stall", "1"), "Children", "delayed")
                .run();
        assertThat(delayed.out()).as("%s", delayed).isEqualTo("delayed\n");
        assertThat(delayed.err()).as("%s", delayed).doesNotContain("stall");
        ProcessOutcome early = overLibrary(Way.OPEN_MPI, 2, "refused", "end");
        assertThat(early.code()).as("%s", early).isEqualTo(1);
        assertThat(early.err()).contains("a program that ranks have spawned has ended without Mpi.init");
        ProcessOutcome fails = overLibrary(Way.OPEN_MPI, 2, "fails", "exit");
        assertThat(fails.code()).as("%s", fails).isEqualTo(9);
    }

    @ParameterizedTest
    @Ways(quick = Way.MPICH)
    @Tag("ci")
    void unsupportedSpawnIsReportedOnAllRanks(Way way) throws Exception {
        if (!way.isNative()) return;
        ProcessOutcome outcome = overLibrary(way, 2, "refused", "class" + (way == Way.MPICH ? ",throw" : ""));
        assertThat(outcome.code()).as("%s", outcome).isZero();
        List<String> lines = outcome.sortedOut();
        assertThat(lines.subList(0, 2)).allMatch(line -> line.startsWith("class: ERR_SPAWN ARGUMENT spawn: no class "));
        if (way != Way.MPICH) return;
        assertThat(lines.subList(2, 4))
                .as("%s", outcome)
                .allMatch(
                        line -> line.startsWith("throw: ERR_SPAWN ARGUMENT spawn: MPICH Version: ")
                                && line.contains(" could not start them: ")
                                && line.contains(
                                        "; Open MPI can under mpirun, as long as there are slots (--oversubscribe),"
                                                + " and MPICH over UCX from 4.3 on, while older ones cannot; on one machine --engine shm can"));
    }

    @Test
    void threadRanksCannotSpawn() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> mpi.world().spawn(1, args -> {})))
                .rootCause()
                .isInstanceOf(MpiException.class)
                .hasMessageContaining("spawn: other processes cannot attach the memory of ranks in threads");
    }
}
