package org.tutti.job.status;

import java.util.Base64;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reports waits by lines on stderr, to a launcher on a different machine. Each change of the waits is
/// reported. Every four seconds, a line reports the number of moves (messages or calls) if the number has
/// changed; if it has not changed and no thread waits, a line reports the current activity of the rank. The
/// last operations are sent together with waits or activity, unless the launcher has already received these
/// operations.
public final class WaitLines implements WaitReporter {
    /// The number of pulses per report. Pulses occur once per second.
    private static final int EACH = 4;

    private final int rank;
    private final Supplier<String> stacks;

    /// The recorder; null while no operations are recorded.
    private volatile @Nullable FlightRing operations;

    private List<BlockedCall> sentWaits = List.of();
    private long sentOtherThreads;
    private long sentMoves = -1;
    private int pulses;

    /// The number of moves, which are messages or calls, at the last pulse. The next field is the number of
    /// moves at the last report of operations.
    private volatile long lastMoves = -1;

    private long operationsMoves = -1;

    /// Creates the reporter of a rank. `stacks` returns the rank's state.
    public WaitLines(int rank, Supplier<String> stacks) {
        this.rank = rank;
        this.stacks = stacks;
    }

    /// From now on, reports the operations in this recorder, too.
    public void record(FlightRing ring) {
        operations = ring;
    }

    @Override
    public void pulse(long moves) {
        lastMoves = moves;
        if (++pulses % EACH != 0) return;
        if (moves != sentMoves) {
            ReportLine.does(rank, moves, "");
        } else {
            if (sentWaits.isEmpty()) ReportLine.does(rank, moves, stacks.get());
            if (operationsMoves != moves) sendNew();
        }
        sentMoves = moves;
    }

    @Override
    public void write(long moves, long otherThreads, List<BlockedCall> waits) {
        List<BlockedCall> now = waits.stream().map(BlockedCall::withoutPolls).toList();
        if (now.equals(sentWaits) && otherThreads == sentOtherThreads) return;
        sentWaits = now;
        sentOtherThreads = otherThreads;
        byte[] page = WaitPage.bytes(moves, otherThreads, waits);
        ReportLine.waits(rank, System.nanoTime(), Base64.getEncoder().encodeToString(page));
        if (!waits.isEmpty() && operationsMoves != lastMoves) sendNew();
    }

    private void sendNew() {
        operationsMoves = lastMoves;
        sendOperations();
    }

    /// Sends the operations. May be called by any thread, because the thread that reports waits may be blocked
    /// in a write when the rank ends.
    public void sendOperations() {
        FlightRing ring = operations;
        if (ring == null) return;
        byte[] excerpt = FlightExcerpt.bytes(ring, lastMoves);
        ReportLine.calls(rank, System.nanoTime(), Base64.getEncoder().encodeToString(excerpt));
    }
}
