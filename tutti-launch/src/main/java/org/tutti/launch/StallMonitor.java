package org.tutti.launch;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.bootstrap.JobBoard;

/// Looks once a second whether a job still goes on. When it does not, it says what each rank waits for;
/// when ranks are proven to wait for each other for ever, it says so, and the job is to end.
final class StallMonitor {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int LOOKS_KEPT = 5;

    private final JobBoard board;
    private final long limitNanos;
    private final Consumer<String> say;
    private final ProcessLook processes;

    /// How long it must be quiet until that is worth a page: twice as long each time, lest a program that
    /// waits for a slow rank in every round fills its log.
    private long patienceNanos;

    /// The last looks, the latest first. Ranks that get little processor time may need more than one to
    /// be sure of.
    private final ArrayDeque<JobLook> past = new ArrayDeque<>();

    private long quietSinceNanos;
    private boolean told;

    StallMonitor(JobBoard board, long limitNanos, Consumer<String> say) {
        this.board = board;
        this.limitNanos = limitNanos;
        this.say = say;
        this.processes = new ProcessLook(board);
        this.patienceNanos = limitNanos;
    }

    /// To be called often. Returns the deadlock in words, once it is proven.
    @Nullable
    String look() {
        JobLook before = past.peekFirst();
        if (before != null && System.nanoTime() - before.atNanos() < LOOK_NANOS) return null;
        JobLook now = JobLook.at(board);
        if (before == null || !now.isAsQuietAs(before)) {
            quietSinceNanos = now.atNanos();
            told = false;
            processes.forget();
        }
        BitSet blocked = blockedForEver(now);
        past.addFirst(now);
        if (past.size() > LOOKS_KEPT) past.removeLast();
        if (!blocked.isEmpty()) {
            if (!told) tell(now);
            return StallWords.deadlock(now, blocked);
        }
        long quiet = now.atNanos() - quietSinceNanos;
        long longest = now.longestNanos();
        if (longest > 0) processes.look();
        if (!told && quiet >= patienceNanos && longest >= limitNanos) {
            tell(now);
            patienceNanos = 2 * Math.max(patienceNanos, quiet);
        }
        return null;
    }

    /// What ranks wait for now, if any of them has waited for long: a line for each.
    List<String> waits() {
        JobLook now = JobLook.at(board);
        return now.longestNanos() > 0 ? StallWords.page(now, processes) : List.of();
    }

    private BitSet blockedForEver(JobLook now) {
        BitSet blocked = new BitSet();
        for (JobLook before : past) {
            blocked = now.blockedSince(before, limitNanos);
            if (!blocked.isEmpty()) break;
        }
        return blocked;
    }

    private void tell(JobLook now) {
        told = true;
        say.accept("stall: no rank has got on for "
                + Words.seconds(Math.max(now.longestNanos(), now.atNanos() - quietSinceNanos))
                + "; what they wait for (--stall):");
        for (String line : StallWords.page(now, processes)) say.accept("  " + line);
    }
}
