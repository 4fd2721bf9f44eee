package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;

/// The chapter of [Comm] on nonblocking messages of typed data: each method begins an operation and returns
/// its [Request]. MPI 4.1, sections 3.7 and 3.10.
public abstract sealed class NonblockingPointToPoint extends BlockingPointToPoint permits PersistentPointToPoint {
    NonblockingPointToPoint(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    // ---- nonblocking sends

    /// As [#isend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#isend(Buf, int, int)]
    public final Request isend(Buf buf, int dest) {
        return isend(buf, dest, 0);
    }

    /// Begins [#send(Buf, int, int)] and returns its request; the buffer must not be changed until that is
    /// complete. Local: waits for nobody. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    public final Request isend(Buf buf, int dest, int tag) {
        return isend("isend", false, buf, dest, tag);
    }

    /// As [#issend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#issend(Buf, int, int)]
    public final Request issend(Buf buf, int dest) {
        return issend(buf, dest, 0);
    }

    /// As [#isend(Buf, int, int)], in synchronous mode: the request is complete only when a receive has
    /// matched the message and begun to take it. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    public final Request issend(Buf buf, int dest, int tag) {
        return isend("issend", true, buf, dest, tag);
    }

    /// As [#ibsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#ibsend(Buf, int, int)]
    public final Request ibsend(Buf buf, int dest) {
        return ibsend(buf, dest, 0);
    }

    /// As [#bsend(Buf, int, int)], with a request, which is complete. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#bsend(Buf, int, int)]
    public final Request ibsend(Buf buf, int dest, int tag) {
        begin("ibsend");
        checkSend("ibsend", buf, dest, tag);
        if (dest != PROC_NULL) buffers.send("ibsend", buf, dest, tag);
        return new Request(mpi, buf, Status.empty());
    }

    /// As [#irsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#irsend(Buf, int, int)]
    public final Request irsend(Buf buf, int dest) {
        return irsend(buf, dest, 0);
    }

    /// As [#isend(Buf, int, int)], in ready mode, for a message whose receive has been posted already; see
    /// [#rsend(Buf, int, int)]. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    public final Request irsend(Buf buf, int dest, int tag) {
        return isend("irsend", false, buf, dest, tag);
    }

    private Request isend(String operation, boolean synchronous, Buf buf, int dest, int tag) {
        EngineCalls engine = begin(operation);
        checkSend(operation, buf, dest, tag);
        if (dest == PROC_NULL) return new Request(mpi, buf, Status.empty());
        Transfer t = mpi.scratch()
                .take()
                .fill(operation, port, Kind.SEND, dest, tag, buf.type().elements());
        t.synchronous = synchronous;
        engine.start(buf.place(t));
        return new Request(mpi, buf, Buf.NONE, t);
    }

    // ---- nonblocking receives

    /// As [#irecv(Buf, int, int)], from anybody and with any tag.
    ///
    /// @throws MpiException as [#irecv(Buf, int, int)]
    public final Request irecv(Buf buf) {
        return irecv(buf, ANY_SOURCE, ANY_TAG);
    }

    /// As [#irecv(Buf, int, int)], with any tag.
    ///
    /// @throws MpiException as [#irecv(Buf, int, int)]
    public final Request irecv(Buf buf, int source) {
        return irecv(buf, source, ANY_TAG);
    }

    /// Begins [#recv(Buf, int, int)] and returns its request; the buffer must not be used until that is
    /// complete. Local: waits for nobody. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG`, `ERR_BUFFER`, `ERR_TYPE` for an argument, as
    ///     [#recv(Buf, int, int)]; `ERR_TRUNCATE` and `ERR_TYPE` of the message come out of the request
    public final Request irecv(Buf buf, int source, int tag) {
        EngineCalls engine = begin("irecv");
        checkRecv("irecv", buf, source, tag);
        if (source == PROC_NULL) return new Request(mpi, buf, Status.nobody());
        Transfer t = mpi.scratch()
                .take()
                .fill("irecv", port, Kind.RECV, source, tag, buf.type().elements());
        engine.start(buf.place(t));
        return new Request(mpi, buf, buf, t);
    }

    // ---- both at once

    /// As [#isendrecv(Buf, int, int, Buf, int, int)], sending with tag 0 and receiving with any.
    ///
    /// @throws MpiException as [#isendrecv(Buf, int, int, Buf, int, int)]
    public final Request isendrecv(Buf out, int dest, Buf in, int source) {
        return isendrecv(out, dest, 0, in, source, ANY_TAG);
    }

    /// Begins [#sendrecv(Buf, int, int, Buf, int, int)] and returns its request, which is complete when both
    /// halves are; its status is the receive's. Until then `out` must not be changed and `in` not be used. It
    /// cannot be cancelled. Local: waits for nobody. MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#isend(Buf, int, int)] and [#irecv(Buf, int, int)]
    public final Request isendrecv(Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        begin("isendrecv");
        checkSend("isendrecv", out, dest, sendTag);
        checkRecv("isendrecv", in, source, recvTag);
        if (dest != PROC_NULL && source != PROC_NULL)
            checkDisjoint("isendrecv", out, out.lengthBytes(), in, in.lengthBytes(), port);
        return exchange("isendrecv", null, out, dest, sendTag, in, source, recvTag);
    }

    /// As [#isendrecvReplace(Buf, int, int, int, int)], sending with tag 0 and receiving with any.
    ///
    /// @throws MpiException as [#isendrecvReplace(Buf, int, int, int, int)]
    public final Request isendrecvReplace(Buf buf, int dest, int source) {
        return isendrecvReplace(buf, dest, 0, source, ANY_TAG);
    }

    /// Begins [#sendrecvReplace(Buf, int, int, int, int)]: what is in `buf` now is copied and sent. Local;
    /// otherwise as [#isendrecv(Buf, int, int, Buf, int, int)]. MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#isend(Buf, int, int)] and [#irecv(Buf, int, int)]
    public final Request isendrecvReplace(Buf buf, int dest, int sendTag, int source, int recvTag) {
        begin("isendrecvReplace");
        checkSend("isendrecvReplace", buf, dest, sendTag);
        checkRecv("isendrecvReplace", buf, source, recvTag);
        Memory copy = null;
        if (dest != PROC_NULL) {
            copy = Memory.of(MemorySegment.ofArray(new long[Math.toIntExact((buf.lengthBytes() + 7) / 8)]));
            buf.packInto(copy.segment());
        }
        return exchange("isendrecvReplace", copy, buf, dest, sendTag, buf, source, recvTag);
    }

    /// With a `copy`, only count and type of `out` are looked at: its data lies there, packed.
    private Request exchange(
            String operation, @Nullable Memory copy, Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        EngineCalls engine = mpi.engine(operation);
        Scratch scratch = mpi.scratch();
        Transfer send = null;
        // what cannot be read is found before anything is received
        if (dest != PROC_NULL) {
            send = scratch.take()
                    .fill(operation, port, Kind.SEND, dest, sendTag, out.type().elements());
            send = copy == null ? out.place(send) : send.at(copy, 0, out.lengthBytes());
            checkAccess(send);
        }
        Transfer receive = null;
        if (source != PROC_NULL) {
            receive = scratch.take()
                    .fill(operation, port, Kind.RECV, source, recvTag, in.type().elements());
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
        if (send == null && receive == null) return new Request(mpi, out, Status.nobody());
        return new ExchangeRequest(mpi, out, in, send, receive);
    }
}
