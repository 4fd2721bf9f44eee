package org.tutti.e2e.diagnosis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Marked;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Ranks wait for each other: the job ends, and the last lines show the cycle with the source line of each
/// rank.
class DeadlockTest extends JobTest {
    private static final Marked SOURCE = Marked.program("Deadlocks");
    private static final List<String> OPTIONS = List.of("--stall", "1", "--timeout", "300");

    /// @param program the name of a program of `programs.Deadlocks`
    /// @param cycle the reported cycle, without source lines
    private record Deadlock(String program, int ranks, String cycle) {
        /// Returns the expected last line.
        Pattern lastLine() {
            String steps = Stream.of(cycle.split(" → "))
                    .map(step -> step.length() == 1 ? step : Pattern.quote(step + " (" + line(step.charAt(0)) + ")"))
                    .collect(Collectors.joining(" → "));
            return Pattern.compile("tutti: deadlock: " + steps
                    + ": exit code 1 after [0-9.]+ s; ranks? [0-9, -]+( and [0-9]+)? (was|were) stopped.*");
        }

        private String line(char rank) {
            String own = SOURCE.find(program + ": rank " + rank);
            return own == null ? SOURCE.line(program) : own;
        }
    }

    private static final List<Deadlock> ALL = List.of(
            new Deadlock("receives", 2, "0 recv←1 → 1 recv←0 → 0"),
            new Deadlock("receives", 3, "0 recv←1 → 1 recv←2 → 2 recv←0 → 0"),
            new Deadlock("sends", 2, "0 send→1 → 1 send→0 → 0"),
            new Deadlock("longSends", 2, "0 send→1 → 1 send→0 → 0"),
            new Deadlock("longReceives", 3, "0 recv←1 → 1 recv←2 → 2 recv←0 → 0"),
            new Deadlock("ssends", 3, "0 ssend→1 → 1 ssend→2 → 2 ssend→0 → 0"),
            new Deadlock("objects", 2, "0 recvObject←1 → 1 recvObject←0 → 0"),
            new Deadlock("myself", 2, "0 recv←0 → 0"),
            new Deadlock("anySource", 3, "0 recv←any → 1 recv←any → 2 recv←any → 0"),
            new Deadlock("probe", 2, "0 probe←1 → 1 probe←0 → 0"),
            new Deadlock("mprobe", 3, "0 mprobe←1 → 1 mprobe←2 → 2 mprobe←0 → 0"),
            new Deadlock("barrierAndReceive", 2, "0 recv←1 → 1 barrier←0 → 0"),
            new Deadlock("split", 2, "0 recv←1 → 1 split←0 → 0"),
            new Deadlock("allocate", 2, "0 recv←1 → 1 allocate←0 → 0"),
            new Deadlock("openFile", 3, "0 recv←1 → 1 open←0 → 0"),
            new Deadlock("crossedCommunicators", 2, "0 allreduce←1 → 1 allreduce←0 → 0"),
            new Deadlock("ibarrier", 2, "0 recv←1 → 1 ibarrier←0 → 0"),
            new Deadlock("wrongTag", 2, "0 barrier←1 → 1 recv←0 → 0"),
            new Deadlock("waitBeforeSend", 3, "0 irecv←1 → 1 irecv←2 → 2 irecv←0 → 0"),
            new Deadlock("oneOfTwo", 2, "0 awaitAny←1 → 1 recv←0 → 0"),
            new Deadlock("bothOfTwo", 3, "0 irecv←1 → 1 recv←0 → 0"),
            new Deadlock("neverStarted", 2, "0 recv←1 → 1 ssend→0 → 0"),
            new Deadlock("parts", 2, "0 await→0 → 0"),
            new Deadlock("anyOfParts", 2, "0 awaitAny→any → 1 awaitAny→any → 0"),
            new Deadlock("neighbors", 2, "0 recv←1 → 1 neighborAllgather←0 → 0"),
            new Deadlock("twoGroups", 2, "0 recv←1 → 1 recv←0 → 0"),
            new Deadlock("pair", 4, "1 recv←2 → 2 recv←1 → 1"),
            new Deadlock("locks", 3, "0 lock→1 → 1 lock→2 → 2 lock→0 → 0"),
            new Deadlock("lockAndReceive", 2, "0 recv←1 → 1 lock→0 → 0"),
            new Deadlock("noPost", 2, "0 start→1 → 1 barrier←0 → 0"),
            new Deadlock("fences", 2, "0 fence←1 → 1 fence←0 → 0"));

    /// Programs with windows, which are not tested over libraries yet.
    private static final Set<String> OF_WINDOWS = Set.of("locks", "lockAndReceive", "noPost", "fences");

    /// Programs with waits that other programs have in a similar form; these run only with `-Pfull` or over a
    /// library.
    private static final Set<String> ALIKE = Set.of(
            "longSends",
            "longReceives",
            "ssends",
            "probe",
            "mprobe",
            "barrierAndReceive",
            "split",
            "allocate",
            "openFile",
            "crossedCommunicators",
            "ibarrier",
            "wrongTag",
            "waitBeforeSend",
            "bothOfTwo",
            "neverStarted",
            "anyOfParts",
            "neighbors",
            "lockAndReceive",
            "noPost",
            "fences");

    /// Programs that run over a library without `-Pfull`. A job over a library needs several more seconds, so
    /// by default one program runs over one library; BareLauncherTest covers the other library.
    private static final Set<String> OVER_A_LIBRARY = Set.of("crossedCommunicators", "allocate", "longSends");

    private static boolean isTried(Way way, String program) {
        if (way.isNative() && OF_WINDOWS.contains(program)) return false;
        return Tier.FULL || (way.isNative() ? OVER_A_LIBRARY.contains(program) : !ALIKE.contains(program));
    }

    private static double seconds(ProcessOutcome ended) {
        Matcher after = Pattern.compile(": exit code 1 after ([0-9.]+) s;").matcher(ended.lastErrorLine());
        return after.find() ? Double.parseDouble(after.group(1)) : 0;
    }

    /// Returns the number of concurrent jobs: ranks that wait over a library poll continuously.
    private static int atOnce(Way way) {
        return way.isNative() ? 3 : 8;
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.MPICH})
    void aDeadlockIsNamedAndStopsTheJob(Way way) throws Exception {
        way.require();
        List<Deadlock> tried = ALL.stream().filter(d -> isTried(way, d.program)).toList();
        Map<Deadlock, Callable<ProcessOutcome>> jobs = new LinkedHashMap<>();
        for (Deadlock d : tried) jobs.put(d, Command.program(way, d.ranks, OPTIONS, "Deadlocks", d.program)::run);
        Map<Deadlock, ProcessOutcome> results = runAll(atOnce(way), jobs);
        SoftAssertions all = new SoftAssertions();
        for (Deadlock d : tried) {
            ProcessOutcome ended = results.get(d);
            all.assertThat(ended.code()).as("%s: %s", d.program, ended).isEqualTo(1);
            all.assertThat(ended.lastErrorLine()).as("%s: %s", d.program, ended).matches(d.lastLine());
            String held = SOURCE.find("held: " + d.program);
            if (held != null) {
                String holder = d.program.equals("locks") ? "held by rank 1 at " : "held by rank 0 at ";
                all.assertThat(ended.err()).as("%s: %s", d.program, ended).contains(holder + held);
            }
            assertStallIsReportedOnce(ended, seconds(ended));
        }
        all.assertAll();
    }
}
