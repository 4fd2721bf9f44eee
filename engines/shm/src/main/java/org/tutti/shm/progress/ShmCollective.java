package org.tutti.shm.progress;

import org.jspecify.annotations.Nullable;
import org.tutti.coll.ScheduleRunner;
import org.tutti.shm.match.MatchContext;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Shared;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.CallSignature;
import org.tutti.spi.Collective;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;

/// A collective call, which goes on whenever this rank makes progress: in the communicator's slots where
/// it is short, else as a schedule of messages.
public final class ShmCollective extends Collective {
    private final ScheduleRunner runner;
    private final FlatCall flat;

    /// Whether [#flat] does it.
    private boolean isFlat;

    /// Stands for the post of another rank that is waited for.
    private final ShmTransfer awaited = new ShmTransfer();

    /// The next in the list of active ones.
    @Nullable
    ShmCollective next;

    /// What its messages carry; see [CallSignature].
    long wordA;

    long wordB;
    long wordC;

    /// The only thread that may go on with it, as its memory is of a confined arena; null where any may.
    private @Nullable Thread owner;

    /// Where its messages are matched.
    @Nullable
    MatchContext context;

    public ShmCollective(Engine engine, Shared memory, Bells bells) {
        runner = new ScheduleRunner(engine);
        flat = new FlatCall(memory, bells, this);
    }

    /// Begins it. `in` is where its messages, if it has any, are matched; `slots` is null where there is
    /// none.
    void begin(MatchContext in, @Nullable CollectiveSlots slots) {
        context = in;
        wordA = CallSignature.a(this);
        wordB = CallSignature.b(this);
        wordC = CallSignature.c(this, sequence);
        isFlat = slots != null && FlatCall.suits(this);
        if (slots != null && isFlat) flat.begin(slots);
        else runner.begin(this);
    }

    /// The short path begins it, with messages in `in`.
    void beginShort(MatchContext in) {
        in.begin();
        begin();
        owner = null;
        context = in;
        describe();
        wordA = wordA();
        wordB = wordB();
        wordC = wordC() | sequence << 32;
    }

    /// The short path leaves it: it is posted as `number`, and the post of `rank` is the next to be looked at.
    void goOn(CollectiveSlots slots, long number, int rank) {
        isFlat = true;
        flat.goOn(slots, number, rank);
    }

    /// Only `thread` may go on with it; null for any.
    public void owner(@Nullable Thread thread) {
        owner = thread;
    }

    /// Whether only one thread may go on with it.
    public boolean isOwned() {
        return owner != null;
    }

    /// Whether the calling thread may not go on with it. Needs no lock.
    public boolean isOthers() {
        Thread o = owner;
        return o != null && o != Thread.currentThread();
    }

    /// From now on its messages say that they are of `other`, which may end meanwhile.
    public void describeAs(ShmCollective other) {
        wordA = other.wordA;
        wordB = other.wordB;
        wordC = other.wordC;
    }

    /// A message that it waits for, or what stands for another rank's post; null when there is none.
    /// Under the lock.
    public @Nullable Transfer waitingFor() {
        if (!isFlat) return runner.waitingFor();
        int rank = flat.waitsFor();
        if (rank < 0) return null;
        awaited.fill(operation, port(), Transfer.Kind.RECV, rank, 0, send.type)
                .within(Transfer.Lane.COLLECTIVE, rank, this);
        awaited.begin();
        return awaited;
    }

    /// Whether it would go on without a message. Needs no lock, and may be wrong for a moment.
    public boolean hasNews() {
        return isFlat && !isOthers() && flat.hasNews();
    }

    /// Before a sleep.
    void announceWait() {
        if (isFlat) flat.announceWait();
    }

    /// It cannot come to its end: a rank of its communicator has died.
    void giveUp(Fault why) {
        if (isFlat) flat.giveUp(why);
        else runner.giveUp(why);
    }

    /// Goes on; true when it has ended. It is not said to be done yet: see [#settle].
    boolean advance() {
        return isFlat ? flat.advance() : runner.advance();
    }

    /// Changes whenever it goes on without ending, by something that is no message.
    long moves() {
        return isFlat ? flat.moves() : 0;
    }

    /// Why it failed, once it has ended; null when it did not.
    @Nullable
    Throwable ownFailure() {
        return isFlat ? flat.failure() : runner.failure();
    }

    /// How it failed, where that ends the job: ranks differ, or others wait for what never comes; else null.
    @Nullable
    Fault jobFailure() {
        Throwable own = ownFailure();
        if (own == null || own instanceof Fault f && DeadRanks.isOfMessage(f)) return null;
        boolean isMissing = isFlat && flat.isMissing();
        if (own instanceof Fault e) {
            return isMissing || e.errorClass() == PredefinedErrorClass.ERR_MISMATCH ? e : null;
        }
        return isMissing
                ? Fault.job(
                        PredefinedErrorClass.ERR_OTHER,
                        operation,
                        "it has failed while the other ranks wait for it: " + text(MessageErrors.ofMemory(this, own)),
                        port())
                : null;
    }

    /// Says that it is done. `problem` is what was found wrong with it otherwise.
    void settle(@Nullable Throwable problem) {
        Throwable own = ownFailure();
        Throwable why = own == null ? problem : own;
        if (why == null) complete();
        else fail(MessageErrors.ofMemory(this, why));
    }

    private static String text(Throwable why) {
        return why instanceof Fault ? String.valueOf(why.getMessage()) : why.toString();
    }
}
