package org.tutti.shm.progress;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.MatchContext;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.CallSignature;
import org.tutti.spi.Fault;

/// This rank's active collective calls, newest first, which are compared with the calls described in other
/// ranks' messages. All methods except [#hasPending] are called under the progress lock.
final class ActiveCalls {
    private final DeadRanks deadRanks;
    private final JobFailure failure;
    private final Consumer<ShmCollective> detach;
    private @Nullable ShmCollective first;

    /// @param detach copies the pending messages of a failed call, so that the messages can complete without
    /// the call's memory
    ActiveCalls(DeadRanks deadRanks, JobFailure failure, Consumer<ShmCollective> detach) {
        this.deadRanks = deadRanks;
        this.failure = failure;
        this.detach = detach;
    }

    boolean isNotEmpty() {
        return first != null;
    }

    /// Returns whether [#advance] would make progress. Needs no lock; the result can be outdated.
    boolean hasPending() {
        for (ShmCollective c = first; c != null; c = c.next) if (c.hasPending()) return true;
        return false;
    }

    void forEach(Consumer<? super ShmCollective> action) {
        for (ShmCollective c = first; c != null; c = c.next) action.accept(c);
    }

    /// Starts a call. The call's messages are matched in `in`.
    void start(ShmCollective c, MatchContext in, @Nullable CollectiveSlots slots) {
        in.begin();
        c.begin(in, slots);
        deadRanks.abandon(c);
        for (Arrival a = in.first(); a != null; a = a.next()) checkAgainst(c, a);
        if (c.advance()) finish(c);
        else add(c);
    }

    /// Adds a started call.
    void add(ShmCollective c) {
        c.next = first;
        first = c;
    }

    /// Completes a call. If a message for this call was not received, the sender is in a different call. For
    /// example, if two ranks act as root, neither receives the other's message.
    private void finish(ShmCollective c) {
        if (c.ownFailure() != null) detach.accept(c);
        MatchContext context = c.context;
        Fault problem = null;
        if (context != null) {
            context.finish(c.port(), c.sequence, c.wordA, c.wordB, c.wordC);
            Fault fatal = c.jobFailure();
            if (fatal != null) failure.report(fatal);
            Arrival a = deadRanks.hasAbandoned(context) ? null : context.first();
            for (; a != null && problem == null; a = a.next()) problem = checkLeftOver(context, a);
        }
        c.settle(problem);
    }

    /// Checks a message without a matching receive: the message's call signature must equal the signature of
    /// this rank's call with the same number. If ranks disagree about the root, this may be the only message
    /// that a waiting rank gets.
    void checkKept(MatchContext context, Arrival a) {
        if (!a.hasCall) return;
        checkLeftOver(context, a);
        checkAgainstActive(context, a);
    }

    /// Checks a notice, which may arrive long after this rank has finished the call.
    void checkNotice(MatchContext context, Arrival a) {
        int number = CallSignature.number(a.callC);
        if (!isPast(context, number)) checkAgainstActive(context, a);
        else if (context.remembers(number) && !Mismatches.same(context, a)) checkLeftOver(context, a);
    }

    private void checkAgainstActive(MatchContext context, Arrival a) {
        for (ShmCollective c = first; c != null; c = c.next) if (c.context == context) checkAgainst(c, a);
    }

    private void checkAgainst(ShmCollective c, Arrival a) {
        if (!a.hasCall || CallSignature.number(a.callC) != (int) c.sequence || deadRanks.of(c) != null) return;
        Fault problem = Mismatches.mismatch(c, a);
        if (problem != null) failure.report(problem);
    }

    private @Nullable Fault checkLeftOver(MatchContext context, Arrival a) {
        if (!a.hasCall || !isPast(context, CallSignature.number(a.callC)) || deadRanks.hasAbandoned(context))
            return null;
        Fault problem = Mismatches.leftOver(context, a);
        failure.report(problem);
        return problem;
    }

    /// Returns whether this rank has finished collective call `number` in `context`.
    private boolean isPast(MatchContext context, int number) {
        if (!context.isReached(number)) return false;
        for (ShmCollective c = first; c != null; c = c.next) {
            if (c.context == context && (int) c.sequence == number) return false;
        }
        return true;
    }

    boolean advance() {
        boolean moved = false;
        for (ShmCollective c = first; c != null; ) {
            ShmCollective after = c.next;
            long moves = c.moves();
            boolean isOver = !c.isOwnedByOther() && c.advance();
            moved |= isOver || c.moves() != moves;
            if (isOver) {
                // a reduction operation of the program may have started a call, which then precedes this call
                // in the list
                ShmCollective before = predecessor(c);
                if (before == null) first = after;
                else before.next = after;
                finish(c);
            }
            c = after;
        }
        return moved;
    }

    private @Nullable ShmCollective predecessor(ShmCollective c) {
        ShmCollective before = null;
        for (ShmCollective x = first; x != null && x != c; x = x.next) before = x;
        return before;
    }
}
