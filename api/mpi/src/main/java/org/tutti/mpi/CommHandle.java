package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.mpi.engine.NullComm;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.Transfer;

/// What the chapters of [Comm] share and programs do not see: its port, and the checks of arguments.
abstract sealed class CommHandle implements Communicator permits CommAccessors {
    final Mpi mpi;
    final CommPort port;
    final SendBuffers buffers;

    /// How many ranks messages go to and come from.
    private final int peers;

    private final int highestTag;

    /// Of a communicator that the program closes; null for the predefined communicators.
    @Nullable
    CommLifetime lifetime;

    CommHandle(Mpi mpi, CommPort port) {
        this.mpi = mpi;
        this.port = port;
        highestTag = mpi.tagUpperBound();
        buffers = new SendBuffers(mpi, port, false);
        peers = port.peerSize();
    }

    final void checkOpen(String operation) {
        CommLifetime owned = lifetime;
        if (owned != null) owned.checkOpen(operation);
    }

    final CommLifetime lifetime() {
        return Objects.requireNonNull(lifetime);
    }

    /// The engine for an operation on this communicator that begins now.
    final EngineCalls begin(String operation) {
        CommLifetime owned = lifetime;
        if (owned != null) owned.checkOpen(operation); // before the engine's checks: its message names the line
        EngineCalls engine = mpi.engine(operation);
        if (port instanceof NullComm none) {
            throw MpiException.argument(ErrorClass.ERR_COMM, operation, none.why(), mpi.where());
        }
        return engine;
    }

    /// Whether the caller is the root; between two groups it says so by [#ROOT].
    final boolean isRoot(int root) {
        return port.isInter() ? root == ROOT : root == port.rank();
    }

    /// An argument that must be there, whatever the compiler was told.
    static <T> T given(String operation, String name, @Nullable T argument, @Nullable CommPort port) {
        if (argument != null) return argument;
        boolean isBuffer = name.equals("buf") || name.equals("send") || name.equals("recv");
        throw MpiException.argument(
                name.equals("op") ? ErrorClass.ERR_OP : isBuffer ? ErrorClass.ERR_BUFFER : ErrorClass.ERR_ARG,
                operation,
                name + " is null" + (isBuffer ? "; a rank that has no data there passes Buf.NONE" : ""),
                port);
    }

    static <T> T given(String operation, String name, @Nullable T argument) {
        return given(operation, name, argument, null);
    }

    final void checkTag(String operation, int tag) {
        if (tag < 0 || tag > highestTag) throw badTag(operation, tag);
    }

    final void checkSend(String operation, Buf buf, int dest, int tag) {
        if (dest != PROC_NULL && (dest < 0 || dest >= peers)) throw badRank(operation, "dest", dest);
        if (tag < 0 || tag > highestTag) throw badTag(operation, tag);
        if (buf == null) given(operation, "buf", null, port);
        if (buf == Buf.IN_PLACE) throw noPlace(operation, port);
        if (buf.pieces != null) checkRecords(operation, buf, 0, buf.count(), port);
    }

    /// Records to be sent are there.
    static void checkRecords(String operation, Buf buf, long from, long count, @Nullable CommPort port) {
        String missing = buf.missing(from, count);
        if (missing != null) throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, missing, port);
    }

    final void checkRecv(String operation, Buf buf, int source, int tag) {
        if (source < 0 ? source != ANY_SOURCE && source != PROC_NULL : source >= peers) {
            throw badRank(operation, "source", source);
        }
        if (tag != ANY_TAG && (tag < 0 || tag > highestTag)) throw badTag(operation, tag);
        // an array is neither read-only nor has it gaps
        if (buf == null || buf.array == null || buf.layout != null) checkReceiveBuffer(operation, buf, port);
    }

    static void checkReceiveBuffer(String operation, Buf buf, @Nullable CommPort port) {
        given(operation, "buf", buf, port);
        if (buf == Buf.IN_PLACE) throw noPlace(operation, port);
        if (buf.isReadOnly()) {
            throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, "the receive buffer is read-only", port);
        }
        if (buf.overlaps()) throw overlap(operation, port);
    }

    /// Memory that the JDK refuses to touch, before the call takes a message.
    static void checkAccess(Transfer placed) {
        if (!(placed.memory instanceof Memory.Native(MemorySegment s)) || s.byteSize() == 0) return;
        try {
            var _ = s.get(ValueLayout.JAVA_BYTE, 0);
        } catch (WrongThreadException | IllegalStateException e) {
            throw MpiException.asRuntime(MessageErrors.ofMemory(placed.operation, placed.port(), e));
        }
    }

    /// Sending from such a type is fine (MPI 4.1, section 5.1.11).
    static MpiException overlap(String operation, @Nullable CommPort port) {
        return MpiException.argument(
                ErrorClass.ERR_TYPE,
                operation,
                "the receive buffer's type has some bytes twice; make one without, or receive elsewhere",
                port);
    }

    /// Buffers of one call of which one is sent and the other one received into: elements of one are not
    /// elements of the other (MPI 4.1, sections 3.10 and 6.2). Only of memory without gaps, since the bytes
    /// of others may alternate. The bindings that the drop-ins replace accept such calls.
    static void checkDisjoint(
            String operation, Buf send, long sendBytes, Buf recv, long recvBytes, @Nullable CommPort port) {
        if (!overlap(send, sendBytes, recv, 0, recvBytes) || UserLine.isOfDropIn()) return;
        throw overlapping(operation, port);
    }

    private static MpiException overlapping(String operation, @Nullable CommPort port) {
        return MpiException.argument(
                ErrorClass.ERR_BUFFER,
                operation,
                "send and recv overlap in memory; pass two buffers"
                        + (operation.contains("sendrecv") ? ", or use sendrecvReplace" : ", or IN_PLACE"),
                port);
    }

    /// Whether the first bytes of `a` and some of `b` are the same memory, as far as both have no gaps.
    static boolean overlap(Buf a, long aBytes, Buf b, long bFrom, long bBytes) {
        if (aBytes == 0 || bBytes == 0 || a.hasGaps() || b.hasGaps() || a.inPieces() || b.inPieces()) return false;
        Object x = a.array, y = b.array;
        if (x != null && y != null) return x == y && bFrom < aBytes;
        if (x != null && b.memory().segment().isNative()) return false;
        if (y != null && a.memory().segment().isNative()) return false;
        MemorySegment s = a.memory().segment(), t = b.memory().segment();
        if (s.isNative() != t.isNative()) return false;
        if (s.isNative()) { // without an object for each call
            long from = t.address() + bFrom;
            return s.address() < from + bBytes && from < s.address() + aBytes;
        }
        return s.asSlice(0, aBytes).asOverlappingSlice(t.asSlice(bFrom, bBytes)).isPresent();
    }

    private MpiException badRank(String operation, String what, int rank) {
        return MpiException.argument(
                ErrorClass.ERR_RANK,
                operation,
                what + "=" + rank + " is no rank of " + (port.isInter() ? "the remote group of " : "") + port.name()
                        + ", which has ranks 0 to " + (peers - 1),
                port);
    }

    private MpiException badTag(String operation, int tag) {
        return MpiException.argument(
                ErrorClass.ERR_TAG, operation, "tag=" + tag + " is not in 0 to " + highestTag, port);
    }

    private static MpiException noPlace(String operation, @Nullable CommPort port) {
        return MpiException.argument(
                ErrorClass.ERR_BUFFER, operation, "IN_PLACE is for collective operations; pass a buffer", port);
    }

    static void throwFailure(Transfer t) {
        Throwable why = t.failure();
        if (why != null) throw MpiException.asRuntime(why);
    }
}
