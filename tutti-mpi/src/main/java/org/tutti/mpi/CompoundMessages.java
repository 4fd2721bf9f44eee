package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.spi.CommPort;
import org.tutti.mpi.spi.Engine;
import org.tutti.mpi.spi.Memory;
import org.tutti.mpi.spi.Transfer;
import org.tutti.mpi.spi.Transfer.Kind;

/// The page of [Comm] with requests that stand for several messages: exchanges. MPI 4.1, section 3.11.
abstract sealed class CompoundMessages extends NonblockingMessages permits ObjectCalls {
    CompoundMessages(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    /// Begins to send `out` to `dest` with tag 0 and to receive into `in` from `source` with any tag; see
    /// the long form.
    public final Request isendrecv(Buf out, int dest, Buf in, int source) {
        return isendrecv(out, dest, 0, in, source, ANY_TAG);
    }

    /// Begins what [#sendrecv(Buf, int, int, Buf, int, int)] does. The request is complete when both halves
    /// are; its status is the receive's. Until then `out` must not be changed and `in` not be used. It
    /// cannot be cancelled. MPI 4.1, section 3.11.
    public final Request isendrecv(Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        begin("isendrecv");
        checkSend("isendrecv", out, dest, sendTag);
        checkRecv("isendrecv", in, source, recvTag);
        Memory outMemory = dest == PROC_NULL ? Memory.NONE : out.toMemory();
        return exchange("isendrecv", outMemory, out, dest, sendTag, in, source, recvTag);
    }

    /// Begins to send `buf` to `dest` with tag 0 and to receive into it from `source` with any tag; see the
    /// long form.
    public final Request isendrecvReplace(Buf buf, int dest, int source) {
        return isendrecvReplace(buf, dest, 0, source, ANY_TAG);
    }

    /// Begins what [#sendrecvReplace(Buf, int, int, int, int)] does: what is in `buf` now is copied and sent.
    /// Otherwise as [#isendrecv(Buf, int, int, Buf, int, int)]. MPI 4.1, section 3.11.
    public final Request isendrecvReplace(Buf buf, int dest, int sendTag, int source, int recvTag) {
        begin("isendrecvReplace");
        checkSend("isendrecvReplace", buf, dest, sendTag);
        checkRecv("isendrecvReplace", buf, source, recvTag);
        return exchange(
                "isendrecvReplace",
                dest == PROC_NULL ? Memory.NONE : copyOf(buf),
                buf,
                dest,
                sendTag,
                buf,
                source,
                recvTag);
    }

    private static Memory copyOf(Buf buf) {
        MemorySegment copy = MemorySegment.ofArray(new long[Math.toIntExact((buf.lengthBytes() + 7) / 8)]);
        MemorySegment.copy(buf.toMemory().segment(), 0, copy, 0, buf.lengthBytes());
        return Memory.of(copy);
    }

    /// Of `out` only count and type are looked at, its data lies in `outMemory`.
    private Request exchange(
            String operation, Memory outMemory, Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        Engine engine = mpi.engine(operation);
        Scratch scratch = mpi.scratch();
        @Nullable Transfer receive = null;
        if (source != PROC_NULL) {
            receive = scratch.take().fill(operation, port, Kind.RECV, source, recvTag, in.type());
            engine.start(receive.at(in.toMemory(), 0, in.lengthBytes()));
        }
        @Nullable Transfer send = null;
        if (dest != PROC_NULL) {
            send = scratch.take().fill(operation, port, Kind.SEND, dest, sendTag, out.type());
            engine.start(send.at(outMemory, 0, out.lengthBytes()));
        }
        if (send == null && receive == null) return new Request(mpi, out, Status.nobody());
        return new ExchangeRequest(mpi, out, in, send, receive);
    }
}
