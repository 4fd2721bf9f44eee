package org.tutti.launch.watch;

import java.util.BitSet;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.JobText;

/// Checks once per second whether a job is making progress. If no rank has made progress for the time of
/// `--stall`, it prints a page with the pending call of each rank. It requests the end of the job if ranks are
/// certain to wait for each other forever (a deadlock), if ranks wait because collective calls differ, and, with
/// `--stall-abort`, at each stall.
public final class StallMonitor {
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// The number of later snapshots after which a snapshot is discarded. Every second snapshot is retained
    /// twice as long, every fourth snapshot four times as long, and so on.
    private static final int SNAPSHOTS_RETAINED = 5;

    /// The minimum duration of the waits in a deadlock before the deadlock is reported, unless the time of
    /// `--stall` is shorter. Before that, an event that cannot be observed, such as a signal handler or a
    /// finalizer, might end a wait.
    private static final long PROOF_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int MOST_EARLY = 4;

    private final JobStatus status;
    private final long limitNanos;
    private final Consumer<String> say;
    private final JobExamination examination;
    private final boolean abort;
    private final boolean elsewhere;
    private final ProcessMonitor processes;

    /// The time without progress before the next page about a stall. After a page, it is twice the duration of
    /// the stall, so that a program that waits for a slow rank in every iteration does not fill the log.
    private long patienceNanos;

    /// Snapshots by number. A long history is needed for a conclusion if ranks get little CPU time or wait for
    /// large messages.
    private final TreeMap<Long, WaitSnapshot> past = new TreeMap<>();

    private long number;

    private long quietSinceNanos;
    private boolean isReported;

    /// Whether the user could have specified `--stall-abort`; false for a job without Tutti's launcher.
    private boolean hasOptions = true;

    /// The number of times that the page about a stall was postponed, because a rank seemed to be about to
    /// wait.
    private int early;

    public StallMonitor(
            JobStatus status,
            long limitNanos,
            Consumer<String> say,
            JobExamination examination,
            boolean abort,
            boolean elsewhere) {
        this.status = status;
        this.limitNanos = limitNanos;
        this.say = say;
        this.examination = examination;
        this.abort = abort;
        this.elsewhere = elsewhere;
        this.processes = examination.processes();
        this.patienceNanos = limitNanos;
    }

    /// Returns the monitor of a job without the options of Tutti's launcher.
    static StallMonitor withoutLauncher(
            JobStatus status, long limitNanos, Consumer<String> say, JobExamination examination) {
        StallMonitor made = new StallMonitor(status, limitNanos, say, examination, false, false);
        made.hasOptions = false;
        return made;
    }

    /// Discards all snapshots, after ranks were suspended by a debugger.
    public void forget() {
        past.clear();
        isReported = false;
    }

    /// Checks the job; to be called often. Returns null if the job continues. Otherwise the caller must end the
    /// job with the returned message, which is about a deadlock, about collective calls that differ, or, with
    /// `--stall-abort`, about a stall.
    @Nullable
    public String check() throws InterruptedException {
        WaitSnapshot before = past.isEmpty() ? null : past.lastEntry().getValue();
        if (before != null && System.nanoTime() - before.atNanos() < CHECK_NANOS) return null;
        WaitSnapshot now = WaitSnapshot.at(status);
        if (before == null || !now.isAsQuietAs(before)) {
            quietSinceNanos = now.atNanos();
            isReported = false;
            early = 0;
            processes.forget();
        }
        BitSet blocked = findDeadlock(now);
        past.put(++number, now);
        past.keySet().removeIf(old -> number - old >= SNAPSHOTS_RETAINED * Long.lowestOneBit(old));
        if (!blocked.isEmpty()) {
            if (!isReported) report(examination.ask(), false);
            return StallText.deadlock(now, blocked);
        }
        long quiet = now.atNanos() - quietSinceNanos;
        long longest = now.longestNanos();
        if (longest > 0) processes.update();
        if (!isReported && quiet >= patienceNanos && longest >= limitNanos) {
            JobExamination.Findings findings = examination.ask();
            // a wait is published after one second, or later with few cores; a page printed before that would
            // be misleading
            if (findings.areEarly() && ++early < MOST_EARLY) return null;
            if (JobExamination.isForNoRank(findings)) {
                patienceNanos = 2 * Math.max(patienceNanos, quiet); // queries interrupt the ranks
                return null;
            }
            // the job may have progressed during the query or while the launcher printed
            if (!findings.snapshot().isAsQuietAs(now)) return null;
            String mismatch = examination.mismatch();
            report(findings, mismatch == null);
            patienceNanos = 2 * Math.max(patienceNanos, quiet);
            if (mismatch != null && WaitSnapshot.at(status).isAsQuietAs(now)) return "mismatch: " + mismatch;
            if (abort && WaitSnapshot.at(status).isAsQuietAs(now))
                return "stall: " + JobExamination.conclusion(findings) + " (--stall-abort)";
        }
        return null;
    }

    /// Returns the ranks in a deadlock. Returns no ranks if the job uses several machines, because data in the
    /// network cannot be observed.
    private BitSet findDeadlock(WaitSnapshot now) {
        BitSet blocked = new BitSet();
        if (elsewhere) return blocked;
        for (WaitSnapshot before : past.descendingMap().values()) {
            blocked = now.blockedSince(before, Math.min(limitNanos, PROOF_NANOS));
            if (!blocked.isEmpty()) break;
        }
        return blocked;
    }

    /// @param goesOn whether the job continues after this page
    private void report(JobExamination.Findings findings, boolean goesOn) {
        isReported = true;
        early = 0;
        WaitSnapshot now = findings.snapshot();
        String time = JobText.seconds(Math.max(now.longestNanos(), now.atNanos() - quietSinceNanos));
        String conclusion = JobExamination.conclusion(findings);
        say.accept("stall: no rank has made progress for " + time + (conclusion.isEmpty() ? "" : ": " + conclusion)
                + " (--stall):");
        for (String line : examination.page(findings)) say.accept("  " + line);
        String difference = examination.difference();
        if (difference != null) say.accept("  " + difference);
        String unproven = goesOn && !abort ? JobExamination.unproven(findings) : "";
        if (!unproven.isEmpty())
            say.accept("  " + unproven + (hasOptions ? "; --stall-abort ends a job that stalls" : ""));
        say.accept("  " + examination.report("no rank has made progress for " + time, findings));
    }
}
