package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;
import org.tutti.spi.type.ElementType;

/// The chapter of [Comm] on blocking messages of typed data: the four modes of a send, the buffers of
/// buffered mode, receives, send-receive, and probes. MPI 4.1, sections 3.2 to 3.6, 3.8 and 3.10.
public abstract sealed class BlockingPointToPoint extends CommAccessors permits NonblockingPointToPoint {
    BlockingPointToPoint(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    // ---- the four modes

    /// As [#send(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    public final void send(Buf buf, int dest) {
        send(buf, dest, 0);
    }

    /// Sends `buf` to `dest` in standard mode. Blocking: returns when the buffer may be used again, which may
    /// be before or after the message was received. MPI 4.1, sections 3.2.1 and 3.4.
    ///
    /// @throws MpiException `ERR_RANK` when `dest` is no rank; `ERR_TAG` when the tag is negative or too
    ///     large; `ERR_BUFFER` when `buf` is `IN_PLACE` or a record in it is null: nothing was sent
    public final void send(Buf buf, int dest, int tag) {
        send("send", false, buf, dest, tag);
    }

    /// As [#ssend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#ssend(Buf, int, int)]
    public final void ssend(Buf buf, int dest) {
        ssend(buf, dest, 0);
    }

    /// As [#send(Buf, int, int)], in synchronous mode: returns only when a receive has matched the message
    /// and begun to take it. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    public final void ssend(Buf buf, int dest, int tag) {
        send("ssend", true, buf, dest, tag);
    }

    /// As [#bsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#bsend(Buf, int, int)]
    public final void bsend(Buf buf, int dest) {
        bsend(buf, dest, 0);
    }

    /// As [#send(Buf, int, int)], in buffered mode: local, returns at once, whatever the receiver does,
    /// because the message is copied. Tutti finds the memory by itself and uses it again, as with the
    /// standard's `MPI_BUFFER_AUTOMATIC` (section 3.6); [Mpi#flushBuffers] waits until nothing lies in it any
    /// more, which [Mpi#close] does not. With a buffer of the program's own ([Comm#attachBuffer(long)],
    /// [Mpi#attachBuffer(long)]) the copy goes there. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]; `ERR_NO_MEM` when there is no memory for the copy;
    ///     `ERR_BUFFER` when it does not fit into the buffer that was attached: nothing was sent
    public final void bsend(Buf buf, int dest, int tag) {
        begin("bsend");
        checkSend("bsend", buf, dest, tag);
        if (dest != PROC_NULL) buffers.send("bsend", buf, dest, tag);
    }

    /// As [#rsend(Buf, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#rsend(Buf, int, int)]
    public final void rsend(Buf buf, int dest) {
        rsend(buf, dest, 0);
    }

    /// As [#send(Buf, int, int)], in ready mode, for a message whose receive has been posted already. Without
    /// that the program is wrong, although nothing may show it: an engine may send in standard mode, and both
    /// do now. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    public final void rsend(Buf buf, int dest, int tag) {
        send("rsend", false, buf, dest, tag);
    }

    private void send(String operation, boolean synchronous, Buf buf, int dest, int tag) {
        EngineCalls engine = begin(operation);
        checkSend(operation, buf, dest, tag);
        if (dest == PROC_NULL) return;
        Transfer t = mpi.scratch().send().fill(operation, port, Kind.SEND, dest, tag, buf.type().elements);
        t.synchronous = synchronous;
        engine.run(buf.place(t));
        throwFailure(t);
    }

    // ---- buffers for bsend

    /// What a message in buffered mode takes of an attached buffer, at most, beside its own bytes. MPI 4.1,
    /// section 3.6.
    public static final int BSEND_OVERHEAD = 64;

    /// Gives this communicator's messages in buffered mode a buffer of so many bytes to lie in, until
    /// [#detachBuffer]: then a program cannot take more memory for them. It holds messages of `bytes` bytes
    /// in total, with [#BSEND_OVERHEAD] for each, and more as they leave it. Without one, those of
    /// [Mpi#attachBuffer] are used, and without that, memory is found as it is needed
    /// (`MPI_BUFFER_AUTOMATIC`). Local. `MPI_Comm_attach_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` when one is attached; `ERR_ARG` when `bytes` is negative;
    ///     `ERR_NO_MEM` when there is not enough memory
    public final void attachBuffer(long bytes) {
        begin("attachBuffer");
        buffers.attach(bytes);
    }

    /// As [#attachBuffer(long)], in this memory, which the program leaves alone until [#detachBuffer].
    ///
    /// @throws MpiException `ERR_BUFFER` when one is attached, or it is null or read-only
    public final void attachBuffer(MemorySegment buffer) {
        begin("attachBuffer");
        buffers.attach(buffer);
    }

    /// Takes this communicator's buffer away and returns it. Blocking: waits until every message was sent out
    /// of it. `MPI_Comm_detach_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` when none is attached
    public final MemorySegment detachBuffer() {
        begin("detachBuffer");
        return buffers.detach();
    }

    /// Waits until every message that lies where this communicator's buffered messages go was sent on.
    /// Blocking. `MPI_Comm_flush_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final void flushBuffer() {
        begin("flushBuffer");
        buffers.target().flush();
    }

    /// Begins [#flushBuffer] and returns a request for it. Local. `MPI_Comm_iflush_buffer`, MPI 4.1, section
    /// 3.6.
    ///
    /// @throws MpiException as [#flushBuffer]
    public final Request iflushBuffer() {
        begin("iflushBuffer");
        return buffers.iflush("iflushBuffer");
    }

    // ---- receives

    /// As [#recv(Buf, int, int)], from anybody and with any tag.
    ///
    /// @throws MpiException as [#recv(Buf, int, int)]
    public final Status recv(Buf buf) {
        return recv(buf, ANY_SOURCE, ANY_TAG);
    }

    /// As [#recv(Buf, int, int)], with any tag.
    ///
    /// @throws MpiException as [#recv(Buf, int, int)]
    public final Status recv(Buf buf, int source) {
        return recv(buf, source, ANY_TAG);
    }

    /// Receives a message from `source` with `tag` into `buf`, and returns its status. The message may be
    /// shorter than the buffer; the status has its length. From [#PROC_NULL] comes nothing. Blocking: waits
    /// for a message. MPI 4.1, section 3.2.4.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` when `source` or `tag` is neither one nor a wildcard;
    ///     `ERR_BUFFER` when `buf` cannot be received into; `ERR_TYPE` when its type has some bytes twice. Of
    ///     the message, which is lost then while everything else goes on: `ERR_TRUNCATE` when it is longer
    ///     than the buffer, `ERR_TYPE` when it was sent with another type
    public final Status recv(Buf buf, int source, int tag) {
        EngineCalls engine = begin("recv");
        checkRecv("recv", buf, source, tag);
        if (source == PROC_NULL) return Status.nobody();
        Scratch scratch = mpi.scratch();
        Transfer t = scratch.receive().fill("recv", port, Kind.RECV, source, tag, buf.type().elements);
        engine.run(buf.place(t));
        throwFailure(t);
        if (buf.pieces != null || buf.layout != null) buf.fromMemory(t.memory, 0, t.receivedBytes);
        return scratch.status(t);
    }

    // ---- both at once

    /// As [#sendrecv(Buf, int, int, Buf, int, int)], sending with tag 0 and receiving with any.
    ///
    /// @throws MpiException as [#sendrecv(Buf, int, int, Buf, int, int)]
    public final Status sendrecv(Buf out, int dest, Buf in, int source) {
        return sendrecv(out, dest, 0, in, source, ANY_TAG);
    }

    /// Sends `out` to `dest` and receives into `in` from `source` at the same time, so that a ring or an
    /// exchange cannot block; returns the status of the receive. The buffers do not overlap. Blocking:
    /// returns when `in` is filled and `out` may be used again. MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#send(Buf, int, int)] and [#recv(Buf, int, int)]
    public final Status sendrecv(Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        begin("sendrecv");
        checkSend("sendrecv", out, dest, sendTag);
        checkRecv("sendrecv", in, source, recvTag);
        if (dest != PROC_NULL && source != PROC_NULL)
            checkDisjoint("sendrecv", out, out.lengthBytes(), in, in.lengthBytes(), port);
        return exchange("sendrecv", null, out, dest, sendTag, in, source, recvTag);
    }

    /// As [#sendrecvReplace(Buf, int, int, int, int)], sending with tag 0 and receiving with any.
    ///
    /// @throws MpiException as [#sendrecvReplace(Buf, int, int, int, int)]
    public final Status sendrecvReplace(Buf buf, int dest, int source) {
        return sendrecvReplace(buf, dest, 0, source, ANY_TAG);
    }

    /// Sends what is in `buf` and receives into the same `buf`, at the same time; a message that is shorter
    /// leaves the rest of it as it was. The data is copied once on the way out. Blocking. MPI 4.1, section
    /// 3.10.
    ///
    /// @throws MpiException as [#send(Buf, int, int)] and [#recv(Buf, int, int)]
    public final Status sendrecvReplace(Buf buf, int dest, int sendTag, int source, int recvTag) {
        begin("sendrecvReplace");
        checkSend("sendrecvReplace", buf, dest, sendTag);
        checkRecv("sendrecvReplace", buf, source, recvTag);
        Memory copy = null;
        if (dest != PROC_NULL) {
            copy = mpi.scratch().replaced(buf.lengthBytes());
            buf.packInto(copy.segment());
        }
        return exchange("sendrecvReplace", copy, buf, dest, sendTag, buf, source, recvTag);
    }

    /// With a `copy`, only count and type of `out` are looked at: its data lies there, packed.
    private Status exchange(
            String operation, @Nullable Memory copy, Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        EngineCalls engine = mpi.engine(operation);
        Scratch scratch = mpi.scratch();
        Transfer send = null;
        // what cannot be read is found before anything is received
        if (dest != PROC_NULL) {
            send = scratch.send()
                    .fill(operation, port, Kind.SEND, dest, sendTag, out.type().elements());
            send = copy == null ? out.place(send) : send.at(copy, 0, out.lengthBytes());
            checkAccess(send);
        }
        Transfer receive = null;
        if (source != PROC_NULL) {
            receive = scratch.receive()
                    .fill(operation, port, Kind.RECV, source, recvTag, in.type().elements());
            engine.start(in.place(receive));
        }
        if (send != null) {
            try {
                engine.run(send);
                throwFailure(send);
            } catch (RuntimeException | Error e) {
                engine.withdraw(receive, e);
                throw e;
            }
        }
        if (receive == null) return Status.nobody();
        engine.await(receive);
        throwFailure(receive);
        in.fromMemory(receive.memory, 0, receive.receivedBytes);
        return scratch.status(receive);
    }

    // ---- probes

    /// Waits for a message that `recv(…, source, tag)` would take, and returns its source, tag and length.
    /// The message stays where it is. [Status#count(Datatype)] has its length in elements. Blocking. MPI 4.1,
    /// section 3.8.1.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` when `source` or `tag` is neither one nor a wildcard
    public final Status probe(int source, int tag) {
        Status s = look("probe", source, tag, true);
        if (s == null) throw new IllegalStateException("probe: the engine waited and found nothing");
        return s;
    }

    /// As [#probe], but returns null at once when there is no such message. Local. MPI 4.1, section 3.8.1.
    ///
    /// @throws MpiException as [#probe]
    public final @Nullable Status iprobe(int source, int tag) {
        return look("iprobe", source, tag, false);
    }

    private @Nullable Status look(String operation, int source, int tag, boolean wait) {
        EngineCalls engine = begin(operation);
        checkRecv(operation, Buf.NONE, source, tag);
        if (source == PROC_NULL) return Status.nobody();
        Scratch scratch = mpi.scratch();
        Transfer t = scratch.receive().fill(operation, port, Kind.RECV, source, tag, ElementType.BYTE);
        return engine.probe(t, wait, false) ? scratch.status(t) : null;
    }

    /// As [#probe], and takes the message: only [Message#recv] and the like receive it, so that another
    /// thread that probes or receives cannot come between. From [#PROC_NULL], a message of nothing. Blocking.
    /// MPI 4.1, section 3.8.2.
    ///
    /// @throws MpiException as [#probe]
    public final Message mprobe(int source, int tag) {
        Message m = take("mprobe", source, tag, true);
        if (m == null) throw new IllegalStateException("mprobe: the engine waited and found nothing");
        return m;
    }

    /// As [#mprobe], but returns null at once when there is no such message. Local. MPI 4.1, section 3.8.2.
    ///
    /// @throws MpiException as [#probe]
    public final @Nullable Message improbe(int source, int tag) {
        return take("improbe", source, tag, false);
    }

    private @Nullable Message take(String operation, int source, int tag, boolean wait) {
        EngineCalls engine = begin(operation);
        checkRecv(operation, Buf.NONE, source, tag);
        if (source == PROC_NULL) return new Message(mpi, port, Status.nobody(), null);
        Scratch scratch = mpi.scratch();
        Transfer t = scratch.take().fill(operation, port, Kind.RECV, source, tag, ElementType.BYTE);
        if (engine.probe(t, wait, true)) return new Message(mpi, port, scratch.status(t), t);
        scratch.giveBack(t);
        return null;
    }
}
