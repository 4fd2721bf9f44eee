package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.MatchingFunctions.*;
import static org.tutti.libmpi.raw.PointToPointFunctions.*;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.Collective;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.DeviceLayout;
import org.tutti.spi.type.ElementType;

/// Typed messages: each is one message of the library.
final class TypedTransfers {
    private final Staging staging;
    private final int tagUpperBound;

    TypedTransfers(Staging staging, int tagUpperBound) {
        this.staging = staging;
        this.tagUpperBound = tagUpperBound;
    }

    /// Sends the message, and waits in the library.
    void send(NativeTransfer t, NativeScratch s) {
        int count = (int) Types.elements(t.type, t.lengthBytes);
        int rc = MPI_Send(outgoing(t, s), count, Types.of(t.type), t.peer, tag(t), comm(t));
        if (rc != 0) throw Errors.of(rc, t.operation, t.comm);
        t.complete();
    }

    /// Receives the message, and waits in the library.
    void receive(NativeTransfer t, NativeScratch s) {
        int count = (int) Types.elements(t.type, t.lengthBytes);
        int rc = MPI_Recv(incoming(t, s), count, Types.of(t.type), source(t.peer), tag(t), comm(t), s.status);
        received(t, s);
        if (rc != 0) throw Errors.ofReceive(rc, t);
        if (isStaged(t)) t.copyIn(0, s.recvRoom(t.receivedBytes), 0, t.receivedBytes);
        t.complete();
    }

    /// Starts the message. If not `owned`, the caller waits, so heap memory is staged in the thread's scratch,
    /// if this is large enough.
    void start(NativeTransfer t, NativeScratch s, boolean owned) {
        boolean own = owned || !NativeScratch.holds(t.lengthBytes);
        if (own && isStaged(t)) t.block = staging.take(t.lengthBytes);
        int rc;
        if (t.kind == Transfer.Kind.SEND) {
            MemorySegment from = t.block == null ? outgoing(t, s) : fill(t.block.segment(), t);
            rc = isend(t, from, s);
        } else {
            MemorySegment into = t.block == null ? incoming(t, s) : t.block.segment();
            rc = t.matched ? imrecv(t, into, s) : irecv(t, into, s);
        }
        if (rc != 0) throw Errors.of(rc, t.operation, t.comm);
        t.request = s.request();
        t.hasRequest = true;
    }

    /// Starts to send a copy of the message.
    void startCopied(NativeTransfer t, NativeScratch s) {
        Staging.Block block = staging.take(t.lengthBytes);
        t.block = block;
        int rc = isend(t, fill(block.segment(), t), s);
        if (rc != 0) throw Errors.of(rc, t.operation, t.comm);
        t.request = s.request();
        t.hasRequest = true;
    }

    private int isend(NativeTransfer t, MemorySegment from, NativeScratch s) {
        long count = Types.elements(t.type, t.lengthBytes);
        if (!t.synchronous) return isend(from, count, t.type, t.peer, tag(t), comm(t), s.request);
        long whole = Types.whole(t.type, count);
        long n = whole == 0 ? count : 1, type = whole == 0 ? Types.of(t.type) : whole;
        int rc = MPI_Issend(!Types.fitsInt(n), from, n, type, t.peer, tag(t), comm(t), s.request);
        Types.freeWhole(whole);
        return rc;
    }

    private int irecv(NativeTransfer t, MemorySegment into, NativeScratch s) {
        long count = Types.elements(t.type, t.lengthBytes);
        return irecv(into, count, t.type, source(t.peer), tag(t), comm(t), s.request);
    }

    private static int imrecv(NativeTransfer t, MemorySegment into, NativeScratch s) {
        MemorySegment message = claim(t, s);
        long count = Types.elements(t.type, t.lengthBytes);
        long whole = Types.whole(t.type, count);
        long n = whole == 0 ? count : 1, type = whole == 0 ? Types.of(t.type) : whole;
        int rc = MPI_Imrecv(!Types.fitsInt(n), into, n, type, message, s.request);
        Types.freeWhole(whole);
        return rc;
    }

    /// Stores the handle of the message that a matched probe has reserved. Returns the address of the handle,
    /// an argument of the library's receive function. From now on, the receive cannot be cancelled.
    static MemorySegment claim(NativeTransfer t, NativeScratch s) {
        t.matched = false;
        t.claimed = true;
        ABI.writeHandle(s.out, t.message);
        return s.out;
    }

    /// Tests a started message, and completes it if possible.
    boolean test(NativeTransfer t, NativeScratch s) {
        s.request(t.request);
        int rc = MPI_Test(s.request, s.flag, s.status);
        if (rc == 0 && !s.flag()) return false;
        t.hasRequest = false;
        if (t.kind == Transfer.Kind.RECV) {
            if (t.cancelling && rc == 0 && cancelled(s)) {
                t.cancelled = true;
                setNullStatus(t);
                release(t);
                t.complete();
                return true;
            }
            received(t, s);
            if (rc != 0) throw Errors.ofReceive(rc, t);
            if (isStaged(t)) {
                MemorySegment room = t.block == null ? s.recvRoom(t.receivedBytes) : t.block.segment();
                t.copyIn(0, room, 0, t.receivedBytes);
            }
        } else if (rc != 0) {
            throw Errors.of(rc, t.operation, t.comm);
        }
        release(t);
        t.complete();
        return true;
    }

    /// Releases memory that the library used.
    void release(NativeTransfer t) {
        Staging.Block block = t.block;
        if (block != null) staging.give(block);
        t.block = null;
        block = t.restBlock;
        if (block != null) staging.give(block);
        t.restBlock = null;
    }

    /// Probes for a message. If `take`, reserves the message for `pattern`.
    boolean probe(NativeTransfer pattern, boolean take, NativeScratch s) {
        int source = source(pattern.peer);
        int tag = pattern.tag == Transfer.ANY_TAG ? MPI_ANY_TAG : pattern.tag;
        long comm = pattern.nativeComm().handle;
        int rc = take
                ? MPI_Improbe(source, tag, comm, s.flag, s.out, s.status)
                : MPI_Iprobe(source, tag, comm, s.flag, s.status);
        if (rc != 0) throw Errors.of(rc, pattern.operation, pattern.comm);
        if (!s.flag()) return false;
        if (take) pattern.message = ABI.readHandle(s.out);
        pattern.matched = take;
        received(pattern, s);
        return true;
    }

    /// Sets the status of the null process (MPI 4.1, section 3.11).
    static void setNullStatus(Transfer t) {
        t.source = Transfer.PROC_NULL;
        t.receivedTag = Transfer.ANY_TAG;
        t.receivedBytes = 0;
    }

    /// Copies the library's status.
    static void received(Transfer t, NativeScratch s) {
        t.source = s.status.get(JAVA_INT, STATUS_SOURCE);
        t.receivedTag = t.lane == Transfer.Lane.USER ? s.status.get(JAVA_INT, STATUS_TAG) : t.tag;
        long bytes = bytes(s);
        // elements of several types are sent as bytes, including the gaps of pairs
        t.receivedBytes = t.type.isMixed() ? bytes : t.type.withGaps(bytes);
    }

    /// Returns whether the status reports a cancelled receive.
    static boolean cancelled(NativeScratch s) {
        MPI_Test_cancelled(s.status, s.flag);
        return s.flag();
    }

    /// Returns the length of the message. If the header defines the offset of the length in the status, the
    /// length is read from there, which is 10 ns faster than a call; the standard ABI does not define the
    /// offset.
    static long bytes(NativeScratch s) {
        return switch (ABI) {
            case OPEN_MPI -> s.status.get(JAVA_LONG, STATUS_COUNT);
            case MPICH -> {
                long low = s.status.get(JAVA_INT, STATUS_COUNT) & 0xffff_ffffL;
                int high = s.status.get(JAVA_INT, STATUS_COUNT_HIGH) >>> 1; // the lowest bit is the cancelled flag
                yield (long) high << 32 | low;
            }
            case STANDARD -> {
                MPI_Get_elements_x(s.status, MPI_BYTE, s.out);
                yield s.out.get(JAVA_LONG, 0);
            }
        };
    }

    static int source(int peer) {
        return peer == Transfer.ANY_SOURCE ? MPI_ANY_SOURCE : peer;
    }

    private static long comm(NativeTransfer t) {
        if (t.lane == Transfer.Lane.USER) return t.nativeComm().handle;
        if (t.nativeComm().isMixed()) throw ForeignRanks.refuse(t, "internal messages of Tutti");
        return t.nativeComm().shadow;
    }

    private int tag(NativeTransfer t) {
        return switch (t.lane) {
            case USER -> t.tag == Transfer.ANY_TAG ? MPI_ANY_TAG : t.tag;
            case COLLECTIVE -> collectiveTag(t);
            case MAKING -> groupTag(t.tag);
            case PARTITIONED -> partitionTag(t.tag);
            case CHECKING -> tagUpperBound;
        };
    }

    /// Returns the tag of a message of a collective schedule, in the lower half of the shadow's tags. Several
    /// calls may be active, so the tag contains the number of the call.
    private int collectiveTag(NativeTransfer t) {
        Collective call = t.call;
        long sequence = call == null ? 0 : call.sequence;
        return (int) (((sequence << 12) + t.tag) % lowerHalf());
    }

    /// Returns the tag of the remaining data of an object, in the first half of the third quarter of the
    /// shadow's tags.
    int objectTag(int number) {
        return (int) (lowerHalf() + (number & Integer.MAX_VALUE) % (quarter() / 2));
    }

    /// Returns the tag of a partitioned message, in the second half of the third quarter of the shadow's tags;
    /// the first of these tags is for announcements. Two partitions share a tag of the shadow only if the
    /// values of `tag` differ by at least 4000, with most libraries by 10 million or more.
    private int partitionTag(int tag) {
        long tags = quarter() / 2;
        long within = tag == 0 ? 0 : 1 + (tag - 1) % (tags - 1);
        return (int) (lowerHalf() + tags + within);
    }

    /// Returns the tag for the creation of a communicator by some ranks, with a user's tag, in the first half
    /// of the last quarter of the shadow's tags. The creation uses the shadow because Open MPI sends internal
    /// messages with the given tag, and in the user's context a receive of any tag would match such a message.
    int groupTag(int tag) {
        return (int) (lowerHalf() + quarter() + tag % (quarter() / 2));
    }

    /// Returns the tag for a creation by key, without a parent, in the second half of the last quarter of the
    /// shadow's tags. The last tag of all is for messages of observers that compare collective calls.
    int creationTag(long number) {
        // an even number of tags, so that odd and even numbers never share a tag
        long first = lowerHalf() + quarter() + quarter() / 2, tags = tagUpperBound - first & ~1L;
        return (int) (first + Math.floorMod(number, tags));
    }

    private long quarter() {
        return lowerHalf() / 2;
    }

    private long lowerHalf() {
        return (tagUpperBound + 1L) / 2;
    }

    private static MemorySegment outgoing(NativeTransfer t, NativeScratch s) {
        return isStaged(t) ? fill(s.sendRoom(t.lengthBytes), t) : inPlace(t);
    }

    private static MemorySegment incoming(NativeTransfer t, NativeScratch s) {
        return isStaged(t) ? s.recvRoom(t.lengthBytes) : inPlace(t);
    }

    private static MemorySegment inPlace(NativeTransfer t) {
        if (t.layout instanceof DeviceLayout there) return MemorySegment.ofAddress(there.address());
        return slice(t.memory.segment(), t.offsetBytes);
    }

    static MemorySegment slice(MemorySegment segment, long offset) {
        return offset == 0 ? segment : segment.asSlice(offset);
    }

    private static MemorySegment fill(MemorySegment room, Transfer t) {
        t.copyOut(0, room, 0, t.lengthBytes);
        return room;
    }

    /// Returns whether the library works on a packed copy off the heap.
    private static boolean isStaged(Transfer t) {
        return t.memory instanceof Memory.Heap || t.layout != null && !LibraryDevices.passes(t.layout);
    }

    /// Calls `MPI_Isend`, with any count.
    static int isend(
            MemorySegment from, long count, ElementType type, int dest, int tag, long comm, MemorySegment request) {
        long whole = Types.whole(type, count);
        long n = whole == 0 ? count : 1, handle = whole == 0 ? Types.of(type) : whole;
        int rc = MPI_Isend(!Types.fitsInt(n), from, n, handle, dest, tag, comm, request);
        Types.freeWhole(whole);
        return rc;
    }

    /// Calls `MPI_Irecv`, with any count.
    static int irecv(
            MemorySegment into, long count, ElementType type, int source, int tag, long comm, MemorySegment request) {
        long whole = Types.whole(type, count);
        long n = whole == 0 ? count : 1, handle = whole == 0 ? Types.of(type) : whole;
        int rc = MPI_Irecv(!Types.fitsInt(n), into, n, handle, source, tag, comm, request);
        Types.freeWhole(whole);
        return rc;
    }
}
