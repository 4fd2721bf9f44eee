package org.tutti.junit;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/// The failures of the ranks in one run, and the resulting outcome of the test.
final class RankFailures {
    /// Time that a failed rank waits for failures of other ranks before it ends the job.
    static final long GRACE_MILLIS = 1000;

    private final int size;
    private final Map<Integer, Throwable> byRank = new TreeMap<>();
    private int ended;

    /// Whether the job is being ended; later failures may be consequences of the end.
    private boolean closed;

    RankFailures(int size) {
        this.size = size;
    }

    /// Creates the failures of a completed run.
    RankFailures(int size, Map<Integer, ? extends Throwable> byRank) {
        this(size);
        this.byRank.putAll(byRank);
    }

    /// Records that a rank has passed.
    synchronized void passed() {
        ended++;
        notifyAll();
    }

    /// Records that a rank has failed. Returns when the other ranks have ended, or after the grace time.
    synchronized void failed(int rank, Throwable why) {
        ended++;
        notifyAll();
        if (closed) return;
        byRank.put(rank, why);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS);
        try {
            while (ended < size && !closed) {
                long left = deadline - System.nanoTime();
                if (left <= 0) break;
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the job is being ended from outside
        }
        closed = true;
        notifyAll();
    }

    /// Throws the failure of the test; or the exception that aborts the test, if no rank failed and an assumption
    /// did not hold; or `end`, if no rank has reported an exception. Never returns.
    ///
    /// @param end how the job ended
    synchronized RuntimeException verdict(Throwable end) {
        if (byRank.isEmpty()) throw unchecked(end);
        if (byRank.values().stream().allMatch(TestAbortedException.class::isInstance)) {
            throw unchecked(byRank.values().iterator().next());
        }
        byRank.values().removeIf(TestAbortedException.class::isInstance);
        StringBuilder text = new StringBuilder();
        if (size > 1) text.append(byRank.size()).append(" of ").append(size);
        text.append(size > 1 ? " ranks failed:" : "the only rank failed:");
        byRank.forEach((rank, why) -> text.append("\n  rank ")
                .append(rank)
                .append(": ")
                .append(why)
                .append(TestLine.of(why.getStackTrace())));
        Throwable first = byRank.values().iterator().next();
        AssertionFailedError verdict = new AssertionFailedError(text.toString(), first);
        verdict.setStackTrace(first.getStackTrace());
        byRank.values().stream().skip(1).forEach(verdict::addSuppressed);
        if (!byRank.containsValue(end)) verdict.addSuppressed(end);
        throw verdict;
    }

    private static RuntimeException unchecked(@Nullable Throwable t) {
        return switch (t) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            case null, default -> new IllegalStateException(t);
        };
    }
}
