package org.tutti.shm.progress;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.channel.RecordDescriptor;
import org.tutti.shm.channel.RingConsumer;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.MatchContext;
import org.tutti.shm.match.Matcher;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Extents;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.shm.slots.SlotAreas;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.Transfer;

/// Message passing of a rank: rings, queues and collective calls, under one lock.
public final class Progress {
    /// The tag of a notice: a message that only describes the collective call of a waiting rank. A notice is
    /// compared with this rank's calls, and is not received.
    public static final int NOTICE_TAG = -7;

    /// Maximum number of records taken from one ring before the next ring is polled.
    private static final int BATCH = 64;

    /// A mask of the number of successful polls: every 16th successful poll visits all rings, so that no ring
    /// starves.
    static final int ALL_MASK = 15;

    final ReentrantLock lock;
    private final Segment segment;
    private final Extents extents;
    private final Shared memory;
    private final Bells bells;
    private final int me;
    private final JobFailure failure;
    final Matcher matcher = new Matcher();
    private final SlotAreas slotAreas;
    private final SlotTable offers = new SlotTable();
    private final Delivery delivery;
    public final DeadRanks deadRanks;
    final ActiveCalls calls;

    @Nullable
    Outbox[] outboxes;

    /// The consumers of [#rings]; the index is the sender's process number.
    @Nullable
    RingConsumer[] consumers;

    /// The senders of rings that were freed.
    private final BitSet abandoned = new BitSet();

    /// The number of bytes of stored messages from this rank to itself.
    private long keptOfMine;

    /// The rings towards this rank. Copy-on-write, because the array is read without the lock.
    private volatile RingConsumer[] rings = new RingConsumer[0];

    private volatile long ringsSeen;
    int waitingOutboxes;
    long moves;
    private Arrival current;

    public Progress(Segment segment, Extents extents, Bells bells, int me, JobFailure failure, ReentrantLock lock) {
        this.extents = extents;
        this.lock = lock;
        this.segment = segment;
        this.memory = segment.memory();
        this.bells = bells;
        this.me = me;
        this.failure = failure;
        slotAreas = new SlotAreas(segment);
        outboxes = new @Nullable Outbox[me + 1];
        consumers = new @Nullable RingConsumer[me + 1];
        delivery = new Delivery(memory.segment(), this::outbox);
        deadRanks = new DeadRanks(matcher, offers, delivery, failure);
        calls = new ActiveCalls(deadRanks, failure, this::detach);
        current = matcher.take();
    }

    public ReentrantLock lock() {
        return lock;
    }

    /// Returns the rank's slots. Used under the lock.
    public SlotAreas slotAreas() {
        return slotAreas;
    }

    // ---- starting, under the lock

    /// Starts a send to a process. Returns whether to wake this process.
    public boolean send(ShmTransfer t, int process) {
        if (process == me) {
            sendToMyself(t);
            return true;
        }
        Outbox box = outbox(process);
        boolean wasEmpty = box.isEmpty();
        boolean visible = box.send(t);
        if (wasEmpty && !box.isEmpty()) waitingOutboxes++;
        return visible;
    }

    private Outbox outbox(int process) {
        if (process >= outboxes.length) outboxes = Arrays.copyOf(outboxes, grown(outboxes.length, process));
        Outbox box = outboxes[process];
        if (box == null) {
            if (segment.hasSpawned()) abandonRings();
            box = new Outbox(segment, me, process, offers, failure);
            outboxes[process] = box;
            RankDeath death = deadRanks.of(process);
            if (death != null) box.discard(death);
        }
        return box;
    }

    /// Frees the memory of rings from and to processes that have left, because a job may spawn processes for
    /// days. Called under the lock.
    public void abandonRings() {
        List<RingConsumer> kept = new ArrayList<>();
        for (RingConsumer r : rings) {
            // the order of the two checks matters: if the ring is empty after the process has left, no record
            // can follow
            if (segment.hasLeft(r.sender()) && r.peek() == 0) {
                takeLastAnswers(r.takeLastAnswers());
                r.publish(); // the sender may still read the position
                extents.abandon(r.data());
                abandoned.set(r.sender());
            } else {
                kept.add(r);
            }
        }
        if (kept.size() < rings.length) rings = kept.toArray(RingConsumer[]::new);
        for (Outbox box : outboxes) if (box != null && segment.hasLeft(box.destination())) box.abandon(extents);
    }

    private static int grown(int length, int process) {
        return Math.max(process + 1, 2 * length);
    }

    private void sendToMyself(ShmTransfer t) {
        Arrival a = matcher.take();
        a.kind = Arrival.Kind.SELF;
        a.sender = me;
        a.source = t.port().rank();
        a.tag = t.tag;
        a.typeCode = t.type.code();
        a.signature = t.type.isMixed() ? t.type.signatureHash(t.lengthBytes) : 0;
        a.length = t.lengthBytes;
        a.send = t;
        a.hasCall = t.call instanceof ShmCollective;
        if (t.call instanceof ShmCollective c) {
            a.callA = c.wordA;
            a.callB = c.wordB;
            a.callC = c.wordC;
        }
        MatchContext context = matcher.context(t.context);
        ShmTransfer receive = context.takePosted(a.source, a.tag);
        if (receive == null && deadRanks.refusesMessages(context)) {
            refuse(a);
            matcher.giveBack(a);
        } else if (receive == null) {
            delivery.keepSelf(a, segment.mostUnreceived() - keptOfMine);
            keptOfMine += a.charge;
            context.keep(a);
        } else {
            deliver(receive, a, memory.segment(), 0);
            matcher.giveBack(a);
        }
    }

    /// Starts a receive. Returns whether the receive has matched a message from this rank itself; the send of
    /// this message may then be complete.
    public boolean receive(ShmTransfer t) {
        MatchContext context = matcher.context(t.context);
        Arrival a = t.matched ? takeFound(context, t) : context.takeArrival(t);
        if (a == null) {
            context.post(t);
            if (deadRanks.isNotEmpty()) deadRanks.posted(context, t);
            return false;
        }
        int sender = a.sender;
        deliver(t, a, a.copy(), 0);
        received(sender, a.charge);
        matcher.giveBack(a);
        return sender == me;
    }

    /// Updates flow control after an eager message, which was charged with `charge` bytes, has been received.
    private void received(int sender, int charge) {
        RingConsumer ring = consumers[sender];
        if (ring == null) keptOfMine -= charge;
        else if (charge > 0) ring.received(charge);
    }

    /// Starts a collective call with messages in `context`.
    ///
    /// @param slots the communicator's slots, or null
    public void startCollective(ShmCollective c, long context, @Nullable CollectiveSlots slots) {
        calls.start(c, matcher.context(context), slots);
    }

    /// Handles the death of a process while the job continues: receives the messages that the process has sent,
    /// and fails the activities that wait for the process.
    public void handleDeath(int process) {
        if (segment.ringCount(me) != ringsSeen) attachRings();
        RingConsumer ring = process < consumers.length ? consumers[process] : null;
        while (ring != null && ring.peek() != 0) {
            long word = ring.peek();
            take(ring.position(), word, process);
            if (ring.advance(word)) bells.ring(process);
        }
        RankDeath death = deadRanks.add(process);
        Outbox box = process < outboxes.length ? outboxes[process] : null;
        if (box != null && box.discard(death)) waitingOutboxes--;
        matcher.forEach((_, context) -> refuseAll(context));
        calls.forEach(deadRanks::abandon);
        calls.advance();
        bells.ring(me);
    }

    /// Copies the pending messages of a failed call, so that the messages can complete without the call's
    /// memory: other ranks wait for these messages.
    private void detach(ShmCollective call) {
        Throwable why = call.ownFailure();
        if (why == null) return;
        delivery.detach(call, why);
        offers.forEach(t -> Outbox.keep(t, call));
        for (Outbox box : outboxes) if (box != null) box.detach(call);
    }

    /// Withdraws a receive. Returns false if a message has already matched the receive.
    public boolean withdraw(ShmTransfer t) {
        return matcher.context(t.context).withdraw(t);
    }

    /// Returns the first message that matches `pattern`, or null.
    public @Nullable Arrival find(ShmTransfer pattern) {
        return matcher.context(pattern.context).find(pattern);
    }

    /// Like [#find], but also reserves the message for the pattern.
    public @Nullable Arrival take(ShmTransfer pattern) {
        MatchContext context = matcher.context(pattern.context);
        Arrival a = context.takeArrival(pattern);
        if (a == null) return null;
        context.reserve(a);
        pattern.found = a;
        pattern.matched = true;
        return a;
    }

    private static Arrival takeFound(MatchContext context, ShmTransfer t) {
        Arrival a = t.found;
        if (a == null) throw new IllegalStateException(t.operation + ": matched receive without a message");
        t.found = null;
        context.takeReserved(a);
        return a;
    }

    /// Sets the communicator of `context`.
    public void name(long context, CommPort port) {
        matcher.context(context).port(port);
    }

    /// Describes messages that will never be received; null if there are none. Called under the lock.
    ///
    /// @throws Fault `ERR_MISMATCH` if a rank posted a different collective call
    public @Nullable String unreceived() {
        Unreceived found = new Unreceived(memory, segment);
        matcher.forEach(deadRanks.exceptAbandoned(found::kept));
        Fault differs = contradiction();
        if (differs != null) throw differs;
        slotAreas.forEach((slots, port) -> found.posts(slots, port));
        for (Outbox box : outboxes) {
            if (box == null || !segment.hasLeft(box.destination())) continue;
            box.unread((at, word) -> found.unread(at, word, box.destination(), matcher));
        }
        return found.text();
    }

    /// Returns the first difference between the calls that this rank and other ranks have posted in slots, or
    /// null. These calls may already have ended on this rank, because a root does not wait for other ranks.
    public @Nullable Fault contradiction() {
        return slotAreas.first(Progress::contradictionAt);
    }

    private static @Nullable Fault contradictionAt(CollectiveSlots slots, CommPort port) {
        for (int r = 0; r < slots.size(); r++) {
            long number = slots.contradiction(r, slots.posted());
            if (number != 0) return Mismatches.contradiction(port, slots, r, number);
        }
        return null;
    }

    /// Frees the context of a closed communicator.
    public void free(long context) {
        MatchContext known = matcher.known(context);
        // a context that refuses messages is retained, because more messages may arrive
        if (known == null || !deadRanks.refusesMessages(known)) matcher.free(context);
    }

    /// Ends receiving. Answers that do not fit into the rings are published in separate memory.
    public void leave() {
        for (RingConsumer r : rings) r.publish();
        for (Outbox box : outboxes) if (box != null && box.leaveAnswers()) bells.ring(box.destination());
    }

    // ---- moving

    /// Returns the known rings towards this rank.
    RingConsumer[] rings() {
        return rings;
    }

    /// Returns whether [#move] would make progress, apart from data that waits for space ([#hasOutgoing]).
    /// Needs no lock; the result can be outdated.
    public boolean hasPending() {
        for (RingConsumer r : rings) if (r.peek() != 0) return true;
        if (calls.hasPending()) return true;
        if (delivery.hasKept()) return true;
        return segment.ringCount(me) != ringsSeen;
    }

    /// Returns whether data waits for space in a ring.
    public boolean hasOutgoing() {
        return waitingOutboxes > 0;
    }

    /// Returns whether [#announceWaits] may be needed.
    public boolean hasWaits() {
        return waitingOutboxes > 0 || calls.isNotEmpty();
    }

    /// Returns whether space is free for pending data now. Called under the lock.
    public boolean canFlush() {
        if (waitingOutboxes == 0) return false;
        for (Outbox box : outboxes) if (box != null && box.canFlush()) return true;
        return false;
    }

    /// Requests wake-ups when rings have free space, and when slots are free. Called under the lock.
    public void announceWaits() {
        calls.forEach(ShmCollective::announceWait);
        if (waitingOutboxes == 0) return;
        for (Outbox box : outboxes) if (box != null) box.announceWait();
    }

    /// Advances all messages and calls. Called under the lock. Returns whether anything moved.
    public boolean move() {
        return move(null);
    }

    /// Like [#move()], but usually stops polling as soon as `enough` is done, because polling for one more
    /// message loads a line from the sender's core.
    ///
    /// The method is deliberately too long to be inlined, which a test checks. Each wait loop that calls the
    /// method is compiled twice, and with the method inlined each compilation would take a second.
    public boolean move(@Nullable Activity enough) {
        boolean moved = false;
        Activity wanted = (moves & ALL_MASK) == 0 ? null : enough;
        if (segment.ringCount(me) != ringsSeen) moved = attachRings();
        for (RingConsumer r : rings) {
            boolean isEnough = false;
            for (int i = 0; i < BATCH && !isEnough; i++) {
                long word = r.peek();
                if (word == 0) break;
                take(r.position(), word, r.sender());
                if (r.advance(word)) bells.ring(r.sender());
                moved = true;
                isEnough = wanted != null && wanted.isDone();
            }
            if (isEnough) break;
        }
        if (waitingOutboxes > 0) {
            for (Outbox box : outboxes) {
                if (box == null || box.isEmpty()) continue;
                if (box.flush()) {
                    moved = true;
                    bells.ring(box.destination());
                }
                if (box.isEmpty()) waitingOutboxes--;
            }
        }
        moved |= delivery.unpack();
        if (calls.isNotEmpty()) moved |= calls.advance();
        if (moved) moves++;
        return moved;
    }

    /// Returns the number of successful calls of [#move].
    public long moves() {
        return moves;
    }

    /// Passes the active collective calls to `action`. Called under the lock.
    public void forEachActive(Consumer<? super ShmCollective> action) {
        calls.forEach(action);
    }

    /// Adds new rings towards this rank. Returns whether a ring contained last answers
    /// ([org.tutti.shm.channel.RingProducer]).
    private boolean attachRings() {
        ringsSeen = segment.ringCount(me);
        List<RingConsumer> found = new ArrayList<>();
        for (long at = segment.newestRing(me); at != 0; at = segment.ringBefore(at)) {
            RingConsumer ring = consumerOf(at);
            if (!abandoned.get(ring.sender())) found.add(ring);
        }
        rings = found.toArray(RingConsumer[]::new);
        boolean answered = false;
        for (RingConsumer r : rings) answered |= takeLastAnswers(r.takeLastAnswers());
        return answered;
    }

    private boolean takeLastAnswers(long at) {
        if (at == 0) return false;
        long count = memory.getLong(at);
        for (long i = 1; i <= count; i++) {
            long answer = memory.getLong(at + 8 * i);
            ShmTransfer t = offers.remove((int) (answer < 0 ? ~answer : answer));
            if (answer < 0) t.fail(RankDeath.refusal(t));
            else t.complete();
        }
        return true;
    }

    private RingConsumer consumerOf(long at) {
        int sender = RingConsumer.sender(memory, at);
        if (sender >= consumers.length) consumers = Arrays.copyOf(consumers, grown(consumers.length, sender));
        RingConsumer ring = consumers[sender];
        if (ring == null) {
            ring = new RingConsumer(memory, at);
            consumers[sender] = ring;
        }
        return ring;
    }

    private void take(long at, long word, int sender) {
        switch (RecordDescriptor.kind(word)) {
            case RecordDescriptor.EAGER, RecordDescriptor.OFFER -> message(at, word, sender);
            case RecordDescriptor.ACCEPT -> accepted(at, sender);
            case RecordDescriptor.DATA ->
                delivery.part(
                        (int) memory.getLong(at + RecordDescriptor.DATA_ID),
                        memory.getLong(at + RecordDescriptor.DATA_OFFSET),
                        at + RecordDescriptor.PAYLOAD,
                        memory.getLong(at + RecordDescriptor.LENGTH));
            case RecordDescriptor.PAD -> {}
            default ->
                throw new IllegalStateException("record of unknown kind " + RecordDescriptor.kind(word) + " from rank "
                        + sender + ": the job's shared memory is damaged");
        }
    }

    private void message(long at, long word, int sender) {
        Arrival a = current;
        a.sender = sender;
        long envelope = memory.getLong(at + RecordDescriptor.ENVELOPE);
        a.source = RecordDescriptor.source(envelope);
        a.tag = RecordDescriptor.tag(envelope);
        a.typeCode = RecordDescriptor.typeCode(word);
        a.signature = RecordDescriptor.signature(word);
        a.length = memory.getLong(at + RecordDescriptor.LENGTH);
        a.hasCall = RecordDescriptor.hasCall(word);
        if (a.hasCall) {
            a.callA = memory.getLong(at + RecordDescriptor.CALL_A);
            a.callB = memory.getLong(at + RecordDescriptor.CALL_B);
            a.callC = memory.getLong(at + RecordDescriptor.CALL_C);
        }
        long payload = at + RecordDescriptor.payloadOffset(word);
        if (RecordDescriptor.kind(word) == RecordDescriptor.OFFER) a.readOffer(memory, payload);
        else a.kind = Arrival.Kind.EAGER;
        a.charge = a.kind == Arrival.Kind.EAGER ? RecordDescriptor.bytes(word) : 0;
        a.asks = RecordDescriptor.asks(word);
        if (a.asks) {
            a.sendId = (int) memory.getLong(payload);
            payload += RecordDescriptor.ASK_BYTES;
        }
        long id = memory.getLong(at + RecordDescriptor.CONTEXT);
        if (a.tag == NOTICE_TAG) {
            received(sender, a.charge);
            MatchContext known = matcher.known(id);
            if (known != null) calls.checkNotice(known, a);
            return;
        }
        MatchContext context = matcher.context(id);
        ShmTransfer receive = context.takePosted(a.source, a.tag);
        if (receive != null) {
            deliver(receive, a, memory.segment(), payload);
            received(sender, a.charge);
            return;
        }
        if (deadRanks.refusesMessages(context)) {
            refuse(a);
            return;
        }
        if (a.kind == Arrival.Kind.EAGER) {
            memory.take(payload, a.roomFor((int) a.length), 0, a.length);
        }
        context.keep(a);
        calls.checkKept(context, a);
        current = matcher.take();
    }

    /// Refuses all messages of a context that no longer receives.
    private void refuseAll(MatchContext context) {
        if (!deadRanks.refusesMessages(context)) return;
        for (Arrival a = context.takeFirst(); a != null; a = context.takeFirst()) {
            refuse(a);
            matcher.giveBack(a);
        }
    }

    /// Refuses a message, and notifies a waiting sender.
    private void refuse(Arrival a) {
        received(a.sender, a.charge);
        ShmTransfer mine = a.send;
        if (mine != null) {
            mine.fail(RankDeath.refusal(mine));
        } else if (a.kind == Arrival.Kind.OFFER || a.asks) {
            Outbox box = outbox(a.sender);
            boolean wasEmpty = box.isEmpty();
            box.accept(a.sendId, 0, RecordDescriptor.REFUSED);
            answered(box, wasEmpty);
        }
    }

    private void answered(Outbox box, boolean wasEmpty) {
        if (wasEmpty && !box.isEmpty()) waitingOutboxes++;
        bells.ring(box.destination());
    }

    private void accepted(long at, int sender) {
        ShmTransfer t = offers.remove((int) memory.getLong(at + RecordDescriptor.ACCEPT_SEND));
        long wanted = memory.getLong(at + RecordDescriptor.LENGTH);
        if (wanted == RecordDescriptor.REFUSED) {
            t.fail(RankDeath.refusal(t));
            return;
        }
        if (wanted == 0) {
            t.complete();
            return;
        }
        Outbox box = outbox(sender);
        if (box.isEmpty()) waitingOutboxes++;
        box.stream(t, (int) memory.getLong(at + RecordDescriptor.ACCEPT_RECEIVE), wanted);
    }

    private void deliver(ShmTransfer receive, Arrival a, MemorySegment from, long at) {
        if (receive.lane == Transfer.Lane.COLLECTIVE) {
            Fault mismatch = Mismatches.mismatch(receive, a);
            if (mismatch != null) {
                failure.report(mismatch);
                receive.fail(mismatch);
                return;
            }
        }
        Outbox box = a.kind == Arrival.Kind.OFFER || a.asks ? outbox(a.sender) : null;
        boolean wasEmpty = box == null || box.isEmpty();
        boolean answered = delivery.deliver(receive, a, from, at);
        if (box != null && answered) answered(box, wasEmpty);
    }
}
