package org.tutti.shm.progress;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.channel.RecordDescriptor;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.spi.Fault;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Brings the bytes of a matched message home, and says what is wrong with it.
final class Delivery {
    /// Up to here a message to oneself is kept as a copy, so that its sender may go on before it is received.
    private static final int LONGEST_KEPT_SELF = 64 << 10;

    private static final int BOUNCE_BYTES = 4096;
    private static final ShmTransfer[] NONE = {};

    private final MemorySegment bounce = MemorySegment.ofArray(new byte[BOUNCE_BYTES]);
    private final MemorySegment memory;
    private final IntFunction<Outbox> outboxes;
    private final SlotTable incoming = new SlotTable();

    /// Receives whose bytes are here, and which their owners have to finish; replaced, never changed, so that a
    /// look without the lock is safe.
    private volatile ShmTransfer[] kept = NONE;

    Delivery(MemorySegment memory, IntFunction<Outbox> outboxes) {
        this.memory = memory;
        this.outboxes = outboxes;
    }

    /// Gives `receive` the message `a`, whose eager bytes begin at `at` in `from`. Returns whether the
    /// sender was sent an answer.
    boolean deliver(ShmTransfer receive, Arrival a, MemorySegment from, long at) {
        receive.source = a.source;
        receive.receivedTag = a.tag;
        receive.receivedBytes = a.length;
        Fault wrongType = typeError(receive, a);
        Throwable noRoom = wrongType == null ? makeRoom(receive, a) : null;
        Throwable problem = wrongType == null ? noRoom : wrongType;
        long wanted = problem == null ? Math.min(a.length, receive.lengthBytes) : 0;
        switch (a.kind) {
            case EAGER -> {
                problem = fill(receive, from, at, wanted, problem);
                if (a.asks) outboxes.apply(a.sender).accept(a.sendId, 0, 0);
                finish(receive, problem);
                return a.asks;
            }
            case SELF -> {
                problem = deliverSelf(receive, a, wanted, problem);
                finish(receive, problem);
                return false;
            }
            case OFFER -> {
                accept(receive, a, wanted, problem);
                return true;
            }
        }
        throw new IllegalStateException("an arrival of kind " + a.kind);
    }

    private void accept(ShmTransfer receive, Arrival a, long wanted, @Nullable Throwable before) {
        Outbox box = outboxes.apply(a.sender);
        Throwable problem = before;
        RankDeath loss = box.loss();
        if (loss != null && wanted > 0 && a.place < 0) {
            problem = loss.fault(receive); // its sender has died before it has sent it whole
        } else if (wanted > 0 && a.place < 0) {
            problem = noRing(box, receive, a);
            if (problem == null) {
                receive.moved = 0;
                receive.wanted = wanted;
                box.accept(a.sendId, incoming.add(receive), wanted);
                return;
            }
        } else {
            // the sender's bytes lie in the segment: one copy, and the sender has nothing to do
            problem = fill(receive, memory, a.place, wanted, problem);
        }
        box.accept(a.sendId, 0, 0);
        finish(receive, problem);
    }

    /// Why the sender cannot be answered; null when it can.
    private static @Nullable Throwable noRing(Outbox box, ShmTransfer receive, Arrival a) {
        try {
            box.ring(receive.operation);
            return null;
        } catch (Fault e) {
            return noMemory(receive, "the answer to the message", a, e);
        }
    }

    /// All of a message. What is wrong with a receive's memory is that receive's, whoever moves the message.
    private static @Nullable Throwable fill(
            ShmTransfer receive, MemorySegment from, long at, long bytes, @Nullable Throwable before) {
        if (bytes == 0) return before;
        receive.moved = bytes;
        receive.wanted = bytes;
        try {
            receive.fill(0, from, at, bytes);
            return before;
        } catch (RuntimeException | OutOfMemoryError | InternalError e) {
            return e;
        }
    }

    /// The sender of what is still to come has died.
    void lose(RankDeath loss) {
        incoming.lose(loss::sends, loss);
    }

    /// The call has failed, and its memory is the program's again: what is still to come goes nowhere.
    void detach(ShmCollective call, Throwable why) {
        incoming.forEach(receive -> {
            if (receive.call == call && receive.problem == null) receive.problem = why;
        });
    }

    /// A part of a long message, under the number it was accepted with.
    void part(int id, long offset, long at, long bytes) {
        ShmTransfer receive = incoming.get(id);
        try {
            if (receive.problem == null) receive.fill(offset, memory, at, bytes);
        } catch (RuntimeException | OutOfMemoryError | InternalError e) {
            receive.problem = e;
        }
        receive.moved += bytes;
        if (receive.moved < receive.wanted) return;
        incoming.remove(id);
        finish(receive, receive.problem);
    }

    /// Whether the calling thread has to finish something. Needs no lock.
    boolean hasKept() {
        for (ShmTransfer receive : kept) if (!receive.isOthers()) return true;
        return false;
    }

    /// Finishes what other threads have brought for memory that only the calling one may touch.
    boolean unpack() {
        boolean any = false;
        for (ShmTransfer receive : kept) {
            if (receive.isOthers()) continue;
            any = true;
            List<ShmTransfer> others = new ArrayList<>(List.of(kept));
            others.remove(receive);
            kept = others.toArray(NONE);
            Throwable problem = null;
            try {
                receive.unpack();
            } catch (RuntimeException | OutOfMemoryError | InternalError e) {
                problem = e;
            }
            finish(receive, problem);
        }
        return any;
    }

    private void finish(ShmTransfer receive, @Nullable Throwable problem) {
        if (problem == null && receive.isKept()) {
            ShmTransfer[] more = Arrays.copyOf(kept, kept.length + 1);
            more[more.length - 1] = receive;
            kept = more;
            return;
        }
        if (problem != null) receive.fail(problem);
        else if (receive.receivedBytes > receive.lengthBytes) receive.fail(MessageErrors.truncated(receive, ""));
        else receive.complete();
    }

    private static @Nullable Throwable makeRoom(ShmTransfer receive, Arrival a) {
        if (receive.kind != Transfer.Kind.RECV_ALLOCATE) return null;
        try {
            receive.firstRoom(a.length);
            return null;
        } catch (RuntimeException | OutOfMemoryError e) {
            return noMemory(receive, "the message", a, e);
        }
    }

    private static Fault noMemory(ShmTransfer receive, String what, Arrival a, Throwable why) {
        return Fault.message(
                PredefinedErrorClass.ERR_NO_MEM,
                receive.operation,
                "no memory for " + what + " of " + a.length + " bytes from "
                        + receive.port().who(a.source) + ", tag " + a.tag + ": " + why,
                receive.port());
    }

    private static @Nullable Fault typeError(ShmTransfer receive, Arrival a) {
        if (receive.lane == Transfer.Lane.COLLECTIVE) return null;
        if (a.isOf(receive.type)) return null;
        ElementType sent = ElementType.ofCode(a.typeCode);
        boolean object = receive.kind == Transfer.Kind.RECV_ALLOCATE;
        // a message without elements has no signature (MPI 4.1, section 5.1.11), so any type may receive it
        if (a.length == 0 && !object) return null;
        return MessageErrors.wrongType(receive, sent, "");
    }

    // ---- messages to oneself

    /// A send to this rank for which no receive is posted: a short one is copied and thereby complete.
    ///
    /// @param room bytes that may still be kept so
    void keepSelf(Arrival a, long room) {
        ShmTransfer send = a.send;
        if (send == null) return;
        boolean isShort = !send.synchronous && a.length <= LONGEST_KEPT_SELF;
        int charge = isShort ? RecordDescriptor.sizeOf(RecordDescriptor.PAYLOAD, (int) a.length) : 0;
        send.isEarly = isShort && charge > room;
        if (!isShort || send.isEarly) {
            // it may be received by another thread
            if (send.owner != null) send.keep();
            return;
        }
        send.copyOut(0, a.roomFor((int) a.length), 0, a.length);
        a.send = null;
        a.charge = charge;
        a.kind = Arrival.Kind.EAGER;
        send.complete();
    }

    private @Nullable Throwable deliverSelf(ShmTransfer receive, Arrival a, long wanted, @Nullable Throwable before) {
        ShmTransfer send = a.send;
        if (send == null) throw new IllegalStateException("a message to oneself without its send");
        receive.moved = wanted;
        receive.wanted = wanted;
        Throwable problem = before;
        try {
            if (wanted > 0) receive.fill(send, wanted, bounce);
        } catch (RuntimeException | OutOfMemoryError | InternalError e) {
            problem = e;
        }
        send.complete();
        return problem;
    }
}
