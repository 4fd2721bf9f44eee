package org.tutti.launch.watch;

import java.util.BitSet;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.JobStatus;
import org.tutti.launch.JobText;

/// Looks once a second whether a job still goes on. When it does not, it says what each rank waits for;
/// when ranks are proven to wait for each other for ever, it says so, and the job is to end.
public final class StallMonitor {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// How many looks are kept of each distance: of the last ones each, of older ones every second, fourth,
    /// eighth …
    private static final int LOOKS_KEPT = 5;

    /// A proof needs no patience, but what is not seen here might still end a wait: a signal handler, a
    /// finalizer.
    private static final long PROOF_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int MOST_EARLY = 4;

    private final JobStatus status;
    private final long limitNanos;
    private final Consumer<String> say;
    private final JobExamination examination;
    private final boolean abort;
    private final boolean elsewhere;
    private final ProcessMonitor processes;

    /// How long it must be quiet until that is worth a page: twice as long each time, lest a program that
    /// waits for a slow rank in every round fills its log.
    private long patienceNanos;

    /// Looks by their numbers. Ranks that get little processor time, or that wait for much data, may need many
    /// to be
    /// sure of.
    private final TreeMap<Long, WaitSnapshot> past = new TreeMap<>();

    private long number;

    private long quietSinceNanos;
    private boolean told;

    /// Whether `--stall-abort` could have been given.
    private boolean hasOptions = true;

    /// How often the page was put off because a rank seemed to be about to wait.
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

    /// Of a job that has no options of Tutti's launcher.
    static StallMonitor withoutLauncher(
            JobStatus status, long limitNanos, Consumer<String> say, JobExamination examination) {
        StallMonitor made = new StallMonitor(status, limitNanos, say, examination, false, false);
        made.hasOptions = false;
        return made;
    }

    /// What has been seen so far does not count: ranks stood in a debugger.
    public void forget() {
        past.clear();
        told = false;
    }

    /// To be called often. Returns the deadlock in words, once it is proven, or the stall, if it shall
    /// end the job.
    @Nullable
    public String look() throws InterruptedException {
        WaitSnapshot before = past.isEmpty() ? null : past.lastEntry().getValue();
        if (before != null && System.nanoTime() - before.atNanos() < LOOK_NANOS) return null;
        WaitSnapshot now = WaitSnapshot.at(status);
        if (before == null || !now.isAsQuietAs(before)) {
            quietSinceNanos = now.atNanos();
            told = false;
            processes.forget();
        }
        BitSet blocked = blockedForEver(now);
        past.put(++number, now);
        past.keySet().removeIf(old -> number - old >= LOOKS_KEPT * Long.lowestOneBit(old));
        if (!blocked.isEmpty()) {
            if (!told) tell(examination.ask(), false);
            return StallText.deadlock(now, blocked);
        }
        long quiet = now.atNanos() - quietSinceNanos;
        long longest = now.longestNanos();
        if (longest > 0) processes.look();
        if (!told && quiet >= patienceNanos && longest >= limitNanos) {
            JobExamination.Findings findings = examination.ask();
            // a wait is told after a second, and later where cores are few: a page without it would mislead
            if (findings.areEarly() && ++early < MOST_EARLY) return null;
            if (JobExamination.isForNoRank(findings)) {
                patienceNanos = 2 * Math.max(patienceNanos, quiet); // to ask costs the ranks some time
                return null;
            }
            // to ask took time, in which the job may have gone on, and so does to tell
            if (!findings.look().isAsQuietAs(now)) return null;
            String mismatch = examination.mismatch();
            tell(findings, mismatch == null);
            patienceNanos = 2 * Math.max(patienceNanos, quiet);
            if (mismatch != null && WaitSnapshot.at(status).isAsQuietAs(now)) return "mismatch: " + mismatch;
            if (abort && WaitSnapshot.at(status).isAsQuietAs(now))
                return "stall: " + JobExamination.conclusion(findings) + " (--stall-abort)";
        }
        return null;
    }

    /// Never of ranks on several machines: what a network still carries is not seen.
    private BitSet blockedForEver(WaitSnapshot now) {
        BitSet blocked = new BitSet();
        if (elsewhere) return blocked;
        for (WaitSnapshot before : past.descendingMap().values()) {
            blocked = now.blockedSince(before, Math.min(limitNanos, PROOF_NANOS));
            if (!blocked.isEmpty()) break;
        }
        return blocked;
    }

    /// @param goesOn whether the job goes on after this page
    private void tell(JobExamination.Findings findings, boolean goesOn) {
        told = true;
        early = 0;
        WaitSnapshot now = findings.look();
        String time = JobText.seconds(Math.max(now.longestNanos(), now.atNanos() - quietSinceNanos));
        String conclusion = JobExamination.conclusion(findings);
        say.accept("stall: no rank has got on for " + time + (conclusion.isEmpty() ? "" : ": " + conclusion)
                + " (--stall):");
        for (String line : examination.page(findings)) say.accept("  " + line);
        String difference = examination.difference();
        if (difference != null) say.accept("  " + difference);
        String unproven = goesOn && !abort ? JobExamination.unproven(findings) : "";
        if (!unproven.isEmpty())
            say.accept("  " + unproven + (hasOptions ? "; --stall-abort ends a job that stalls" : ""));
        say.accept("  " + examination.report("no rank has got on for " + time, findings));
    }
}
