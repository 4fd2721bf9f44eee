package org.tutti.job;

import java.util.Base64;
import java.util.List;
import java.util.function.Supplier;

/// Tells waits by lines on stderr, to a launcher on another machine: when they change, and every few
/// seconds whether the rank goes on, or what it does while it neither waits nor calls.
final class WaitLines implements WaitTeller {
    /// Pulses come once a second.
    private static final int EACH = 4;

    private final int rank;
    private final Supplier<String> stacks;
    private List<BlockedCall> told = List.of();
    private long toldOthers;
    private long toldMoves = -1;
    private int pulses;

    /// @param stacks what the rank does
    WaitLines(int rank, Supplier<String> stacks) {
        this.rank = rank;
        this.stacks = stacks;
    }

    @Override
    public void pulse(long moves) {
        if (++pulses % EACH != 0) return;
        if (moves != toldMoves) ReportLine.does(rank, moves, "");
        else if (told.isEmpty()) ReportLine.does(rank, moves, stacks.get());
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
    }
}
