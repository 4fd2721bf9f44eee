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

/// Copies the data of matched messages into the receive buffers, and completes or fails the receives.
final class Delivery {
    /// A message to the same rank, up to this size, is copied when it is sent, so that the sender can continue
    /// before the message is received. In bytes.
    private static final int LONGEST_KEPT_SELF = 64 << 10;

    private static final int BOUNCE_BYTES = 4096;
    private static final ShmTransfer[] NONE = {};

    private final MemorySegment bounce = MemorySegment.ofArray(new byte[BOUNCE_BYTES]);
    private final MemorySegment memory;
    private final IntFunction<Outbox> outboxes;
    private final SlotTable incoming = new SlotTable();

    /// The receives that have complete data and must be finished by the threads that own the memory.
    /// Copy-on-write, because the array is read without the lock.
    private volatile ShmTransfer[] kept = NONE;

    Delivery(MemorySegment memory, IntFunction<Outbox> outboxes) {
        this.memory = memory;
        this.outboxes = outboxes;
    }

    /// Delivers message `a` to `receive`. The data of an eager message is at `at` in `from`. Returns whether an
    /// answer was sent to the sender.
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
        RankDeath death = box.death();
        if (death != null && wanted > 0 && a.place < 0) {
            problem = death.fault(receive); // the sender died before sending all data
        } else if (wanted > 0 && a.place < 0) {
            problem = noRing(box, receive, a);
            if (problem == null) {
                receive.moved = 0;
                receive.wanted = wanted;
                box.accept(a.sendId, incoming.add(receive), wanted);
                return;
            }
        } else {
            // the data is in the segment: it is copied once, and the sender does not take part
            problem = fill(receive, memory, a.place, wanted, problem);
        }
        box.accept(a.sendId, 0, 0);
        finish(receive, problem);
    }

    /// Returns why the sender cannot be answered, or null.
    private static @Nullable Throwable noRing(Outbox box, ShmTransfer receive, Arrival a) {
        try {
            box.ring(receive.operation);
            return null;
        } catch (Fault e) {
            return noMemory(receive, "the answer to the message", a, e);
        }
    }

    /// Copies a complete message. A memory error fails only this receive, regardless of the thread that makes
    /// progress.
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

    /// Fails receives that wait for data of a dead sender.
    void failFrom(RankDeath death) {
        incoming.failAll(death::sends, death);
    }

    /// Discards the remaining data of a failed call, because the program may reuse the memory.
    void detach(ShmCollective call, Throwable why) {
        incoming.forEach(receive -> {
            if (receive.call == call && receive.problem == null) receive.problem = why;
        });
    }

    /// Stores a fragment of a long message that was accepted as `id`.
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

    /// Returns whether the calling thread must finish a receive. Needs no lock.
    boolean hasKept() {
        for (ShmTransfer receive : kept) if (!receive.isOwnedByOther()) return true;
        return false;
    }

    /// Finishes receives into memory that only the calling thread may access.
    boolean unpack() {
        boolean any = false;
        for (ShmTransfer receive : kept) {
            if (receive.isOwnedByOther()) continue;
            any = true;
            List<ShmTransfer> remaining = new ArrayList<>(List.of(kept));
            remaining.remove(receive);
            kept = remaining.toArray(NONE);
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

    private static Fault noMemory(ShmTransfer receive, String subject, Arrival a, Throwable why) {
        return Fault.message(
                PredefinedErrorClass.ERR_NO_MEM,
                receive.operation,
                "no memory for " + subject + " of " + a.length + " bytes from "
                        + receive.port().describeRank(a.source) + ", tag " + a.tag + ": " + why,
                receive.port());
    }

    private static @Nullable Fault typeError(ShmTransfer receive, Arrival a) {
        if (receive.lane == Transfer.Lane.COLLECTIVE) return null;
        if (a.isOf(receive.type)) return null;
        ElementType sent = ElementType.ofCode(a.typeCode);
        boolean object = receive.kind == Transfer.Kind.RECV_ALLOCATE;
        // a message without elements has no signature (MPI 4.1, section 5.1.11): any type may receive it
        if (a.length == 0 && !object) return null;
        return MessageErrors.wrongType(receive, sent, "");
    }

    // ---- messages to the same rank

    /// Stores a send to this rank for which no receive is posted. A short send is copied and completed.
    ///
    /// @param space the number of bytes that are left for such copies
    void keepSelf(Arrival a, long space) {
        ShmTransfer send = a.send;
        if (send == null) return;
        boolean isShort = !send.synchronous && a.length <= LONGEST_KEPT_SELF;
        int charge = isShort ? RecordDescriptor.sizeOf(RecordDescriptor.PAYLOAD, (int) a.length) : 0;
        send.isEarly = isShort && charge > space;
        if (!isShort || send.isEarly) {
            // a different thread may receive the message
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
        if (send == null) throw new IllegalStateException("message to the same rank without a send");
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
