package org.tutti.e2e.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Marked;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// `--profile` and `--trace` attribute a pause of rank 3 to rank 3, with the source lines.
class ProfileTest extends JobTest {
    private static final Marked SOURCE = Marked.program("Profiled");
    private static final int TIMES = 5, MESSAGES = 20;

    /// Minimum reported delay for a pause of 250 ms.
    private static final double PAUSE_MILLIS = 100;

    private static final int HIDDEN = 2;

    private static double millis(String number, String unit) {
        double value = Double.parseDouble(number);
        return switch (unit) {
            case "s" -> value * 1000;
            case "ms" -> value;
            case "µs" -> value / 1000;
            default -> value / 1e6;
        };
    }

    /// Asserts that a line of the report attributes delays of at least this length in one call to rank 3.
    private static void assertLate(ProcessOutcome ended, String call) {
        Matcher line = Pattern.compile("(?m)^tutti:   rank 3, (\\d+ times|once): " + Pattern.quote(call)
                        + ", others waited [0-9.]+ (?:ns|µs|ms|s)(?:, ([0-9.]+) (ns|µs|ms|s) at most.*)?$")
                .matcher(ended.err());
        assertThat(line.find()).as("%s in %s", call, ended).isTrue();
        int times = line.group(1).equals("once")
                ? 1
                : Integer.parseInt(line.group(1).split(" ")[0]);
        assertThat(times).as("%s", ended).isGreaterThanOrEqualTo(TIMES - HIDDEN);
        assertThat(millis(line.group(2), line.group(3))).as("%s", ended).isGreaterThan(PAUSE_MILLIS);
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void aPauseIsAttributedToRank3(Way way) throws Exception {
        Path file = Checkout.scratch("trace").resolve("out.json");
        List<String> options = List.of("--profile", "--trace", file.toString());
        ProcessOutcome ended =
                Command.program(way, 4, options, "Profiled", "delayed").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).as("%s", ended).contains("tutti: profile: 4 ranks, ", "tutti: the trace is in " + file);
        assertLate(ended, "allreduce at " + SOURCE.line("delayed"));
        assertLate(ended, "send at " + SOURCE.line("sends") + ", waited for in recv at " + SOURCE.line("awaits"));
        assertThat(ended.err())
                .as("%s", ended)
                .containsPattern("(?m)^tutti: +[0-9.]+ m?s +[0-9.]+ % +20 +[0-9.]+ m?s +78.1 KiB   allreduce at "
                        + SOURCE.line("delayed") + "$")
                .containsPattern("(?m)^tutti:   imbalance: rank [0-2] waits for others most, ");

        TraceFile trace = TraceFile.read(file);
        assertPauses(trace);
        assertThat(trace.threads(3)).as("%s", ended).contains("main").anyMatch(name -> name.startsWith("gc "));
        double collects = first(trace, 0, SOURCE.line("collects")).ts();
        assertThat(trace.slices("jvm"))
                .as("the garbage collection of rank 3")
                .anyMatch(s -> s.pid() == 3 && s.name().endsWith("System.gc()") && s.dur() > 100)
                .allMatch(s -> s.end() < collects + 60e6);
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    @Tag("ci")
    void accessesToWindowsAreRecorded(Way way) throws Exception {
        Path file = Checkout.scratch("trace").resolve("windows.json");
        List<String> options = List.of("--profile", "--trace", file.toString());
        ProcessOutcome ended =
                Command.program(way, 2, options, "Profiled", "windows").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err())
                .as("%s", ended)
                .containsPattern("(?m)^tutti: .* 40 .* 10.0 MiB   put at " + SOURCE.line("puts") + "$");
        List<TraceFile.Slice> accesses = TraceFile.read(file).slices("window");
        assertThat(accesses).hasSize(2 * 21);
        assertThat(accesses)
                .filteredOn(s -> s.line().equals(SOURCE.line("fetches")))
                .hasSize(2)
                .allMatch(s -> s.name().equals("fetchAndAdd"));
    }

    @Test
    @Tag("full")
    void accessesToFilesAreRecorded() throws Exception {
        Path directory = Checkout.scratch("trace"), trace = directory.resolve("files.json");
        String data = directory.resolve("profiled.dat").toString();
        List<String> options = List.of("--profile", "--trace", trace.toString());
        ProcessOutcome ended =
                Command.program(Way.SHM, 2, options, "Profiled", "files", data).run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.err())
                .as("%s", ended)
                .containsPattern("(?m)^tutti: .* 40 .* 10.0 MiB   writeAt at " + SOURCE.line("writes") + "$");
        List<TraceFile.Slice> accesses = TraceFile.read(trace).slices("file");
        assertThat(accesses).hasSize(2 * 22).allMatch(s -> s.args().get("file").equals(data));
        assertThat(accesses)
                .filteredOn(s -> s.line().equals(SOURCE.line("reads")))
                .hasSize(2)
                .allMatch(s -> s.name().equals("readAt"));

        Matcher report = Pattern.compile("last operations of all ranks: (\\S+)").matcher(ended.err());
        assertThat(report.find()).as("%s", ended).isTrue();
        String bytes = "(262144 bytes from byte 262144 of the view) of " + data + " at ";
        assertThat(Files.readString(Path.of(report.group(1))))
                .contains("iwriteAt" + bytes + SOURCE.line("starts") + ": done")
                .contains("writeAt" + bytes + SOURCE.line("writes") + ": done");
    }

    private static TraceFile.Slice first(TraceFile trace, int rank, String line) {
        return trace.slices()
                .filter(s -> s.pid() == rank && s.line().equals(line))
                .findFirst()
                .orElseThrow();
    }

    /// Asserts that rank 3 is not in a call while it sleeps, and that the other ranks are then in the call that
    /// rank 3 enters last.
    private static void assertPauses(TraceFile trace) {
        int seen = 0;
        for (int i = 0; i < TIMES; i++) {
            int time = i;
            List<TraceFile.Slice> call = trace.slices("collective").stream()
                    .filter(s -> s.line().equals(SOURCE.line("delayed")))
                    .filter(s -> s.args().get("call").equals(3L + 2L * time))
                    .toList();
            assertThat(call).hasSize(4);
            TraceFile.Slice last =
                    call.stream().filter(s -> s.pid() == 3).findFirst().orElseThrow();
            double idle = last.ts()
                    - trace.slices()
                            .filter(s -> s.pid() == 3 && s.line().contains("Profiled") && s.end() <= last.ts())
                            .mapToDouble(TraceFile.Slice::end)
                            .max()
                            .orElseThrow();
            assertThat(idle).as("time %s", i).isGreaterThan(PAUSE_MILLIS * 1000);
            if (call.stream().filter(s -> s != last).allMatch(s -> s.dur() > PAUSE_MILLIS * 1000)) seen++;
        }
        assertThat(seen).isGreaterThanOrEqualTo(TIMES - HIDDEN);
    }

    @ParameterizedTest
    @Ways(quick = Way.OPEN_MPI)
    @Tag("ci")
    void everyMessageIsAnArrowForwardInTime(Way way) throws Exception {
        Path file = Checkout.scratch("trace").resolve("out.json");
        ProcessOutcome ended = Command.program(way, 3, List.of("--trace", file.toString()), "Profiled", "messages")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err())
                .isEqualTo("tutti: the trace is in " + file
                        + "; open it in https://ui.perfetto.dev or chrome://tracing\n");
        TraceFile trace = TraceFile.read(file);
        List<TraceFile.Flow> flows = trace.flows();
        // messages sent to the right (twice), sent to rank 0, found by a probe (two), with an object, within a
        // half of the ranks, and from a second thread
        assertThat(flows).hasSize(2 * 3 + MESSAGES * 2 + 2 + 3 + 3 + 3);
        assertThat(flows).allSatisfy(f -> {
            assertThat(f.received()).isGreaterThan(f.sent());
            assertThat(f.from().args()).containsEntry("dest", Integer.toString(f.to().pid()));
        });
        // the receive that was awaited last received the first message
        assertThat(flows).filteredOn(f -> f.from().args().get("tag").equals(1L)).allSatisfy(f -> {
            boolean isSmall = f.from().args().get("bytes").equals(4L);
            assertThat(f.to().name()).as("%s", f).isEqualTo("await irecv");
            assertThat(isSmall).as("%s", f).isEqualTo(f.to().line().equals(SOURCE.line("found last")));
        });
        assertThat(flows).filteredOn(f -> f.from().args().get("tag").equals(5L)).allSatisfy(f -> {
            assertThat(f.to().args()).containsEntry("bytes", f.from().args().get("bytes"));
        });
        for (int rank = 0; rank < 3; rank++) assertThat(trace.threads(rank)).contains("main", "the \"other\" one");
    }

    @ParameterizedTest
    @Ways
    @Tag("full")
    void aFailedJobPrintsTheProfile(Way way) throws Exception {
        Path file = Checkout.scratch("trace").resolve("out.json");
        List<String> options = List.of("--profile", "--trace", file.toString());
        ProcessOutcome ended =
                Command.program(way, 3, options, "Profiled", "fails").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.lastErrorLine()).startsWith("tutti: rank 1 failed first: ");
        assertThat(ended.err())
                .as("%s", ended)
                .contains("allreduce at " + SOURCE.line("fails: before"))
                .contains("rank 1 never arrived: barrier at " + SOURCE.line("fails: waits"));
        TraceFile trace = TraceFile.read(file);
        // depending on timing, the ranks are ended in the call, or detect that rank 1 has left
        assertThat(trace.slices("collective"))
                .filteredOn(s -> s.args().containsKey("ended") || s.args().containsKey("failed"))
                .extracting(TraceFile.Slice::line)
                .isNotEmpty()
                .allMatch(SOURCE.line("fails: waits")::equals);
    }

    @Test
    @Tag("ci")
    void aKilledRankLeavesTheWrittenEvents() throws Exception {
        Path file = Checkout.scratch("trace").resolve("out.json");
        List<String> options = List.of("--profile", "--trace", file.toString());
        Child job = Command.program(Way.SHM, 2, options, "Profiled", "waits").start();
        long rank = job.awaitReady(2).get(1);
        Processes.signal("KILL", rank);
        ProcessOutcome ended = job.await();
        assertThat(ended.code()).as("%s", ended).isEqualTo(137);
        assertThat(ended.err()).as("%s", ended).contains("did not close");
        assertThat(TraceFile.read(file).slices("message"))
                .anyMatch(s -> s.pid() == 1
                        && s.line().equals(SOURCE.line("waits"))
                        && s.args().containsKey("ended"));
    }

    @Test
    void withoutTheOptionsNoFileIsWritten() throws Exception {
        ProcessOutcome ended =
                Command.program(Way.SHM, 2, List.of(), "Profiled", "none").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).isEmpty();
    }
}
