package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.MatchingFunctions.*;
import static org.tutti.libmpi.raw.PointToPointFunctions.*;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Messages of type [ElementType#OBJECT]. The receiver does not know the length in advance. A header is sent in
/// the user's context, and is matched in the user's order. Data that does not fit next to the header follows on
/// the shadow communicator, with a tag derived from the object's number. The order of the messages is therefore
/// exact, and the receiver need not guess a buffer size.
///
///     0                8              12             16
///     |  total length  |    number    |    MAGIC     |  the object, if it has at most INLINE_BYTES …
///
/// The remaining data of a long object can be received only after Java code has read the header. Therefore
/// every wait of this engine advances the receives pending here: otherwise two ranks that each post a receive
/// and then send would deadlock.
final class ObjectTransfers {
    private static final long TOTAL = 0, NUMBER = 8, MARK = 12, HEADER_BYTES = 16;

    /// Maximum size of an object sent next to the header. With the header, this is half of the eager
    /// limit of Open MPI's shared memory.
    static final long INLINE_BYTES = 2032;

    /// Distinguishes an object from a typed message that was sent to the wrong receive.
    private static final int MAGIC = 0x7075_7474;

    private final Staging staging;
    private final TypedTransfers messages;

    private final ReentrantLock lock = new ReentrantLock();
    private final List<NativeTransfer> receiving = new ArrayList<>();
    private volatile int pending;

    ObjectTransfers(Staging staging, TypedTransfers messages) {
        this.staging = staging;
        this.messages = messages;
    }

    /// Returns whether a receive needs progress.
    boolean arePending() {
        return pending != 0;
    }

    void startSend(NativeTransfer t, NativeScratch s) {
        long total = t.lengthBytes;
        NativeComm comm = t.nativeComm();
        int number = comm.objects.getAndIncrement();
        long inline = total <= INLINE_BYTES ? total : 0;
        Staging.Block block = staging.take(HEADER_BYTES + inline);
        t.block = block;
        MemorySegment header = block.segment();
        header.set(JAVA_LONG_UNALIGNED, TOTAL, total);
        header.set(JAVA_INT_UNALIGNED, NUMBER, number);
        header.set(JAVA_INT_UNALIGNED, MARK, MAGIC);
        t.copyOut(0, header, HEADER_BYTES, inline);
        int length = (int) (HEADER_BYTES + inline);
        int rc = t.synchronous // the header is matched by the receive of the object
                ? MPI_Issend(header, length, MPI_BYTE, t.peer, t.tag, comm.handle, s.request)
                : MPI_Isend(header, length, MPI_BYTE, t.peer, t.tag, comm.handle, s.request);
        check(rc, t);
        t.request = s.request();
        t.hasRequest = true;
        if (inline == total) return;
        MemorySegment from;
        if (t.memory instanceof Memory.Native there && t.tail.isEmpty()) {
            from = TypedTransfers.slice(there.segment(), t.offsetBytes);
        } else {
            Staging.Block rest = staging.take(total);
            t.restBlock = rest;
            from = rest.segment();
            t.copyOut(0, from, 0, total);
        }
        int tag = messages.objectTag(number);
        check(TypedTransfers.isend(from, total, ElementType.OBJECT, t.peer, tag, comm.shadow, s.request), t);
        t.rest = s.request();
        t.hasRest = true;
    }

    boolean testSend(NativeTransfer t, NativeScratch s) {
        if (t.hasRequest && tested(t.request, t, s)) t.hasRequest = false;
        if (t.hasRest && tested(t.rest, t, s)) t.hasRest = false;
        if (t.hasRequest || t.hasRest) return false;
        messages.release(t);
        t.complete();
        return true;
    }

    void startReceive(NativeTransfer t, NativeScratch s) {
        Staging.Block block = staging.take(HEADER_BYTES + INLINE_BYTES);
        t.block = block;
        t.target = null;
        t.refusal = null;
        int tag = t.tag == Transfer.ANY_TAG ? MPI_ANY_TAG : t.tag;
        int room = (int) (HEADER_BYTES + INLINE_BYTES);
        long comm = t.nativeComm().handle;
        int rc = t.matched
                ? MPI_Imrecv(block.segment(), room, MPI_BYTE, TypedTransfers.claim(t, s), s.request)
                : MPI_Irecv(block.segment(), room, MPI_BYTE, TypedTransfers.source(t.peer), tag, comm, s.request);
        check(rc, t);
        t.request = s.request();
        t.hasRequest = true;
        lock.lock();
        try {
            receiving.add(t);
            pending = receiving.size();
            t.nativeComm().retain();
        } finally {
            lock.unlock();
        }
    }

    boolean testReceive(NativeTransfer t, NativeScratch s) {
        lock.lock();
        try {
            return t.isDone() || advance(t, s);
        } finally {
            lock.unlock();
        }
    }

    /// Advances every pending receive, unless a thread is already doing so.
    void progress(NativeScratch s) {
        if (pending == 0 || !lock.tryLock()) return;
        try {
            for (int i = receiving.size() - 1; i >= 0; i--) advance(receiving.get(i), s);
        } finally {
            lock.unlock();
        }
    }

    /// Cancels the receive if the header has not arrived. The caller then tests until the receive is done.
    void cancel(NativeTransfer t, NativeScratch s) {
        lock.lock();
        try {
            if (t.isDone() || !t.hasRequest || t.claimed) return;
            s.request(t.request);
            check(MPI_Cancel(s.request), t);
        } finally {
            lock.unlock();
        }
    }

    /// Advances a receive. When the receive is complete, it is removed from the list.
    private boolean advance(NativeTransfer t, NativeScratch s) {
        try {
            if (t.hasRequest) {
                s.request(t.request);
                int rc = MPI_Test(s.request, s.flag, s.status);
                if (rc == 0 && !s.flag()) return false;
                t.hasRequest = false;
                t.cancelled = rc == 0 && TypedTransfers.cancelled(s);
                if (t.cancelled) TypedTransfers.setNullStatus(t);
                else TypedTransfers.received(t, s);
                if (rc != 0)
                    throw Errors.errorClass(rc) == PredefinedErrorClass.ERR_TRUNCATE ? stranger(t) : failure(rc, t);
                if (!t.cancelled) header(t, s);
            }
            if (t.hasRest) {
                if (!tested(t.rest, t, s)) return false;
                t.hasRest = false;
                MemorySegment target = t.target;
                Staging.Block block = t.restBlock;
                if (target != null && block != null) fill(t, target, block.segment(), 0);
            }
            finish(t, t.refusal);
        } catch (RuntimeException | Error e) {
            finish(t, e);
        }
        return true;
    }

    private void finish(NativeTransfer t, @Nullable Throwable failure) {
        receiving.remove(t);
        pending = receiving.size();
        t.nativeComm().release();
        t.hasRequest = false;
        t.hasRest = false;
        t.target = null;
        messages.release(t);
        if (failure == null) {
            t.complete();
        } else {
            t.fail(failure);
        }
    }

    /// Reads the header: copies the object from it, or starts to receive the remaining data.
    private void header(NativeTransfer t, NativeScratch s) {
        Staging.Block block = t.block;
        if (block == null) throw new IllegalStateException("receive of an object without memory for the header");
        MemorySegment header = block.segment();
        long arrived = t.receivedBytes;
        long total = header.get(JAVA_LONG_UNALIGNED, TOTAL);
        boolean sound = arrived >= HEADER_BYTES && header.get(JAVA_INT_UNALIGNED, MARK) == MAGIC;
        if (!sound || arrived != HEADER_BYTES + (total <= INLINE_BYTES ? total : 0)) throw stranger(t);
        t.receivedBytes = total;
        MemorySegment target = target(t, total);
        t.target = target;
        if (total <= INLINE_BYTES) {
            if (target != null) fill(t, target, header, HEADER_BYTES);
            return;
        }
        MemorySegment into = target;
        if (into == null || !into.isNative() || into.byteSize() < total) {
            Staging.Block rest = staging.take(total);
            t.restBlock = rest;
            into = rest.segment();
        }
        int tag = messages.objectTag(header.get(JAVA_INT_UNALIGNED, NUMBER));
        check(
                TypedTransfers.irecv(into, total, ElementType.OBJECT, t.source, tag, t.nativeComm().shadow, s.request),
                t);
        t.rest = s.request();
        t.hasRest = true;
    }

    /// Returns the buffer; null, with the reason in `refusal`, if the object must be received and discarded.
    private static @Nullable MemorySegment target(NativeTransfer t, long total) {
        Transfer.ReceiveAllocator allocator = t.allocator;
        if (t.kind == Transfer.Kind.RECV_ALLOCATE && allocator != null) {
            try {
                MemorySegment given = allocator.allocate(total);
                t.at(Memory.of(given), 0, Math.min(total, given.byteSize()));
                return given;
            } catch (RuntimeException | Error e) {
                t.refusal = e;
                return null;
            }
        }
        if (total <= t.lengthBytes) return t.memory.segment().asSlice(t.offsetBytes, total);
        t.refusal = Errors.truncated(t);
        return null;
    }

    /// Distributes the message over the first buffer and further buffers, which are allocated one after
    /// another.
    private static void fill(NativeTransfer t, MemorySegment first, MemorySegment from, long fromOffset) {
        MemorySegment room = first;
        for (long done = 0; done < t.receivedBytes; ) {
            Transfer.ReceiveAllocator allocator = t.allocator;
            if (done > 0 && allocator != null) room = allocator.allocate(t.receivedBytes - done);
            long n = Math.min(t.receivedBytes - done, room.byteSize());
            MemorySegment.copy(from, fromOffset + done, room, 0, n);
            done += n;
        }
    }

    private static Fault stranger(NativeTransfer t) {
        return Fault.message(
                PredefinedErrorClass.ERR_TYPE,
                t.operation,
                "the message from " + t.port().describeRank(t.source) + ", tag " + t.receivedTag
                        + ", is not an object; it was sent from a typed buffer",
                t.comm);
    }

    private static boolean tested(long request, NativeTransfer t, NativeScratch s) {
        s.request(request);
        check(MPI_Test(s.request, s.flag, s.status), t);
        return s.flag();
    }

    private static void check(int rc, NativeTransfer t) {
        if (rc != 0) throw failure(rc, t);
    }

    private static Fault failure(int rc, NativeTransfer t) {
        return Errors.of(rc, t.operation, t.comm);
    }
}
