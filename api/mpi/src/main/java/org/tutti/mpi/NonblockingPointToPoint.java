package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;

/// Nonblocking messages of typed data: each method starts an operation and returns a [Request]. MPI 4.1,
/// sections 3.7 and 3.10.
abstract sealed class NonblockingPointToPoint extends BlockingPointToPoint permits PersistentPointToPoint {
    NonblockingPointToPoint(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    // ---- nonblocking sends

    @Override
    public Request isend(Buf buf, int dest) {
        return isend("isend", false, buf, dest, 0);
    }

    @Override
    public Request isend(Buf buf, int dest, int tag) {
        return isend("isend", false, buf, dest, tag);
    }

    @Override
    public Request issend(Buf buf, int dest) {
        return isend("issend", true, buf, dest, 0);
    }

    @Override
    public Request issend(Buf buf, int dest, int tag) {
        return isend("issend", true, buf, dest, tag);
    }

    @Override
    public Request ibsend(Buf buf, int dest, int tag) {
        begin("ibsend");
        checkSend("ibsend", buf, dest, tag);
        if (dest != PROC_NULL) buffers.send("ibsend", buf, dest, tag);
        return new Request(mpi, buf, Status.empty());
    }

    @Override
    public Request irsend(Buf buf, int dest) {
        return isend("irsend", false, buf, dest, 0);
    }

    @Override
    public Request irsend(Buf buf, int dest, int tag) {
        return isend("irsend", false, buf, dest, tag);
    }

    private Request isend(String operation, boolean synchronous, Buf buf, int dest, int tag) {
        EngineCalls engine = begin(operation);
        checkSend(operation, buf, dest, tag);
        if (dest == PROC_NULL) return new Request(mpi, buf, Status.empty());
        Transfer t = mpi.scratch()
                .take()
                .fill(operation, port, Kind.SEND, dest, tag, buf.datatype().elements());
        t.synchronous = synchronous;
        engine.start(buf.place(t));
        return new Request(mpi, buf, Buf.NONE, t);
    }

    // ---- nonblocking receives

    @Override
    public Request irecv(Buf buf) {
        return receive(buf, ANY_SOURCE, ANY_TAG);
    }

    @Override
    public Request irecv(Buf buf, int source) {
        return receive(buf, source, ANY_TAG);
    }

    @Override
    public Request irecv(Buf buf, int source, int tag) {
        return receive(buf, source, tag);
    }

    private Request receive(Buf buf, int source, int tag) {
        EngineCalls engine = begin("irecv");
        checkRecv("irecv", buf, source, tag);
        if (source == PROC_NULL) return new Request(mpi, buf, Status.ofNullProcess());
        Transfer t = mpi.scratch()
                .take()
                .fill("irecv", port, Kind.RECV, source, tag, buf.datatype().elements());
        engine.start(buf.place(t));
        return new Request(mpi, buf, buf, t);
    }

    @Override
    public Request isendrecv(Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        begin("isendrecv");
        checkSend("isendrecv", out, dest, sendTag);
        checkRecv("isendrecv", in, source, recvTag);
        if (dest != PROC_NULL && source != PROC_NULL)
            Arguments.checkDisjoint("isendrecv", out, out.sizeBytes(), in, in.sizeBytes(), port);
        return exchange("isendrecv", null, out, dest, sendTag, in, source, recvTag);
    }

    @Override
    public Request isendrecvReplace(Buf buf, int dest, int sendTag, int source, int recvTag) {
        begin("isendrecvReplace");
        checkSend("isendrecvReplace", buf, dest, sendTag);
        checkRecv("isendrecvReplace", buf, source, recvTag);
        Memory copy = null;
        if (dest != PROC_NULL) {
            copy = Memory.of(MemorySegment.ofArray(new long[Math.toIntExact((buf.sizeBytes() + 7) / 8)]));
            buf.packInto(copy.segment());
        }
        return exchange("isendrecvReplace", copy, buf, dest, sendTag, buf, source, recvTag);
    }

    /// Starts a send and a receive. If `copy` is given, it contains the packed data to be sent, and only the
    /// count and the type of `out` are used.
    private Request exchange(
            String operation, @Nullable Memory copy, Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        EngineCalls engine = mpi.engine(operation);
        Scratch scratch = mpi.scratch();
        Transfer send = null;
        // the send is filled in first, so that an unreadable buffer is detected before a message is received
        if (dest != PROC_NULL) {
            send = scratch.take()
                    .fill(
                            operation,
                            port,
                            Kind.SEND,
                            dest,
                            sendTag,
                            out.datatype().elements());
            send = copy == null ? out.place(send) : send.at(copy, 0, out.sizeBytes());
            Arguments.checkAccess(send);
        }
        Transfer receive = null;
        if (source != PROC_NULL) {
            receive = scratch.take()
                    .fill(
                            operation,
                            port,
                            Kind.RECV,
                            source,
                            recvTag,
                            in.datatype().elements());
            engine.start(in.place(receive));
        }
        if (send != null) {
            try {
                engine.start(send);
            } catch (RuntimeException | Error e) {
                engine.withdraw(receive, e);
                throw e;
            }
        }
        if (send == null && receive == null) return new Request(mpi, out, Status.ofNullProcess());
        return new ExchangeRequest(mpi, out, in, send, receive);
    }
}
