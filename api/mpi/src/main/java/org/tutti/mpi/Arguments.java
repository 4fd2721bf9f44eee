package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.Transfer;

/// The checks of arguments that are the same for all operations.
final class Arguments {
    private Arguments() {}

    /// Returns the argument, or throws if it is null.
    static <T> T given(String operation, String name, @Nullable T argument, @Nullable CommPort port) {
        if (argument != null) return argument;
        boolean isBuffer = name.equals("buf") || name.equals("send") || name.equals("recv");
        throw MpiException.argument(
                name.equals("op") ? ErrorClass.ERR_OP : isBuffer ? ErrorClass.ERR_BUFFER : ErrorClass.ERR_ARG,
                operation,
                name + " is null" + (isBuffer ? "; pass Buf.NONE for no data" : ""),
                port);
    }

    static <T> T given(String operation, String name, @Nullable T argument) {
        return given(operation, name, argument, null);
    }

    /// Checks that a program passed hints, and that no key and no value is null.
    static void checkHints(String operation, String name, Map<String, String> hints, @Nullable CommPort port) {
        given(operation, name, hints, port);
        for (Map.Entry<String, String> hint : hints.entrySet()) {
            given(operation, "a key of " + name, hint.getKey(), port);
            given(operation, name + "[" + hint.getKey() + "]", hint.getValue(), port);
        }
    }

    /// Checks that no record to be sent is null.
    static void checkRecords(String operation, Buf buf, long from, long count, @Nullable CommPort port) {
        String missing = buf.missing(from, count);
        if (missing != null) throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, missing, port);
    }

    static void checkReceiveBuffer(String operation, Buf buf, @Nullable CommPort port) {
        given(operation, "buf", buf, port);
        if (buf == Buf.IN_PLACE) throw noPlace(operation, port);
        if (buf.isReadOnly()) {
            throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, "the receive buffer is read-only", port);
        }
        if (buf.overlaps()) throw overlap(operation, port);
    }

    /// Checks, before the call consumes a message, that this thread may access the memory.
    static void checkAccess(Transfer placed) {
        if (!(placed.memory instanceof Memory.Native(MemorySegment s)) || s.byteSize() == 0) return;
        try {
            var _ = s.get(ValueLayout.JAVA_BYTE, 0);
        } catch (WrongThreadException | IllegalStateException e) {
            throw MpiException.asRuntime(MessageErrors.ofMemory(placed.operation, placed.port(), e));
        }
    }

    /// Returns the error for a receive into a type with overlapping elements. Sending from such a type is legal
    /// (MPI 4.1, section 5.1.11).
    static MpiException overlap(String operation, @Nullable CommPort port) {
        return MpiException.argument(
                ErrorClass.ERR_TYPE,
                operation,
                "the receive buffer's type contains bytes twice; receive with a type without overlap",
                port);
    }

    /// Checks that the send buffer and the receive buffer of a call do not overlap (MPI 4.1, sections 3.10 and
    /// 6.2). Buffers with gaps are not checked, because the bytes of one buffer may be stored in the gaps of
    /// the other. Data in [Pieces] is not checked. With a compatibility layer, no overlap is checked, because
    /// the original bindings accept overlapping buffers.
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

    /// Returns whether the first `aBytes` bytes of `a` overlap with the `bBytes` bytes of `b` that start at
    /// byte `bFrom`. Returns false if one of the buffers has gaps or consists of [Pieces].
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

    static MpiException noPlace(String operation, @Nullable CommPort port) {
        return MpiException.argument(
                ErrorClass.ERR_BUFFER, operation, "IN_PLACE is for collective operations; pass a buffer", port);
    }
}
