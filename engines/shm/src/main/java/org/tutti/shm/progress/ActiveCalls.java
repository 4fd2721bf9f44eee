package org.tutti.shm.progress;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.MatchContext;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.CallSignature;
import org.tutti.spi.Fault;

/// This rank's collective calls that are under way, the newest first, and whether what other ranks' messages say of
/// their calls is true of these. Under the progress lock, but for [#haveNews].
final class ActiveCalls {
    private final DeadRanks losses;
    private final JobFailure failure;
    private final Consumer<ShmCollective> detach;
    private @Nullable ShmCollective first;

    /// @param detach takes the messages of a call that has failed out of its memory
    ActiveCalls(DeadRanks losses, JobFailure failure, Consumer<ShmCollective> detach) {
        this.losses = losses;
        this.failure = failure;
        this.detach = detach;
    }

    boolean areSome() {
        return first != null;
    }

    /// Whether [#advance] would go on with one; needs no lock and may be wrong for a moment.
    boolean haveNews() {
        for (ShmCollective c = first; c != null; c = c.next) if (c.hasNews()) return true;
        return false;
    }

    void forEach(Consumer<? super ShmCollective> action) {
        for (ShmCollective c = first; c != null; c = c.next) action.accept(c);
    }

    /// Its messages are matched in `in`.
    void start(ShmCollective c, MatchContext in, @Nullable CollectiveSlots slots) {
        in.begin();
        c.begin(in, slots);
        losses.giveUp(c);
        for (Arrival a = in.first(); a != null; a = a.next()) checkAgainst(c, a);
        if (c.advance()) finish(c);
        else add(c);
    }

    /// Goes on with a call that has begun.
    void add(ShmCollective c) {
        c.next = first;
        first = c;
    }

    /// Ends a call. A message for it that is still here was sent by a rank that called something else: where
    /// two ranks both take themselves for the root, for instance, nobody ever waits for the other's message.
    private void finish(ShmCollective c) {
        if (c.ownFailure() != null) detach.accept(c);
        MatchContext context = c.context;
        Fault problem = null;
        if (context != null) {
            context.finish(c.port(), c.sequence, c.wordA, c.wordB, c.wordC);
            Fault fatal = c.jobFailure();
            if (fatal != null) failure.tell(fatal);
            Arrival a = losses.hasGivenUp(context) ? null : context.first();
            for (; a != null && problem == null; a = a.next()) problem = checkLeftOver(context, a);
        }
        c.settle(problem);
    }

    /// A message that came before its receive, or for which there is none: what it says of its call must
    /// be true of this rank's call of that number. Where ranks disagree about the root, the one that
    /// waits is sent nothing else.
    void checkKept(MatchContext context, Arrival a) {
        if (!a.hasCall) return;
        checkLeftOver(context, a);
        checkAgainstActive(context, a);
    }

    /// A notice may come when this rank has long done its part of that call.
    void checkNotice(MatchContext context, Arrival a) {
        int number = CallSignature.number(a.callC);
        if (!isPast(context, number)) checkAgainstActive(context, a);
        else if (context.remembers(number) && !Mismatches.same(context, a)) checkLeftOver(context, a);
    }

    private void checkAgainstActive(MatchContext context, Arrival a) {
        for (ShmCollective c = first; c != null; c = c.next) if (c.context == context) checkAgainst(c, a);
    }

    private void checkAgainst(ShmCollective c, Arrival a) {
        if (!a.hasCall || CallSignature.number(a.callC) != (int) c.sequence || losses.of(c) != null) return;
        Fault problem = Mismatches.mismatch(c, a);
        if (problem != null) failure.tell(problem);
    }

    private @Nullable Fault checkLeftOver(MatchContext context, Arrival a) {
        if (!a.hasCall || !isPast(context, CallSignature.number(a.callC)) || losses.hasGivenUp(context)) return null;
        Fault problem = Mismatches.leftOver(context, a);
        failure.tell(problem);
        return problem;
    }

    /// Whether this rank has finished its collective call `number` in `context`.
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
            boolean isOver = !c.isOthers() && c.advance();
            moved |= isOver || c.moves() != moves;
            if (isOver) {
                // a call may have been started meanwhile, out of an operation: it lies before this one
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
