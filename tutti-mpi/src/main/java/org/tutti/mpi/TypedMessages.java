package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.spi.CommPort;
import org.tutti.mpi.spi.Engine;
import org.tutti.mpi.spi.Memory;
import org.tutti.mpi.spi.Transfer;
import org.tutti.mpi.spi.Transfer.Kind;

/// The page of [Comm] with messages of typed data. MPI 4.1, chapter 3.
abstract sealed class TypedMessages extends CommHandle permits ObjectCalls {
    TypedMessages(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    /// Sends with tag 0; see [#send(Buf, int, int)].
    public final void send(Buf buf, int dest) {
        send(buf, dest, 0);
    }

    /// Sends `buf` to `dest`. Returns when the buffer may be used again, which may be before or after the
    /// message was received (standard mode; MPI 4.1, section 3.4).
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG`, `ERR_BUFFER`: nothing was sent
    public final void send(Buf buf, int dest, int tag) {
        Engine engine = begin("send");
        checkSend("send", buf, dest, tag);
        if (dest == PROC_NULL) return;
        Transfer t = mpi.scratch().first().fill("send", port, Kind.SEND, dest, tag, buf.type());
        engine.run(t.at(buf.toMemory(), 0, buf.lengthBytes()));
        throwFailure(t);
    }

    /// Receives from anybody with any tag; see [#recv(Buf, int, int)].
    public final Status recv(Buf buf) {
        return recv(buf, ANY_SOURCE, ANY_TAG);
    }

    /// Receives from `source` with any tag; see [#recv(Buf, int, int)].
    public final Status recv(Buf buf, int source) {
        return recv(buf, source, ANY_TAG);
    }

    /// Receives a message from `source` with `tag` into `buf`; waits for one. The message may be shorter
    /// than the buffer; the status has its length. MPI 4.1, section 3.2.4.
    ///
    /// @throws MpiException `ERR_TRUNCATE` when the message is longer than the buffer, `ERR_TYPE` when it
    ///     was sent with another type: this message is lost then, everything else goes on
    public final Status recv(Buf buf, int source, int tag) {
        Engine engine = begin("recv");
        checkRecv("recv", buf, source, tag);
        if (source == PROC_NULL) return Status.nobody();
        Scratch scratch = mpi.scratch();
        Transfer t = scratch.first().fill("recv", port, Kind.RECV, source, tag, buf.type());
        Memory memory = buf.toMemory();
        engine.run(t.at(memory, 0, buf.lengthBytes()));
        throwFailure(t);
        buf.fromMemory(memory);
        return scratch.status(t);
    }

    /// Sends `out` to `dest` with tag 0 and receives into `in` from `source` with any tag; see the long form.
    public final Status sendrecv(Buf out, int dest, Buf in, int source) {
        return sendrecv(out, dest, 0, in, source, ANY_TAG);
    }

    /// Sends and receives at the same time, so that a ring or an exchange cannot block. The buffers do
    /// not overlap. MPI 4.1, section 3.11.
    public final Status sendrecv(Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        Engine engine = begin("sendrecv");
        checkSend("sendrecv", out, dest, sendTag);
        checkRecv("sendrecv", in, source, recvTag);
        Scratch scratch = mpi.scratch();
        Memory memory = in.toMemory();
        Transfer receive = null;
        if (source != PROC_NULL) {
            receive = scratch.first().fill("sendrecv", port, Kind.RECV, source, recvTag, in.type());
            engine.start(receive.at(memory, 0, in.lengthBytes()));
        }
        if (dest != PROC_NULL) {
            Transfer send = scratch.second().fill("sendrecv", port, Kind.SEND, dest, sendTag, out.type());
            engine.run(send.at(out.toMemory(), 0, out.lengthBytes()));
            throwFailure(send);
        }
        if (receive == null) return Status.nobody();
        engine.await(receive);
        throwFailure(receive);
        in.fromMemory(memory);
        return scratch.status(receive);
    }

    /// Begins to send with tag 0; see [#isend(Buf, int, int)].
    public final Request isend(Buf buf, int dest) {
        return isend(buf, dest, 0);
    }

    /// Begins to send; the buffer must not be changed until the request is complete. MPI 4.1, section 3.7.2.
    public final Request isend(Buf buf, int dest, int tag) {
        Engine engine = begin("isend");
        checkSend("isend", buf, dest, tag);
        if (dest == PROC_NULL) return new Request(mpi, buf, Status.nobody());
        Transfer t = mpi.scratch().take().fill("isend", port, Kind.SEND, dest, tag, buf.type());
        engine.start(t.at(buf.toMemory(), 0, buf.lengthBytes()));
        return new Request(mpi, buf, Buf.NONE, t);
    }

    /// Begins to receive from anybody with any tag; see [#irecv(Buf, int, int)].
    public final Request irecv(Buf buf) {
        return irecv(buf, ANY_SOURCE, ANY_TAG);
    }

    /// Begins to receive with any tag; see [#irecv(Buf, int, int)].
    public final Request irecv(Buf buf, int source) {
        return irecv(buf, source, ANY_TAG);
    }

    /// Begins to receive; the buffer must not be used until the request is complete. Errors of the message,
    /// truncation
    /// for instance, come out of the request. MPI 4.1, section 3.7.2.
    public final Request irecv(Buf buf, int source, int tag) {
        Engine engine = begin("irecv");
        checkRecv("irecv", buf, source, tag);
        if (source == PROC_NULL) return new Request(mpi, buf, Status.nobody());
        Transfer t = mpi.scratch().take().fill("irecv", port, Kind.RECV, source, tag, buf.type());
        engine.start(t.at(buf.toMemory(), 0, buf.lengthBytes()));
        return new Request(mpi, buf, buf, t);
    }

    /// Waits until a message that `recv(…, source, tag)` would take is there, and tells its source, tag
    /// and length. It stays where it is. MPI 4.1, section 3.8.1.
    public final Status probe(int source, int tag) {
        Status s = look("probe", source, tag, true);
        if (s == null) throw new IllegalStateException("probe: the engine waited and found nothing");
        return s;
    }

    /// As [#probe], but returns null at once when there is none.
    public final @Nullable Status iprobe(int source, int tag) {
        return look("iprobe", source, tag, false);
    }

    private @Nullable Status look(String operation, int source, int tag, boolean wait) {
        Engine engine = begin(operation);
        checkRecv(operation, Buf.NONE, source, tag);
        if (source == PROC_NULL) return Status.nobody();
        Scratch scratch = mpi.scratch();
        Transfer t = scratch.first().fill(operation, port, Kind.RECV, source, tag, Datatype.BYTE);
        return engine.probe(t, wait, false) ? scratch.status(t) : null;
    }
}
