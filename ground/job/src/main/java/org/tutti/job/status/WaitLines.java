package org.tutti.job.status;

import java.util.Base64;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Tells waits by lines on stderr, to a launcher on another machine: when they change, and every few
/// seconds whether the rank goes on, or what it does while it neither waits nor calls. With what the rank
/// waits for or does go its last operations, unless the launcher has them already.
public final class WaitLines implements WaitReporter {
    /// Pulses come once a second.
    private static final int EACH = 4;

    private final int rank;
    private final Supplier<String> stacks;

    /// Null while nothing records them.
    private volatile @Nullable FlightRing operations;

    private List<BlockedCall> told = List.of();
    private long toldOthers;
    private long toldMoves = -1;
    private int pulses;

    /// The last pulse, and the one with which the operations were told.
    private volatile long lastMoves = -1;

    private long operationsMoves = -1;

    /// @param stacks what the rank does
    public WaitLines(int rank, Supplier<String> stacks) {
        this.rank = rank;
        this.stacks = stacks;
    }

    /// What this ring has noted is told, too, from now on.
    public void record(FlightRing ring) {
        operations = ring;
    }

    @Override
    public void pulse(long moves) {
        lastMoves = moves;
        if (++pulses % EACH != 0) return;
        if (moves != toldMoves) {
            ReportLine.does(rank, moves, "");
        } else {
            if (told.isEmpty()) ReportLine.does(rank, moves, stacks.get());
            if (operationsMoves != moves) tellNew();
        }
        toldMoves = moves;
    }

    @Override
    public void write(long moves, long others, List<BlockedCall> waits) {
        List<BlockedCall> now = waits.stream().map(BlockedCall::withoutLooks).toList();
        if (now.equals(told) && others == toldOthers) return;
        told = now;
        toldOthers = others;
        byte[] page = WaitPage.bytes(moves, others, waits);
        ReportLine.waits(rank, System.nanoTime(), Base64.getEncoder().encodeToString(page));
        if (!waits.isEmpty() && operationsMoves != lastMoves) tellNew();
    }

    private void tellNew() {
        operationsMoves = lastMoves;
        tellOperations();
    }

    /// By any thread: when the rank ends, the one that tells waits may stand in a write.
    public void tellOperations() {
        FlightRing ring = operations;
        if (ring == null) return;
        byte[] excerpt = FlightExcerpt.bytes(ring, lastMoves);
        ReportLine.calls(rank, System.nanoTime(), Base64.getEncoder().encodeToString(excerpt));
    }
}
