package org.tutti.e2e.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// A native MPI library inside a JVM. `-Dtutti.crash.runs=50` runs the test 50 times over each library, with a
/// million faults of each kind.
@Tag("ci")
class NativeLibraryTest extends JobTest {
    private static final int REQUESTED_RUNS = Integer.getInteger("tutti.crash.runs", 0);
    private static final int RUNS = REQUESTED_RUNS == 0 ? 2 : REQUESTED_RUNS;
    private static final int TIMES = REQUESTED_RUNS == 0 ? 10_000 : 1_000_000;
    private static final int SECONDS = REQUESTED_RUNS == 0 ? 120 : 1200;

    /// With only C1, every check causes a fault (see the program). The other options make a stack overflow
    /// cheap: the JVM walks only the first frames of the stack and does not search for a reserved page.
    private static final String[] FAULTS = {
        "--jvm",
        "-XX:TieredStopAtLevel=1",
        "--jvm",
        "-XX:MaxJavaStackTraceDepth=10",
        "--jvm",
        "-XX:StackReservedPages=0"
    };

    @ParameterizedTest
    @Ways(quick = Way.MPICH)
    void jvmKeepsSignalHandlers(Way way) throws Exception {
        List<String> failed = new ArrayList<>();
        int runs = way.isNative() ? RUNS : 1;
        for (int run = 0; run < runs; run++) {
            List<String> options = new ArrayList<>(List.of(FAULTS));
            options.addAll(List.of("--jvm", run % 2 == 0 ? "-XX:+UseG1GC" : "-XX:+UseZGC", "--jvm", "-Xmx512m"));
            ProcessOutcome outcome = storm(way, options);
            boolean survived = outcome.code() == 0 && outcome.out().equals(all());
            if (REQUESTED_RUNS > 0) System.out.println(way + ", run " + run + ": " + (survived ? "survived" : outcome));
            if (!survived) failed.add("run " + run + ": " + outcome);
        }
        assertThat(failed).as("%s runs of %s", failed.size(), runs).isEmpty();
    }

    /// Uses the two compilers and the default flags of ranks.
    @ParameterizedTest
    @Tag("full")
    @Ways
    void jvmKeepsSignalHandlersWithDefaultFlags(Way way) throws Exception {
        ProcessOutcome outcome = storm(way, List.of("--jvm", "-XX:TieredStopAtLevel=4"));
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo(all());
    }

    private static ProcessOutcome storm(Way way, List<String> options) throws InterruptedException {
        Child child = Command.program(way, 2, options, "Storm", Integer.toString(TIMES))
                .start();
        return child.await(SECONDS);
    }

    private static String all() {
        return "caught %1$d %1$d %1$d%n".formatted(TIMES / 2 * 2);
    }

    /// Shows that the test above can fail: MPICH with a UCX before 1.20, without the protection that Tutti
    /// installs while it loads the library.
    @Test
    @Tag("full")
    void nullCheckCrashesUnprotectedJvm() throws Exception {
        Way.MPICH.require();
        Path where = Checkout.scratch("unguarded");
        ProcessOutcome outcome = Command.of(
                        Way.MPICH.launcher(),
                        "-n",
                        "1",
                        Checkout.java(),
                        "-XX:-UsePerfData",
                        "-Xbatch", // compiles the loop before it ends, even on a busy machine
                        "-XX:-CreateCoredumpOnCrash",
                        "-XX:ErrorFile=" + where.resolve("hs_err"),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        Checkout.classPathText() + ":" + Checkout.PROGRAMS,
                        "programs.Unguarded",
                        "libmpich.so.12",
                        "100000")
                .in(where)
                .run();
        assertThat(outcome.out()).as("%s", outcome).contains("initialised: 0");
        Assumptions.assumeFalse(
                outcome.out().contains("caught 100000"),
                "skipped, because this MPICH does not replace the JVM's signal handlers");
        assertThat(outcome.code()).as("%s", outcome).isNotZero();
        assertThat(outcome.out() + outcome.err() + Files.exists(where.resolve("hs_err")))
                .as("%s", outcome)
                .containsAnyOf("Caught signal 11", "SIGSEGV", "KILLED BY SIGNAL", "true");
    }
}
