package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// `Tutti.spawn`: a program that was not started by a launcher starts ranks as processes.
class SpawnTest extends JobTest {
    private static final String SUM_OF_TWO = ": [], sum 1, a.b=null";

    /// Creates the command `java ARGUMENTS` with Tutti on the class path.
    private static Command java(String... arguments) {
        return javaWith(Checkout.classPathText() + ":" + Checkout.PROGRAMS, arguments);
    }

    private static Command javaWith(String classPath, String... arguments) {
        List<String> line = new ArrayList<>(List.of(Checkout.java(), "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
        line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath));
        line.addAll(Arrays.asList(arguments));
        return Command.of(line);
    }

    private static ProcessOutcome runOk(Command command) throws Exception {
        ProcessOutcome outcome = command.run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
        return outcome;
    }

    @Test
    void methodOrClassRunsAsSeparateJob() throws Exception {
        ProcessOutcome outcome = runOk(java("-Da.b=c d", "programs.Spawns", "well"));
        assertThat(outcome.sortedOut())
                .containsExactly(
                        "all have ended",
                        "spawned rank 0 of 2: [main], sum 1, a.b=c d",
                        "spawned rank 0 of 3: [a b, ], sum 3, a.b=c d",
                        "spawned rank 1 of 2: [main], sum 1, a.b=c d",
                        "spawned rank 1 of 3: [a b, ], sum 3, a.b=c d",
                        "spawned rank 2 of 3: [a b, ], sum 3, a.b=c d");
        assertThat(outcome.out()).endsWith("all have ended\n");
    }

    @Test
    void firstFailureIsThrownWithRankAndReason() throws Exception {
        ProcessOutcome thrown = java("programs.Spawns", "badly", "throw").run();
        assertThat(thrown.code()).as("%s", thrown).isZero();
        assertThat(thrown.out())
                .as("%s", thrown)
                .startsWith("ERR_PROC_FAILED spawn: rank 1 failed first: java.lang.IllegalStateException: rank 1 throws"
                        + " on purpose at programs.Spawns.fail(Spawns.java:")
                .contains("): exit code 1 after ")
                .endsWith("; ranks 0 and 2 were stopped\n");
        ProcessOutcome exited = java("programs.Spawns", "badly", "exit").run();
        assertThat(exited.out())
                .as("%s", exited)
                .startsWith("ERR_PROC_FAILED spawn: rank 1 failed first: it exited")
                .contains(": exit code 7 after ");
    }

    @Test
    @Tag("ci")
    void interruptStopsRanksAndVirtualThreadMaySpawn() throws Exception {
        ProcessOutcome outcome = java("programs.Spawns", "interrupted").run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.sortedOut())
                .as("%s", outcome)
                .containsExactly(
                        "spawn: interrupted; the ranks were stopped, interrupt flag: true",
                        "spawned rank 0 of 2" + SUM_OF_TWO,
                        "spawned rank 1 of 2" + SUM_OF_TWO);
    }

    @Test
    @Tag("ci")
    void ranksStopWithParentProgram() throws Exception {
        for (String signal : Tier.FULL ? List.of("KILL", "TERM") : List.of("KILL")) {
            Child program = java("programs.Spawns", "waits").start();
            program.awaitReady(2);
            Processes.signal(signal, program.pid());
            program.awaitCode();
            assertNothingIsLeft();
        }
    }

    @Test
    void recursiveSpawnIsRejected() throws Exception {
        ProcessOutcome outcome = java("programs.Spawns", "itself").run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.err())
                .as("%s", outcome)
                .contains("spawn: this process is a rank that was spawned to run programs.Spawns, so spawning"
                        + " would never end; give a class or a method that does not spawn itself");
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void rankOfAnotherJobMaySpawn(Way way) throws Exception {
        assertThat(runOk(Command.program(way, 2, List.of(), "Spawns", "asARank"))
                        .sortedOut())
                .containsExactly("spawned rank 0 of 2" + SUM_OF_TWO, "spawned rank 1 of 2" + SUM_OF_TWO);
    }

    @Test
    @Tag("ci")
    void sourceFileIsCompiledForRanks() throws Exception {
        Path file = Checkout.scratch("spawn").resolve("In one file.java");
        Files.writeString(file, """
                import org.tutti.mpi.*;

                class Program {
                    static int sum(Mpi mpi) { return mpi.world().allreduce(1, Op.SUM); }

                    static void main(String[] args) {
                        Tutti.spawn(2, own -> {
                            try (Mpi mpi = Mpi.init()) { IO.println(own[0] + " " + sum(mpi)); }
                        }, args);
                    }
                }
                """);
        ProcessOutcome outcome = runOk(javaWith(Checkout.classPathText(), file.toString(), "x.java"));
        assertThat(outcome.sortedOut()).containsExactly("x.java 2", "x.java 2");
    }

    @Test
    void missingLauncherJarIsNamed() throws Exception {
        String launch = Checkout.module("tutti-launch") + "/", cli = Checkout.module("tutti-cli") + "/";
        String path = Checkout.CLASS_PATH.stream()
                .filter(entry -> !entry.startsWith(launch) && !entry.startsWith(cli))
                .collect(Collectors.joining(":"));
        ProcessOutcome outcome = javaWith(path + ":" + Checkout.PROGRAMS, "programs.Spawns", "well")
                .run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.err())
                .as("%s", outcome)
                .contains("MpiException: spawn: no launcher of processes was found; put tutti-launch.jar on the"
                        + " class path or the module path");
    }

    /// Spawns ranks from this JVM, in which Tutti runs as modules and the test classes as a patch.
    @Test
    @Tag("ci")
    void testMaySpawn() {
        Tutti.spawn(2, SpawnTest::addUp);
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(err));
        try {
            assertThatThrownBy(() -> Tutti.spawn(2, SpawnTest::addUp, "3"))
                    .isInstanceOfSatisfying(
                            MpiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.ERR_PROC_FAILED))
                    .hasMessageContaining("java.lang.IllegalStateException: 2 ranks, not 3 at org.tutti.e2e.launch.");
        } finally {
            System.setErr(before);
        }
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("Exception in thread \"main\" java.lang.Illegal");
        assertThatThrownBy(() -> Tutti.spawn(2, String.class))
                .hasMessage("spawn: class java.lang.String has no main method; add `void main()`, `static void"
                        + " main(String[] args)` or another of its forms");
        assertThatThrownBy(() -> Tutti.spawn(1025, SpawnTest::addUp))
                .hasMessage("spawn: size=1025: a job on one machine has at most 1024 ranks");
    }

    private static void addUp(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            int ranks = mpi.world().allreduce(1, Op.SUM);
            int expected = args.length > 0 ? Integer.parseInt(args[0]) : 2;
            if (ranks != expected) throw new IllegalStateException(ranks + " ranks, not " + expected);
        }
    }
}
