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

/// Finds out what all ranks of a job do and puts it on a page or into a report: when the job stalls, when its
/// time is over, and when another process wishes it (`tutti stacks`, `tutti dump`).
public final class JobExamination implements AutoCloseable {
    private static final String FIRST_DIFFERENCE = "first difference: ";

    /// Of each rank's operations in a report that nobody asked for.
    private static final int SOME = 200;

    private static final int ALL = FlightRing.ENTRIES;

    private final @Nullable Path outputDir;
    private final int firstRank;
    private final boolean isOfSeveralNodes;
    private final JobStatus status;
    private final ProcessMonitor processes;
    private final ActivityQuery inquiry;
    private final RemoteCalls remote = new RemoteCalls();

    /// What was last granted to another process, which reads it from here.
    private @Nullable JobFile granted;

    /// @param outputDir where reports go; null for the user's own directory
    /// @param firstRank the rank in the world of the first one on the board
    /// @param isOfSeveralNodes the ranks are some of a world that other launchers have parts of
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

    /// A rank on another machine says what it does while it does not call; nothing once it calls again.
    ///
    /// @param moves how often it has called
    public void told(int rank, String host, long moves, String text) {
        inquiry.told(rank, host, text);
        remote.moved(rank, moves);
    }

    /// A rank on another machine says what it has called.
    public void called(int rank, String host, FlightExcerpt excerpt) {
        remote.told(rank, host, excerpt);
    }

    /// What the ranks do at one moment.
    ///
    /// @param doings by rank
    public record Findings(WaitSnapshot look, List<RankActivity> doings) {
        /// Whether a rank that waits for nothing yet may be about to.
        boolean areEarly() {
            for (int r = 0; r < doings.size(); r++) {
                boolean isOver = look.state(r) == JobStatus.State.LEFT || look.state(r) == JobStatus.State.FAILED;
                if (doings.get(r).calls() && !isOver && !look.isWaiting(r)) return true;
            }
            return false;
        }
    }

    /// Asks all ranks, which takes a second at most, and a little longer where they are many.
    public Findings ask() throws InterruptedException {
        List<RankActivity> doings = inquiry.ask();
        return new Findings(WaitSnapshot.at(status), doings);
    }

    /// Who waits for whom and what those do, in one sentence; empty when no rank waits.
    static String conclusion(Findings findings) {
        return StallText.conclusion(findings.look(), findings.doings());
    }

    /// Whether nobody of this job keeps the ranks waiting, as far as is known.
    static boolean isForNoRank(Findings findings) {
        return StallText.isForNoRank(findings.look(), findings.doings());
    }

    /// Why the job is not ended, though its ranks wait for each other; empty when that is no question.
    static String unproven(Findings findings) {
        return StallText.unproven(findings.look(), findings.doings());
    }

    /// A line for each rank, or for several of which the same is true.
    public List<String> page(Findings findings) {
        return StallText.page(findings.look(), processes, findings.doings());
    }

    /// Writes the report. Returns where it is, as a sentence, or why there is none.
    ///
    /// @param why what the report is written for
    public String report(String why, Findings findings) {
        try {
            return "stacks of all ranks: " + compose(why, findings, SOME).write(outputDir);
        } catch (IOException | RuntimeException e) {
            return "the stacks of all ranks could not be written: " + JobText.reason(e);
        }
    }

    /// Writes what the flight recorders say, of a job that has failed. Returns where it is and, where
    /// ranks have called different things, that; nothing when no rank has called anything.
    public List<String> failure(String why) {
        List<String> lines = new ArrayList<>();
        try {
            FlightRecords flights = FlightRecords.of(status, remote);
            if (flights.isEmpty()) return lines;
            String difference = flights.differenceOrMissingAtClose();
            if (difference != null) lines.add(FIRST_DIFFERENCE + difference);
            JobReport report = new JobReport(title(why));
            if (difference != null) report.section("where ranks part", List.of(difference));
            for (int r = 0; r < status.size(); r++) operations(report, flights, r, ALL);
            lines.add("last operations of all ranks: " + report.write(outputDir));
        } catch (IOException | RuntimeException e) {
            lines.add("the last operations of all ranks could not be written: " + JobText.reason(e));
        }
        return lines;
    }

    /// Which collective call ranks have made differently, or not all of them; null where that is not known.
    @Nullable
    String difference() {
        try {
            String difference = FlightRecords.of(status, remote).differenceOrMissing();
            return difference == null ? null : FIRST_DIFFERENCE + difference;
        } catch (UncheckedIOException e) { // the recorders cannot be mapped: the job goes on without
            return null;
        }
    }

    /// Returns the collective call that a rank waits in and that another rank will not make, or null. After a
    /// failure,
    /// ranks may legally make different calls.
    @Nullable
    String mismatch() {
        for (int r = 0; r < status.size(); r++) if (status.state(r) == JobStatus.State.FAILED) return null;
        try {
            return FlightRecords.of(status, remote).mismatch();
        } catch (UncheckedIOException e) { // a recorder cannot be mapped
            return null;
        }
    }

    /// Which collective call ranks have called differently, of a job that has failed; null if there is none.
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
        WaitSnapshot look = findings.look();
        String conclusion = conclusion(findings);
        JobReport report = new JobReport(title(why));
        List<String> page = new ArrayList<>();
        if (!conclusion.isEmpty()) page.add(conclusion);
        page.addAll(page(findings));
        if (!isOfSeveralNodes) report.section("what ranks wait for", page);
        for (int r = 0; r < status.size(); r++) {
            RankActivity doing = findings.doings().get(r);
            String pid = status.pid(r) == 0 ? "" : " (pid " + status.pid(r) + ")";
            report.section("rank " + (firstRank + r) + pid + ": " + StallText.state(look, r, doing), doing.stacks());
        }
        if (operations == 0) return report;
        FlightRecords flights = FlightRecords.of(status, remote);
        String difference = flights.differenceOrMissing();
        if (difference != null) report.section("where ranks part", List.of(difference));
        for (int r = 0; r < status.size(); r++) operations(report, flights, r, operations);
        return report;
    }

    /// Does what another process wishes, if one does. Whatever becomes of that, the job goes on.
    public void grant() throws InterruptedException {
        Wish wish = status.wished();
        if (wish == null) return;
        String words;
        try {
            JobReport report = compose("asked for", ask(), wish == Wish.STACKS ? 0 : ALL);
            words = switch (wish) {
                case STACKS -> unnamed(report.text());
                case REPORT -> report.write(outputDir).toString();
            };
        } catch (IOException | RuntimeException e) {
            words = "!" + e.getMessage();
        }
        status.grant(words);
    }

    /// A file that only the launcher's own descriptor leads to: what has been read needs not be deleted.
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
