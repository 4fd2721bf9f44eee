package org.tutti.shm.progress;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.channel.RecordDescriptor;
import org.tutti.shm.channel.RingProducer;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.match.TransferQueue;
import org.tutti.shm.segment.Extents;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.Collective;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.PredefinedErrorClass;

/// Everything that is on its way from this rank to one other: what did not fit into the ring yet, in order.
final class Outbox {
    /// Longest message that travels whole. Beyond it, a second copy costs more than the question to the
    /// receiver.
    private static final int LONGEST_EAGER = 32 << 10;

    /// The answer to an offer, when the ring had no room for it.
    private record Accept(int sendId, int receiveId, long wanted) {}

    private final Segment segment;
    private final Shared memory;
    private final int from;
    private final int to;
    private final SlotTable offers;
    private final JobFailure failure;
    private final TransferQueue sends = new TransferQueue();
    private final TransferQueue streams = new TransferQueue();
    private final ArrayDeque<Accept> accepts = new ArrayDeque<>();
    private @Nullable RingProducer ring;

    /// Once the receiver has died and the job goes on.
    private @Nullable RankDeath loss;

    /// Bytes of whole messages so far, with their records, and how many they may become: as many as were
    /// received, and [Segment#mostUnreceived].
    private long sentWhole;

    private long mayBecome;

    Outbox(Segment segment, int from, int to, SlotTable offers, JobFailure failure) {
        this.segment = segment;
        this.memory = segment.memory();
        this.from = from;
        this.to = to;
        this.offers = offers;
        mayBecome = segment.mostUnreceived();
        this.failure = failure;
    }

    int destination() {
        return to;
    }

    boolean isEmpty() {
        return sends.isEmpty() && streams.isEmpty() && accepts.isEmpty();
    }

    /// @throws Fault `ERR_NO_MEM` when there is none yet and no memory for one
    RingProducer ring(String operation) {
        RingProducer r = ring;
        if (r == null) {
            int capacity = segment.ringBytes();
            long at = segment.extent(RingProducer.DATA + (long) capacity, operation);
            r = new RingProducer(memory, at, capacity);
            r.describe(from);
            ring = r;
            segment.publishRing(to, at);
        }
        return r;
    }

    /// Sends, or queues behind what is queued already. Returns true when anything became visible to the
    /// receiver.
    boolean send(ShmTransfer t) {
        if (loss != null) {
            loss.fail(t);
            return false;
        }
        if (sends.isEmpty() && write(t)) return true;
        if (t.copiedLater) t.keep();
        sends.add(t);
        return false;
    }

    /// See [EagerSend#write].
    boolean writeLine(ShmTransfer t, long context, int source) {
        RingProducer r = ring;
        long sum = sentWhole + RecordDescriptor.LINE;
        if (r == null || loss != null || sum > mayBecome) return false;
        boolean isWritten =
                r.writeLine(context, t.tag, source, t.type.code(), t.memory.segment(), t.offsetBytes, t.lengthBytes);
        if (isWritten) sentWhole = sum;
        return isWritten;
    }

    /// Writes the message, or the offer of it; false when there is no room.
    private boolean write(ShmTransfer t) {
        RingProducer r = ring(t.operation);
        Collective call = t.call;
        int header = call == null ? RecordDescriptor.PAYLOAD : RecordDescriptor.CALL_PAYLOAD;
        int ask = t.synchronous ? RecordDescriptor.ASK_BYTES : 0;
        boolean eager =
                t.lengthBytes <= Math.min(LONGEST_EAGER, r.largestRecord() - RecordDescriptor.CALL_PAYLOAD) - ask;
        int size = RecordDescriptor.sizeOf(header, eager ? ask + (int) t.lengthBytes : RecordDescriptor.OFFER_BYTES);
        t.isEarly = eager && sentWhole + size > mayBecome && isEarly(r, t, size);
        if (t.isEarly) {
            eager = false;
            size = RecordDescriptor.sizeOf(header, RecordDescriptor.OFFER_BYTES);
        }
        long at = r.reserve(size);
        if (at < 0) return false;
        r.writeHead(at, t.context, t.port().rank(), t.tag, t.lengthBytes);
        if (call instanceof ShmCollective c) {
            memory.setLong(at + RecordDescriptor.CALL_A, c.wordA);
            memory.setLong(at + RecordDescriptor.CALL_B, c.wordB);
            memory.setLong(at + RecordDescriptor.CALL_C, c.wordC);
        }
        int flags = call == null ? 0 : RecordDescriptor.HAS_CALL;
        if (t.type.isMixed()) flags |= t.type.signatureHash(t.lengthBytes) << RecordDescriptor.SIGNATURE_SHIFT;
        if (eager) {
            t.read(0, memory, at + header + ask, t.lengthBytes); // fails if the memory is gone
            if (t.synchronous) {
                flags |= RecordDescriptor.ASKS;
                memory.setLong(at + header, (long) offers.add(t));
            }
            r.publish(at, size, RecordDescriptor.EAGER, t.type.code(), flags);
            sentWhole += size;
            if (!t.synchronous) t.complete();
        } else {
            if (t.copiedLater) t.keep();
            long place = placeInSegment(t);
            t.outlives = place >= 0;
            memory.setLong(at + header, (long) offers.add(t));
            memory.setLong(at + header + 8, place);
            r.publish(at, size, RecordDescriptor.OFFER, t.type.code(), flags);
        }
        return true;
    }

    /// Whether the receiver has too much already that it has not received. What it does not keep is never early.
    private boolean isEarly(RingProducer r, ShmTransfer t, int size) {
        mayBecome = r.received() + segment.mostUnreceived();
        return sentWhole + size > mayBecome && t.tag != Progress.NOTICE_TAG;
    }

    /// Where the message's bytes lie in the shared segment, so that the receiver can take them itself;
    /// else -1.
    private long placeInSegment(ShmTransfer t) {
        if (!(t.memory instanceof Memory.Native(MemorySegment s)) || !t.tail.isEmpty() || t.layout != null) return -1;
        return memory.place(s, t.offsetBytes, t.lengthBytes);
    }

    /// Answers an offer. With nothing wanted, the offer is over. A rank that has left reads no answer.
    void accept(int sendId, int receiveId, long wanted) {
        if (loss != null || segment.hasLeft(to)) return;
        if (!accepts.isEmpty() || !writeAccept(sendId, receiveId, wanted)) {
            accepts.add(new Accept(sendId, receiveId, wanted));
        }
    }

    /// An answer waits until there is memory for the ring.
    private @Nullable RingProducer ringIfPossible() {
        try {
            return ring("recv");
        } catch (Fault e) {
            return null;
        }
    }

    private boolean writeAccept(int sendId, int receiveId, long wanted) {
        RingProducer r = ringIfPossible();
        long at = r == null ? -1 : r.reserve(RecordDescriptor.LINE);
        if (r == null || at < 0) return false;
        memory.setLong(at + RecordDescriptor.ACCEPT_SEND, (long) sendId);
        memory.setLong(at + RecordDescriptor.ACCEPT_RECEIVE, (long) receiveId);
        memory.setLong(at + RecordDescriptor.LENGTH, wanted);
        r.publish(at, RecordDescriptor.LINE, RecordDescriptor.ACCEPT, 0, 0);
        return true;
    }

    /// The receiver wants `wanted` bytes of an offered message under its number `receiveId`.
    void stream(ShmTransfer t, int receiveId, long wanted) {
        t.partner = receiveId;
        t.moved = 0;
        t.wanted = wanted;
        streams.add(t);
    }

    /// Writes what finds room now. Returns true when anything became visible to the receiver.
    boolean flush() {
        if (isEmpty()) return false;
        boolean written = false;
        for (Accept a = accepts.peek(); a != null; a = accepts.peek()) {
            if (!segment.hasLeft(to) && !writeAccept(a.sendId, a.receiveId, a.wanted)) return written;
            accepts.remove();
            written = true;
        }
        for (ShmTransfer t = sends.peek(); t != null && !t.isOthers(); t = sends.peek()) {
            // an eager message is complete, and may be used again, as soon as it is written: out of the queue first
            sends.remove();
            if (!writeOrFail(t)) {
                sends.addFirst(t);
                return written;
            }
            written = true;
        }
        for (ShmTransfer t = streams.peek(); t != null && !t.isOthers(); t = streams.peek()) {
            if (!writePart(t)) return written;
            written = true;
        }
        return written;
    }

    /// What is wrong with a message's memory is that message's, whoever moves it. It is an `InternalError` where a
    /// mapped file was truncated.
    private boolean writeOrFail(ShmTransfer t) {
        try {
            return write(t);
        } catch (RuntimeException | OutOfMemoryError | InternalError e) {
            t.fail(e);
            return true;
        }
    }

    private boolean writePart(ShmTransfer t) {
        RingProducer r = ring(t.operation);
        int most = r.largestRecord() - RecordDescriptor.PAYLOAD;
        int part = (int) Math.min(most, t.wanted - t.moved);
        int size = RecordDescriptor.sizeOf(RecordDescriptor.PAYLOAD, part);
        long at = r.reserve(size);
        if (at < 0) return false;
        memory.setLong(at + RecordDescriptor.DATA_ID, (long) t.partner);
        memory.setLong(at + RecordDescriptor.DATA_OFFSET, t.moved);
        memory.setLong(at + RecordDescriptor.LENGTH, (long) part);
        try {
            t.read(t.moved, memory, at + RecordDescriptor.PAYLOAD, part);
        } catch (RuntimeException | OutOfMemoryError | InternalError e) {
            // its receiver waits for the rest
            failure.tell(Fault.job(
                    PredefinedErrorClass.ERR_BUFFER,
                    t.operation,
                    "its memory is gone while the message is sent: " + e,
                    t.port()));
            streams.remove();
            t.fail(e);
            return true;
        }
        r.publish(at, size, RecordDescriptor.DATA, 0, 0);
        t.moved += part;
        if (t.moved == t.wanted) {
            streams.remove();
            t.complete();
        }
        return true;
    }

    /// This rank leaves: answers that found no room are put where the other rank finds them, because it may not
    /// look into its ring for long, and nobody waits for it: their number, and that of each message, the complement
    /// where it was refused. Returns whether there were any.
    boolean leaveAnswers() {
        accepts.removeIf(a -> a.wanted > 0); // of receives that this rank gave up, as after a failure
        if (accepts.isEmpty() || segment.hasLeft(to)) return false;
        RingProducer r = ring("close");
        long at = segment.extent(8L * (1 + accepts.size()), "close");
        memory.setLong(at, (long) accepts.size());
        long next = at + 8;
        for (Accept a : accepts) {
            memory.setLong(next, a.wanted == RecordDescriptor.REFUSED ? ~(long) a.sendId : a.sendId);
            next += 8;
        }
        accepts.clear();
        r.publishLastAnswers(at);
        segment.changeRings(to);
        return true;
    }

    /// The receiver has died: nothing goes to it any more. Returns whether something was to.
    boolean lose(RankDeath why) {
        boolean had = !isEmpty();
        loss = why;
        accepts.clear();
        for (TransferQueue queue : List.of(sends, streams)) {
            for (ShmTransfer t = queue.peek(); t != null; t = queue.peek()) {
                queue.remove();
                why.fail(t);
            }
        }
        return had;
    }

    /// The call has failed, and its memory is the program's again: what is still to go is copied before.
    void detach(ShmCollective call) {
        sends.forEach(t -> keep(t, call));
        streams.forEach(t -> keep(t, call));
    }

    /// Copies a message if it is one of `call`, and of memory that its receiver does not read itself.
    static void keep(ShmTransfer t, ShmCollective call) {
        if (t.call != call || t.isOthers() || t.outlives) return;
        try {
            t.keep();
        } catch (RuntimeException | OutOfMemoryError | InternalError e) {
            // it is read where it lies, and fails there if that is gone
        }
    }

    /// Why nothing comes from the receiver any more; null while it lives.
    @Nullable
    RankDeath loss() {
        return loss;
    }

    /// Gives up the ring to a receiver that has left, unless it has something in it that was never received.
    void abandon(Extents extents) {
        RingProducer r = ring;
        if (r == null || !isEmpty() || !r.isDrained()) return;
        extents.abandon(r.data());
        ring = null;
    }

    /// Reads what the receiver, which has left, never took out of the ring.
    void unread(RingProducer.Reader reader) {
        RingProducer r = ring;
        if (r != null) r.unread(reader);
    }

    /// Before a sleep: asks the receiver to wake this rank when there is room again.
    void announceWait() {
        RingProducer r = ring;
        if (r != null && !isEmpty()) r.announceWait();
    }

    /// Whether the next [#flush] would write something.
    boolean canFlush() {
        RingProducer r = ring;
        return r != null && !isEmpty() && r.hasRoom(r.largestRecord());
    }
}
