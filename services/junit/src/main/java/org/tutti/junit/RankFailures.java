package org.tutti.junit;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/// What failed on which rank of one run, and what follows for the test.
final class RankFailures {
    /// How long a failed rank waits for the others to fail by themselves before it ends the job.
    static final long GRACE_MILLIS = 1000;

    private final int size;
    private final Map<Integer, Throwable> byRank = new TreeMap<>();
    private int ended;

    /// The job is being ended: what fails from now on may fail because of that.
    private boolean closed;

    RankFailures(int size) {
        this.size = size;
    }

    /// Of a run that is over.
    RankFailures(int size, Map<Integer, ? extends Throwable> byRank) {
        this(size);
        this.byRank.putAll(byRank);
    }

    /// A rank has passed.
    synchronized void passed() {
        ended++;
        notifyAll();
    }

    /// A rank has failed. Returns once the others have ended, or had the time to.
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

    /// The test's failure; or what aborts it where no rank failed, and an assumption did not hold on one.
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
