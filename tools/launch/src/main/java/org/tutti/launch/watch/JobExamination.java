package org.tutti.launch.watch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.status.FlightExcerpt;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.JobStatus.Wish;
import org.tutti.launch.JobText;

/// Determines the activity of all ranks of a job and formats it as a page, which is printed, or as a report,
/// which is a file: when the job stalls, at a timeout, and on request of a command (`tutti stacks` or
/// `tutti dump`). After a failure, writes a report with only the last operations.
public final class JobExamination implements AutoCloseable {
    private static final String FIRST_DIFFERENCE = "first difference: ";

    /// The number of operations of each rank in the report about a stall or a timeout.
    private static final int SOME = 200;

    private static final int ALL = FlightRing.ENTRIES;

    private final @Nullable Path outputDir;
    private final int firstRank;
    private final boolean isOfSeveralNodes;
    private final JobStatus status;
    private final ProcessMonitor processes;
    private final ActivityQuery inquiry;
    private final RemoteCalls remote = new RemoteCalls();

    /// The file with the last answer to `tutti stacks`; this command opens the file through this process's
    /// descriptor.
    private @Nullable JobFile granted;

    /// @param outputDir the directory of reports; null for the default directory of the user
    /// @param firstRank the number in the world of the first rank on the status page
    /// @param isOfSeveralNodes whether other launchers run other parts of the world
    public JobExamination(@Nullable Path outputDir, int firstRank, boolean isOfSeveralNodes, JobStatus status) {
        this.outputDir = outputDir;
        this.firstRank = firstRank;
        this.isOfSeveralNodes = isOfSeveralNodes;
        this.status = status;
        processes = new ProcessMonitor(status);
        inquiry = new ActivityQuery(status, processes);
    }

    ProcessMonitor processes() {
        return processes;
    }

    /// Stores the activity of a remote rank outside of calls. An empty `text` means that the rank is in a call
    /// again.
    ///
    /// @param moves the rank's number of calls so far
    public void updateActivity(int rank, String host, long moves, String text) {
        inquiry.update(rank, host, text);
        remote.moved(rank, moves);
    }

    /// Stores the recent calls of a remote rank.
    public void updateCalls(int rank, String host, FlightExcerpt excerpt) {
        remote.update(rank, host, excerpt);
    }

    /// The waits and the activities of the ranks at one moment.
    ///
    /// @param doings the activities, by rank
    public record Findings(WaitSnapshot snapshot, List<RankActivity> doings) {
        /// Whether the findings are premature: a rank is in a call in which it may begin to wait.
        boolean areEarly() {
            for (int r = 0; r < doings.size(); r++) {
                boolean isOver =
                        snapshot.state(r) == JobStatus.State.LEFT || snapshot.state(r) == JobStatus.State.FAILED;
                if (doings.get(r).calls() && !isOver && !snapshot.isWaiting(r)) return true;
            }
            return false;
        }
    }

    /// Queries all ranks. Returns when all have answered, or after the time limit of [ActivityQuery#ask].
    public Findings ask() throws InterruptedException {
        List<RankActivity> doings = inquiry.ask();
        return new Findings(WaitSnapshot.at(status), doings);
    }

    /// Returns a sentence with the waiting ranks, the ranks that delay them, and the activity of the latter;
    /// empty if no rank is waiting.
    static String conclusion(Findings findings) {
        return StallText.conclusion(findings.snapshot(), findings.doings());
    }

    /// Whether ranks wait for events that no rank of this world causes, and all awaited ranks are waiting, too.
    static boolean isForNoRank(Findings findings) {
        return StallText.isForNoRank(findings.snapshot(), findings.doings());
    }

    /// Returns the reason for not ending a job in which ranks wait for each other; empty for any other job, and
    /// if a deadlock may still be detected.
    static String unproven(Findings findings) {
        return StallText.unproven(findings.snapshot(), findings.doings());
    }

    /// Returns one line for each group of ranks with the same pending call or activity.
    public List<String> page(Findings findings) {
        return StallText.page(findings.snapshot(), processes, findings.doings());
    }

    /// Writes the report. Returns a sentence with the path, or with the reason for a failure.
    ///
    /// @param why the occasion of the report
    public String report(String why, Findings findings) {
        try {
            return "stacks of all ranks: " + compose(why, findings, SOME).write(outputDir);
        } catch (IOException | RuntimeException e) {
            return "the stacks of all ranks could not be written: " + JobText.reason(e);
        }
    }

    /// Writes the contents of the flight recorders of a failed job. Returns lines for the user: the difference,
    /// if the collective calls of ranks differ, and the path or the reason why the file could not be written.
    /// Returns no lines if no rank has recorded a call.
    public List<String> failure(String why) {
        List<String> lines = new ArrayList<>();
        try {
            FlightRecords flights = FlightRecords.of(status, remote);
            if (flights.isEmpty()) return lines;
            String difference = flights.differenceOrMissingAtClose();
            if (difference != null) lines.add(FIRST_DIFFERENCE + difference);
            JobReport report = new JobReport(title(why));
            if (difference != null) report.section("first difference", List.of(difference));
            for (int r = 0; r < status.size(); r++) operations(report, flights, r, ALL);
            lines.add("last operations of all ranks: " + report.write(outputDir));
        } catch (IOException | RuntimeException e) {
            lines.add("the last operations of all ranks could not be written: " + JobText.reason(e));
        }
        return lines;
    }

    /// Returns the first collective call in which ranks differ; if the calls agree, the first in which a rank is
    /// waiting and that other ranks have not entered; otherwise null. Returns null also if the flight recorders
    /// cannot be read.
    @Nullable
    String difference() {
        try {
            String difference = FlightRecords.of(status, remote).differenceOrMissing();
            return difference == null ? null : FIRST_DIFFERENCE + difference;
        } catch (UncheckedIOException e) { // the recorders cannot be mapped: continue without
            return null;
        }
    }

    /// Returns a collective call in which a rank is waiting and that a different rank will not enter, because it
    /// has entered a different call or has closed; null if no such call is known. Returns null after a failure,
    /// because ranks may then legally enter different calls.
    @Nullable
    String mismatch() {
        for (int r = 0; r < status.size(); r++) if (status.state(r) == JobStatus.State.FAILED) return null;
        try {
            return FlightRecords.of(status, remote).mismatch();
        } catch (UncheckedIOException e) { // a recorder cannot be mapped
            return null;
        }
    }

    /// Returns the first collective call in which ranks of a failed job differ; if the calls agree, the first
    /// that some ranks have not entered before closing; otherwise null.
    @Nullable
    String differenceOfCalls() {
        String difference = FlightRecords.of(status, remote).differenceOrMissingAtClose();
        return difference == null ? null : FIRST_DIFFERENCE + difference;
    }

    private void operations(JobReport report, FlightRecords flights, int rank, int most) {
        List<String> lines = flights.lines(rank, most);
        String title = "last operations of rank " + (firstRank + rank) + remote.source(rank);
        if (!lines.isEmpty()) report.section(title, lines);
    }

    private String title(String why) {
        return "Tutti's report of job " + ProcessHandle.current().pid() + ", "
                + LocalDateTime.now().truncatedTo(ChronoUnit.SECONDS) + ": " + why + "\n" + status.program();
    }

    private JobReport compose(String why, Findings findings, int operations) {
        WaitSnapshot snapshot = findings.snapshot();
        String conclusion = conclusion(findings);
        JobReport report = new JobReport(title(why));
        List<String> page = new ArrayList<>();
        if (!conclusion.isEmpty()) page.add(conclusion);
        page.addAll(page(findings));
        if (!isOfSeveralNodes) report.section("what ranks wait for", page);
        for (int r = 0; r < status.size(); r++) {
            RankActivity doing = findings.doings().get(r);
            String pid = status.pid(r) == 0 ? "" : " (pid " + status.pid(r) + ")";
            report.section(
                    "rank " + (firstRank + r) + pid + ": " + StallText.state(snapshot, r, doing), doing.stacks());
        }
        if (operations == 0) return report;
        FlightRecords flights = FlightRecords.of(status, remote);
        String difference = flights.differenceOrMissing();
        if (difference != null) report.section("first difference", List.of(difference));
        for (int r = 0; r < status.size(); r++) operations(report, flights, r, operations);
        return report;
    }

    /// Answers the request of a command, if a request is pending. If this fails, the command receives the reason,
    /// and the job continues.
    public void grant() throws InterruptedException {
        Wish wish = status.wished();
        if (wish == null) return;
        String words;
        try {
            JobReport report = compose("requested", ask(), wish == Wish.STACKS ? 0 : ALL);
            words = switch (wish) {
                case STACKS -> unnamed(report.text());
                case REPORT -> report.write(outputDir).toString();
            };
        } catch (IOException | RuntimeException e) {
            words = "!" + e.getMessage();
        }
        status.grant(words);
    }

    /// Creates a file without a name, which other processes open through the launcher's descriptor. It is not
    /// necessary to delete the file.
    private String unnamed(String text) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (granted != null) granted.close();
        granted = null;
        JobFile file = OsPlatform.open().createFile("tutti-answer", utf8.length);
        granted = file;
        try (Arena arena = Arena.ofConfined()) {
            file.commit(0, utf8.length);
            file.map(0, utf8.length, arena).asByteBuffer().put(0, utf8);
        }
        return file.path();
    }

    @Override
    public void close() throws IOException {
        inquiry.close();
        if (granted != null) granted.close();
    }
}
