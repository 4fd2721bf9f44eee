package org.tutti.shm.progress;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.tutti.shm.match.MatchContext;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Shared;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.type.Moves;

/// The short path of a blocking collective call with operands that fit into the posts, the contents of the
/// slots. If the posts of all ranks arrive within a few polls, one method executes all steps of [FlatCall].
/// Otherwise [FlatCall] continues the call.
///
///     post ──▶ for each other rank: is the post present and of the same call? ──▶ read, combine ──▶ finish
public final class ShortCall {
    private final Progress progress;
    private final Shared memory;
    private final Bells bells;

    public ShortCall(Progress progress, Shared memory, Bells bells) {
        this.progress = progress;
        this.memory = memory;
        this.bells = bells;
    }

    private static boolean suits(Collective c) {
        if (c.inter || c.port().size() > FlatCall.MOST_RANKS) return false;
        return switch (c.kind) {
            case BARRIER -> true;
            case ALLREDUCE -> c.op instanceof PredefinedReduction && isShort(c);
            case BCAST -> isShort(c);
            case ALLGATHER -> c.recv.blocks == null && c.recv.blockBytes(0) <= CollectiveSlots.SHORT;
            default -> false;
        };
    }

    private static boolean isShort(Collective c) {
        return c.send.count * c.send.type.size() <= CollectiveSlots.SHORT;
    }

    /// Starts the call, and usually completes it. Returns false without effect if the general path must start
    /// the call. Needs the lock.
    ///
    /// @param context the context of the call's messages
    /// @param rounds the maximum number of polls per post
    public boolean begin(ShmCollective c, long context, CollectiveSlots slots, int rounds) {
        Progress p = progress;
        if (!suits(c) || p.calls.isNotEmpty() || p.deadRanks.isNotEmpty() || !slots.mayPostNext()) return false;
        MatchContext in = p.matcher.context(context);
        if (in.first() != null) return false;
        CommPort port = c.port();
        int size = port.size(), me = port.rank();
        boolean gathers = c.kind == Kind.ALLGATHER, gives = c.kind != Kind.BCAST || me == c.root;
        long bytes = gathers ? c.recv.blockBytes(0) : c.send.count * c.send.type.size();
        MemorySegment own = c.inPlace || c.kind == Kind.BCAST ? c.recv.memory.segment() : c.send.memory.segment();
        long at = c.inPlace && gathers ? me * bytes : 0;
        if (bytes > 0 && gives) slots.putNext(own, at, bytes);
        if (gathers && !c.inPlace) Moves.copy(own, 0, c.recv.memory.segment(), me * bytes, bytes);
        c.beginShort(in);
        long number = slots.postNext(c.wordA, c.wordB, c.wordC, gives);
        if (gives) ring(port, size, me);
        int next = 0;
        try {
            for (; next < size; next++) {
                if (next == me || c.kind == Kind.BCAST && next != c.root) continue;
                if (!isThere(slots, next, number, rounds)) return goOn(c, slots, number, next);
                if (!slots.isNext(next, number, c.wordA, c.wordB, c.wordC)) {
                    long other = slots.contradiction(next, number);
                    if (other != 0) return fail(c, slots, number, next, other);
                    if (!slots.isCompared(next, number)) return goOn(c, slots, number, next);
                }
                if (bytes > 0 && c.kind != Kind.ALLREDUCE) take(c, slots.operand(next, number, bytes), next, bytes);
            }
            if (bytes > 0 && c.kind == Kind.ALLREDUCE) combine(c, slots, number, size, bytes);
        } catch (RuntimeException e) {
            return goOn(c, slots, number, next); // fails again, and reports the failure
        }
        slots.finish(number);
        if (slots.isWaitedFor(c.kind == Kind.BCAST)) ring(port, size, me);
        in.finish(port, c.sequence, c.wordA, c.wordB, c.wordC);
        c.complete();
        return true;
    }

    private void ring(CommPort port, int size, int me) {
        VarHandle.fullFence();
        for (int r = 0; r < size; r++) if (r != me) bells.ringAfterFence(port.process(r));
    }

    private boolean isThere(CollectiveSlots slots, int rank, long number, int rounds) {
        for (int i = 1; !slots.isThere(rank, number); i++) {
            if (i >= rounds || progress.lock.hasQueuedThreads()) return false;
            Thread.onSpinWait();
        }
        return true;
    }

    private void take(Collective c, long from, int rank, long bytes) {
        memory.take(from, c.recv.memory.segment(), c.kind == Kind.ALLGATHER ? rank * bytes : 0, bytes);
    }

    /// Combines the operands from the last rank to the first, so that all ranks get the same bits.
    private void combine(Collective c, CollectiveSlots slots, long number, int size, long bytes) {
        MemorySegment all = memory.segment(), result = c.recv.memory.segment();
        memory.take(slots.operand(size - 1, number, bytes), result, 0, bytes);
        for (int r = size - 2; r >= 0; r--) {
            c.reduction().apply(c.send.type, all, slots.operand(r, number, bytes), result, 0, c.send.count);
        }
    }

    /// Fails the call because call `other` of rank `rank` differs from this rank's call.
    private boolean fail(ShmCollective c, CollectiveSlots slots, long number, int rank, long other) {
        goOn(c, slots, number, rank);
        c.abandon(Mismatches.contradiction(c.port(), slots, rank, other));
        return true;
    }

    private boolean goOn(ShmCollective c, CollectiveSlots slots, long number, int rank) {
        c.goOn(slots, number, rank);
        progress.calls.add(c);
        return true;
    }
}
