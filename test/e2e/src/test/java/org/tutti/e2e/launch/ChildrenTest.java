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

/// `comm.spawn`: worlds that ranks start and communicate with.
class ChildrenTest extends JobTest {
    private static final String PROGRAMS =
            "0 of 6: 0[programs, a b]\n1 of 6: 0[programs, a b]\n2 of 6: 1[programs, ]\n3 of 6: 2[programs, c]\n"
                    + "4 of a file, as program OptionalInt[3]\n5 of a file, as program OptionalInt[4]\n";

    private static Command children(int ranks, String... words) {
        return children(ranks, List.of(), words);
    }

    private static Command children(int ranks, List<String> options, String... words) {
        return Command.program(Way.SHM, ranks, options, program(words));
    }

    private static String[] program(String... words) {
        String[] program = new String[words.length + 1];
        program[0] = "Children";
        System.arraycopy(words, 0, program, 1, words.length);
        return program;
    }

    private static ProcessOutcome well(Command command) throws Exception {
        ProcessOutcome ended = command.run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err()).as("%s", ended).isEmpty();
        return ended;
    }

    @Test
    void parentsAndChildrenDoWhatRanksDo() throws Exception {
        for (int parents : Tier.FULL ? new int[] {1, 2, 3, 5} : new int[] {2}) {
            assertThat(well(children(parents, "talk")).out()).isEqualTo("talked\n");
        }
    }

    @Test
    @Tag("full")
    void aProcessWithoutALauncherMaySpawn() throws Exception {
        List<String> line = new ArrayList<>(List.of(Checkout.java(), "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
        line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
        line.addAll(List.of(Checkout.classPathText() + ":" + Checkout.PROGRAMS, "programs.Children", "talk"));
        assertThat(well(Command.of(line)).out()).isEqualTo("talked\n");
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
    void severalProgramsAreOneWorldInTheirOrder() throws Exception {
        assertThat(well(children(2, "programs", inFile().toString())).out()).isEqualTo(PROGRAMS);
    }

    private static Path directory() throws Exception {
        Path directory = Files.createDirectories(Checkout.scratch("children").resolve("a 'dir'"));
        Files.writeString(directory.resolve("here"), "");
        return directory;
    }

    private static void assertGiven(ProcessOutcome ended) {
        assertThat(ended.code()).as("%s", ended).isZero();
        String all = " of 3: a b=\"c\" $HOME, ", rest = " in a 'dir', file true, ";
        assertThat(ended.out().lines())
                .as("%s", ended)
                .satisfiesExactly(
                        line -> assertThat(line).matches(Pattern.quote("0" + all + rest) + "6[0-9] MiB, -D x y"),
                        line -> assertThat(line)
                                .matches(Pattern.quote("1" + all + "null" + rest) + "9[0-9] MiB, -D x y"));
    }

    @Test
    @Tag("ci")
    void childrenAreGivenVariablesADirectoryAndOptions() throws Exception {
        assertGiven(well(children(2, "given", directory().toString())));
    }

    @Test
    @Tag("full")
    void ofSeveralNumbersTheLargestIsStartedThatFits() throws Exception {
        String[] words = Tier.FULL
                ? new String[] {"soft", "4x1:4:2", "4x1:4:2 2", "2000000x1,2,9000:1:-3000", "3x-7:3"}
                : new String[] {"soft", "4x1:4:2", "2000000x1,2,9000:1:-3000 1"};
        String said = Tier.FULL
                ? "4x1:4:2: 3\n4x1:4:2 2: 5\n2000000x1,2,9000:1:-3000: 2\n3x-7:3: 3\n"
                : "4x1:4:2: 3\n2000000x1,2,9000:1:-3000 1: 3\n";
        assertThat(well(children(1, words)).out()).isEqualTo(said);
    }

    /// With 5 free slots the program requests as many children as fit; without the number of slots it would
    /// request all.
    @Test
    @Tag("full")
    void openMpiStartsAsManyAsThereAreSlotsFor() throws Exception {
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
        ProcessOutcome ended = Command.of(line).run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).as("%s", ended).isEqualTo("20x1:20:2: 3\n20x1:20: 1\n");
    }

    @Test
    @Tag("full")
    void childrenMayHaveChildren() throws Exception {
        assertThat(well(children(2, "nested")).out()).isEqualTo("three generations\n");
    }

    @Test
    @Tag("full")
    void spawnsLeaveNothingBehind() throws Exception {
        assertThat(well(children(2, "often", "250")).out()).isEqualTo("often\n");
    }

    @Test
    @Tag("full")
    void twoWorldsOfOneParentMeetAtAPort() throws Exception {
        assertThat(well(children(2, "meet")).out()).isEqualTo("met 5\n");
    }

    /// The two child worlds share only a port. The parent sees the failure of one.
    @Test
    @Tag("full")
    void aWorldHearsOfTheEndOfAnotherOneOfItsParent() throws Exception {
        ProcessOutcome ended = children(1, "siblings").run();
        assertThat(ended.out())
                .as("%s", ended)
                .isEqualTo("ERR_PROC_FAILED recvObject: waits for rank 0 of the remote group, which has ended without"
                        + " Mpi.close and sends no more messages (rank 0 of 1 and 1 remote, WORLD.accept1)\n");
    }

    @Test
    @Tag("full")
    void portsLeftOpenAreSaidWithTheirLines() throws Exception {
        Marked source = Marked.program("Children");
        ProcessOutcome ended = children(1, "open").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err().replaceAll("@/proc/\\d+/fd/\\d+", ""))
                .isEqualTo("tutti: close: 2 ports were never closed: tutti-port:0.1, opened at "
                        + source.line("open: 1") + "; tutti-port:0.3, opened at " + source.line("open: 3")
                        + " (rank 0 of 1, WORLD)\n");
    }

    /// A wait for another world is not reported as a stall or a deadlock; the report at `--timeout` explains
    /// it.
    @Test
    @Tag("full")
    void whoWaitsForAnotherWorldWaitsForNoneOfItsOwn() throws Exception {
        for (String how : List.of("late", "lateServer")) {
            assertThat(well(children(2, List.of("--stall", "1"), how)).out()).isEqualTo("late\n");
        }
        ProcessOutcome ended = children(2, List.of("--timeout", "4"), "late").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(124);
        assertThat(ended.err())
                .as("%s", ended)
                .containsAnyOf(
                        "waits for an event outside this world (Children.java:", "in disconnect at Children.java:");
    }

    @Test
    @Tag("ci")
    void whatCannotBeSpawnedIsSaidOnAllRanksWhichGoOn() throws Exception {
        Map<String, String> said = new LinkedHashMap<>();
        String before = "ERR_SPAWN ARGUMENT spawn: the ranks did not join: ";
        said.put("class", "ERR_SPAWN ARGUMENT spawn: no class no.such.Class on the class path ");
        said.put("file", "ERR_SPAWN ARGUMENT spawn: no file none.java here (");
        said.put(
                "python",
                "ERR_SPAWN ARGUMENT spawn: none.py is not a Java program; programs in other languages cannot");
        said.put("main", "ERR_SPAWN ARGUMENT spawn: class programs.NoMain has no main method; add");
        said.put("wdir", "ERR_SPAWN ARGUMENT spawn: wdir=no/such: there is no such directory in /");
        said.put("jvm", "ERR_SPAWN ARGUMENT spawn: -XX:NoSuchFlag: the JVM does not start: Unrecognized VM option");
        said.put("none", "ERR_ARG ARGUMENT spawn: no program was given (rank ");
        said.put("size", "ERR_ARG ARGUMENT spawn: size=0 is no number of ranks (rank ");
        said.put("root", "ERR_ROOT ARGUMENT spawn: root=2 is no rank of WORLD, which has ranks 0 to 1 (rank ");
        said.put("many", "ERR_SPAWN ARGUMENT spawn: 1000000 ranks: a world on one machine has at most 1024 (rank ");
        said.put("exit", before + "rank 0 failed first: it exited: exit code 7 after ");
        said.put("throw", before + "rank 0 failed first: java.lang.IllegalStateException: not today at programs.");
        said.put("partly", before + "rank 0 failed first: it exited: exit code 7 after ");
        said.put("end", before + "they have ended without Mpi.init (rank ");
        ProcessOutcome ended =
                children(2, "refused", String.join(",", said.keySet())).run();
        assertThat(ended.code()).as("%s", ended).isZero();
        List<String> lines = ended.out().lines().toList();
        said.forEach((how, text) -> assertThat(lines.stream().filter(line -> line.startsWith(how + ": ")))
                .as("%s", ended)
                .hasSize(2)
                .allMatch(line -> line.startsWith(how + ": " + text)));
    }

    @ParameterizedTest
    @CsvSource({
        "child, IllegalStateException: a child has had enough at programs.Children.child(Children.java:, 1",
        "exit, it exited: exit code 9, 9"
    })
    @Tag("ci")
    void connectedWorldsFailTogether(String how, String why, int code) throws Exception {
        ProcessOutcome ended = children(2, "fails", how).run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(code);
        assertThat(ended.lastWords())
                .as("%s", ended)
                .startsWith("tutti: rank 0 failed first: ranks that this one has spawned at Children.java:")
                .contains(" failed: rank 1 failed first: ")
                .contains(why)
                .contains("; rank 1 was stopped");
    }

    @Test
    @Tag("ci")
    void disconnectedOnesFailAlone() throws Exception {
        ProcessOutcome ended = children(2, "alone").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).isEqualTo("parents go on\n");
        assertThat(ended.lastWords())
                .as("%s", ended)
                .startsWith("tutti: ranks that this one had spawned, and was disconnected from, failed: rank 1 failed"
                        + " first: java.lang.IllegalStateException: a child has had enough at programs.Children.");
    }

    @Test
    @Tag("full")
    void childrenEndWithAParent() throws Exception {
        ProcessOutcome ended = children(3, "fails", "parent").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.lastWords())
                .startsWith("tutti: rank 2 failed first: java.lang.IllegalStateException: a parent has had enough");
    }

    @Test
    @Tag("ci")
    void killedOnesTakeTheOthersWithThem() throws Exception {
        for (int who : Tier.FULL ? new int[] {0, 1, 2} : new int[] {0, 2}) {
            Child job = children(2, "waits", "for ever").start();
            Map<Integer, Long> ready = job.awaitReady(3);
            Processes.signal("KILL", ready.get(who));
            ProcessOutcome ended = job.await();
            assertThat(ended.code()).as("%s", ended).isEqualTo(137);
            assertThat(ended.lastWords()).as("%s", ended).contains("it was killed (SIGKILL; ");
            assertNothingIsLeft();
        }
        Child job = children(2, "waits", "for ever").start();
        job.awaitReady(3);
        Processes.signal("TERM", job.pid());
        assertThat(job.awaitCode()).isEqualTo(143);
        assertNothingIsLeft();
    }

    private static ProcessOutcome overLibrary(Way way, int ranks, String... words) throws Exception {
        return Command.program(way, ranks, List.of("--oversubscribe"), program(words))
                .run();
    }

    @Test
    @Tag("full")
    void openMpiSpawnsThem() throws Exception {
        Way.OPEN_MPI.require();
        for (int parents : Tier.FULL ? new int[] {1, 2, 3} : new int[] {2}) {
            ProcessOutcome ended = overLibrary(Way.OPEN_MPI, parents, "talk");
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.out()).as("%s", ended).isEqualTo("talked\n");
        }
    }

    @Test
    @Tag("full")
    void openMpiSpawnsSeveralProgramsAndChildrensChildren() throws Exception {
        Way.OPEN_MPI.require();
        ProcessOutcome several = overLibrary(Way.OPEN_MPI, 2, "programs", inFile().toString());
        assertThat(several.code()).as("%s", several).isZero();
        assertThat(several.out()).isEqualTo(PROGRAMS);
        assertThat(overLibrary(Way.OPEN_MPI, 2, "nested").out()).isEqualTo("three generations\n");
        assertThat(overLibrary(Way.OPEN_MPI, 2, "often", "10").out()).isEqualTo("often\n");
        ProcessOutcome late = Command.program(Way.OPEN_MPI, 2, List.of("--stall", "1"), "Children", "late")
                .run();
        assertThat(late.out()).as("%s", late).isEqualTo("late\n");
        assertThat(late.err()).as("%s", late).doesNotContain("stall");
        ProcessOutcome ends = overLibrary(Way.OPEN_MPI, 2, "refused", "end");
        assertThat(ends.code()).as("%s", ends).isEqualTo(1);
        assertThat(ends.err()).contains("a program that ranks have spawned has ended without Mpi.init");
        ProcessOutcome fails = overLibrary(Way.OPEN_MPI, 2, "fails", "exit");
        assertThat(fails.code()).as("%s", fails).isEqualTo(9);
    }

    @ParameterizedTest
    @Ways(quick = Way.MPICH)
    @Tag("ci")
    void whatALibraryCannotIsSaidOnAllRanks(Way way) throws Exception {
        if (!way.isNative()) return;
        ProcessOutcome ended = overLibrary(way, 2, "refused", "class" + (way == Way.MPICH ? ",throw" : ""));
        assertThat(ended.code()).as("%s", ended).isZero();
        List<String> lines = ended.sortedOut();
        assertThat(lines.subList(0, 2)).allMatch(line -> line.startsWith("class: ERR_SPAWN ARGUMENT spawn: no class "));
        if (way != Way.MPICH) return;
        assertThat(lines.subList(2, 4))
                .as("%s", ended)
                .allMatch(
                        line -> line.startsWith("throw: ERR_SPAWN ARGUMENT spawn: MPICH Version: ")
                                && line.contains(" could not start them: ")
                                && line.contains(
                                        "; Open MPI can under mpirun, as long as there are slots (--oversubscribe),"
                                                + " and MPICH over UCX from 4.3 on, while older ones cannot; on one machine --engine shm can"));
    }

    @Test
    void ranksThatAreThreadsHaveNoMemoryForOthers() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> mpi.world().spawn(1, args -> {})))
                .rootCause()
                .isInstanceOf(MpiException.class)
                .hasMessageContaining("spawn: other processes cannot attach the memory of ranks in threads");
    }
}
