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

/// A collective call, which this rank's progress advances: in the communicator's slots if the call is short,
/// otherwise as a schedule of messages.
public final class ShmCollective extends Collective {
    private final ScheduleRunner runner;
    private final FlatCall flat;

    /// Whether [#flat] executes the call.
    private boolean isFlat;

    /// The result of [#waitingFor] while the call waits for a post of a rank, or until a rank has finished an
    /// earlier call.
    private final ShmTransfer awaited = new ShmTransfer();

    /// The next active call in the list.
    @Nullable
    ShmCollective next;

    /// The signature in the call's messages; see [CallSignature].
    long wordA;

    long wordB;
    long wordC;

    /// The only thread that may advance the call, if the memory is confined; null if any thread may.
    private @Nullable Thread owner;

    /// The context in which the messages are matched.
    @Nullable
    MatchContext context;

    public ShmCollective(Engine engine, Shared memory, Bells bells) {
        runner = new ScheduleRunner(engine);
        flat = new FlatCall(memory, bells, this);
    }

    /// Starts the call. Messages are matched in `in`; `slots` is null if the communicator has none.
    void begin(MatchContext in, @Nullable CollectiveSlots slots) {
        context = in;
        wordA = CallSignature.a(this);
        wordB = CallSignature.b(this);
        wordC = CallSignature.c(this, sequence);
        isFlat = slots != null && FlatCall.suits(this);
        if (slots != null && isFlat) flat.begin(slots);
        else runner.begin(this);
    }

    /// Starts the call on the short path, with messages in `in`.
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

    /// Continues after the short path, which has posted the call as call `number`. The post of rank `rank` is
    /// read next.
    void goOn(CollectiveSlots slots, long number, int rank) {
        isFlat = true;
        flat.goOn(slots, number, rank);
    }

    /// Restricts the call to `thread`; null permits any thread.
    public void owner(@Nullable Thread thread) {
        owner = thread;
    }

    /// Returns whether only one thread may advance the call.
    public boolean isOwned() {
        return owner != null;
    }

    /// Returns whether the calling thread must not advance the call. Needs no lock.
    public boolean isOwnedByOther() {
        Thread o = owner;
        return o != null && o != Thread.currentThread();
    }

    /// Uses the signature of `other` in all further messages. `other` may end before this call.
    public void describeAs(ShmCollective other) {
        wordA = other.wordA;
        wordB = other.wordB;
        wordC = other.wordC;
    }

    /// Returns the message for which the call waits. If the call waits for a post of a rank, or until a rank
    /// has finished an earlier call, returns a placeholder, with that rank as the source. Returns null if the
    /// call does not wait. Called under the lock.
    public @Nullable Transfer waitingFor() {
        if (!isFlat) return runner.waitingFor();
        int rank = flat.waitsFor();
        if (rank < 0) return null;
        awaited.fill(operation, port(), Transfer.Kind.RECV, rank, 0, send.type)
                .within(Transfer.Lane.COLLECTIVE, rank, this);
        awaited.begin();
        return awaited;
    }

    /// Returns whether the call would make progress without a message. Needs no lock; the result can be
    /// outdated.
    public boolean hasPending() {
        return isFlat && !isOwnedByOther() && flat.hasPending();
    }

    /// Called before a sleep: requests a wake-up.
    void announceWait() {
        if (isFlat) flat.announceWait();
    }

    /// Fails the call because a rank of the communicator has died.
    void abandon(Fault why) {
        if (isFlat) flat.abandon(why);
        else runner.abandon(why);
    }

    /// Advances the call. Returns true if the call has ended; [#settle] then completes it.
    boolean advance() {
        return isFlat ? flat.advance() : runner.advance();
    }

    /// Returns a number that changes whenever the call advances without a message and without ending.
    long moves() {
        return isFlat ? flat.moves() : 0;
    }

    /// After the call has ended, returns the reason why it failed; null if it succeeded.
    @Nullable
    Throwable ownFailure() {
        return isFlat ? flat.failure() : runner.failure();
    }

    /// Returns the failure with which the whole job must end, because the ranks' calls differ or because other
    /// ranks wait for data that the failed call has not published; otherwise null.
    @Nullable
    Fault jobFailure() {
        Throwable own = ownFailure();
        if (own == null || own instanceof Fault f && DeadRanks.isOfMessage(f)) return null;
        boolean isMissing = isFlat && flat.isMissing();
        if (own instanceof Fault e) {
            return isMissing || e.errorClass() == PredefinedErrorClass.ERR_MISMATCH ? e : null;
        }
        if (!isMissing) return null;
        return MessageErrors.ofMemory(this, own) instanceof Fault
                ? Fault.job(
                        PredefinedErrorClass.ERR_BUFFER,
                        operation,
                        MessageErrors.detail(own) + "; the other ranks wait for this rank",
                        port())
                : Fault.job(
                        PredefinedErrorClass.ERR_OTHER,
                        operation,
                        "the call failed while other ranks wait for this rank: " + own,
                        port());
    }

    /// Completes the call. `problem` is a failure that was detected outside of the call.
    void settle(@Nullable Throwable problem) {
        Throwable own = ownFailure();
        Throwable why = own == null ? problem : own;
        if (why == null) complete();
        else fail(why);
    }
}
