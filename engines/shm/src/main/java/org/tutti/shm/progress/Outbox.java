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
import org.tutti.spi.MessageErrors;
import org.tutti.spi.PredefinedErrorClass;

/// The pending data from this rank to one other rank, in order: data for which the ring has had no space so
/// far.
final class Outbox {
    /// The maximum size of an eager message, in bytes. For a longer message, the second copy would cost more
    /// than the rendezvous.
    private static final int LONGEST_EAGER = 32 << 10;

    /// An answer to an offer, stored here because the answer did not fit into the ring.
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

    /// The death of the receiver, if the receiver has died and the job continues.
    private @Nullable RankDeath death;

    /// The number of bytes of eager messages sent, including record headers. The next field is the limit of
    /// this number: the number of bytes received plus [Segment#mostUnreceived].
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

    /// @throws Fault `ERR_NO_MEM` if there is no ring yet, and not enough memory for one
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

    /// Sends a message, or queues it after earlier messages. Returns true if data has become visible to the
    /// receiver.
    boolean send(ShmTransfer t) {
        if (death != null) {
            death.fail(t);
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
        if (r == null || death != null || sum > mayBecome) return false;
        boolean isWritten =
                r.writeLine(context, t.tag, source, t.type.code(), t.memory.segment(), t.offsetBytes, t.lengthBytes);
        if (isWritten) sentWhole = sum;
        return isWritten;
    }

    /// Writes the message or the offer. Returns false if no space is free.
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
            t.read(0, memory, at + header + ask, t.lengthBytes); // fails if the memory was closed
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

    /// Returns whether the limit of unreceived messages is reached. Notices, which are not stored by the
    /// receiver, are exempt.
    private boolean isEarly(RingProducer r, ShmTransfer t, int size) {
        mayBecome = r.received() + segment.mostUnreceived();
        return sentWhole + size > mayBecome && t.tag != Progress.NOTICE_TAG;
    }

    /// Returns the offset of the data in the shared segment, for a direct copy by the receiver, or -1.
    private long placeInSegment(ShmTransfer t) {
        if (!(t.memory instanceof Memory.Native(MemorySegment s)) || !t.tail.isEmpty() || t.layout != null) return -1;
        return memory.place(s, t.offsetBytes, t.lengthBytes);
    }

    /// Answers an offer. If `wanted` is 0, the answer completes the offered send. No answer is written to a
    /// rank that has left, because such a rank no longer reads its rings.
    void accept(int sendId, int receiveId, long wanted) {
        if (death != null || segment.hasLeft(to)) return;
        if (!accepts.isEmpty() || !writeAccept(sendId, receiveId, wanted)) {
            accepts.add(new Accept(sendId, receiveId, wanted));
        }
    }

    /// Returns the ring; null if there is no memory for it. The answer then waits.
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

    /// Starts sending `wanted` bytes of an offered message, which the receiver refers to as `receiveId`.
    void stream(ShmTransfer t, int receiveId, long wanted) {
        t.partner = receiveId;
        t.moved = 0;
        t.wanted = wanted;
        streams.add(t);
    }

    /// Writes pending data until the ring is full. Returns true if data has become visible to the receiver.
    boolean flush() {
        if (isEmpty()) return false;
        boolean written = false;
        for (Accept a = accepts.peek(); a != null; a = accepts.peek()) {
            if (!segment.hasLeft(to) && !writeAccept(a.sendId, a.receiveId, a.wanted)) return written;
            accepts.remove();
            written = true;
        }
        for (ShmTransfer t = sends.peek(); t != null && !t.isOwnedByOther(); t = sends.peek()) {
            // an eager message is complete when it has been written, and may be restarted immediately, so it is
            // removed from the queue first
            sends.remove();
            if (!writeOrFail(t)) {
                sends.addFirst(t);
                return written;
            }
            written = true;
        }
        for (ShmTransfer t = streams.peek(); t != null && !t.isOwnedByOther(); t = streams.peek()) {
            if (!writePart(t)) return written;
            written = true;
        }
        return written;
    }

    /// Writes a message, or fails it. A memory error fails only this message, regardless of the thread that
    /// makes progress. If a mapped file has been truncated, the memory error is an `InternalError`.
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
            // the receiver waits for the rest of the message, so the job fails
            String detail = MessageErrors.detail(e);
            failure.report(Fault.job(
                    PredefinedErrorClass.ERR_BUFFER,
                    t.operation,
                    detail == null ? "the buffer was closed while the message was being sent: " + e : detail,
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

    /// Publishes answers of a leaving rank that did not fit into the ring. The receiver may not read the ring
    /// for a long time, and this rank does not wait for the receiver. The format is the number of answers,
    /// followed by the id of each message, or the complement of the id if the message was refused. Returns
    /// whether there were any answers.
    boolean leaveAnswers() {
        accepts.removeIf(a -> a.wanted > 0); // of abandoned receives, for example after a failure
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

    /// Discards all data for a dead receiver. Returns whether there was any data.
    boolean discard(RankDeath why) {
        boolean had = !isEmpty();
        death = why;
        accepts.clear();
        for (TransferQueue queue : List.of(sends, streams)) {
            for (ShmTransfer t = queue.peek(); t != null; t = queue.peek()) {
                queue.remove();
                why.fail(t);
            }
        }
        return had;
    }

    /// Copies the pending data of a failed call, because the program may reuse the memory.
    void detach(ShmCollective call) {
        sends.forEach(t -> keep(t, call));
        streams.forEach(t -> keep(t, call));
    }

    /// Copies a message of `call`, unless the receiver reads the memory directly.
    static void keep(ShmTransfer t, ShmCollective call) {
        if (t.call != call || t.isOwnedByOther() || t.outlives) return;
        try {
            t.keep();
        } catch (RuntimeException | OutOfMemoryError | InternalError e) {
            // the original memory is read later; if it has been closed, the message fails then
        }
    }

    /// Returns the death of the receiver; null while the receiver lives.
    @Nullable
    RankDeath death() {
        return death;
    }

    /// Frees the ring to a receiver that has left, unless the ring contains unreceived data.
    void abandon(Extents extents) {
        RingProducer r = ring;
        if (r == null || !isEmpty() || !r.isDrained()) return;
        extents.abandon(r.data());
        ring = null;
    }

    /// Reads the records that were not consumed by a receiver that has left.
    void unread(RingProducer.Reader reader) {
        RingProducer r = ring;
        if (r != null) r.unread(reader);
    }

    /// Called before a sleep: requests a wake-up when space is free.
    void announceWait() {
        RingProducer r = ring;
        if (r != null && !isEmpty()) r.announceWait();
    }

    /// Returns whether the next [#flush] would write data.
    boolean canFlush() {
        RingProducer r = ring;
        return r != null && !isEmpty() && r.hasRoom(r.largestRecord());
    }
}
