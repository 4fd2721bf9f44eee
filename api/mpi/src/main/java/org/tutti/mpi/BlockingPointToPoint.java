package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.Observer.Verb;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;
import org.tutti.spi.type.ElementType;

/// Blocking messages of typed data: the four modes of a send, the buffers of buffered mode, receives,
/// send-receive, and probes. MPI 4.1, sections 3.2 to 3.6, 3.8 and 3.10.
abstract sealed class BlockingPointToPoint extends CommAccessors permits NonblockingPointToPoint {
    BlockingPointToPoint(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    // ---- the four modes

    @Override
    public void send(Buf buf, int dest) {
        send("send", false, buf, dest, 0);
    }

    @Override
    public void send(Buf buf, int dest, int tag) {
        send("send", false, buf, dest, tag);
    }

    @Override
    public void ssend(Buf buf, int dest) {
        send("ssend", true, buf, dest, 0);
    }

    @Override
    public void ssend(Buf buf, int dest, int tag) {
        send("ssend", true, buf, dest, tag);
    }

    @Override
    public void bsend(Buf buf, int dest, int tag) {
        begin("bsend");
        checkSend("bsend", buf, dest, tag);
        if (dest != PROC_NULL) buffers.send("bsend", buf, dest, tag);
    }

    @Override
    public void rsend(Buf buf, int dest) {
        send("rsend", false, buf, dest, 0);
    }

    @Override
    public void rsend(Buf buf, int dest, int tag) {
        send("rsend", false, buf, dest, tag);
    }

    private void send(String operation, boolean synchronous, Buf buf, int dest, int tag) {
        EngineCalls engine = begin(operation);
        checkSend(operation, buf, dest, tag);
        if (dest == PROC_NULL) return;
        Transfer t = mpi.scratch().send().fill(operation, port, Kind.SEND, dest, tag, buf.datatype().elements);
        t.synchronous = synchronous;
        engine.run(buf.place(t));
        EngineCalls.throwFailure(t);
    }

    @Override
    public void attachBuffer(long bytes) {
        begin("attachBuffer");
        buffers.attach(bytes);
    }

    @Override
    public void attachBuffer(MemorySegment buffer) {
        begin("attachBuffer");
        buffers.attach(buffer);
    }

    @Override
    public MemorySegment detachBuffer() {
        begin("detachBuffer");
        return buffers.detach();
    }

    @Override
    public void flushBuffer() {
        begin("flushBuffer");
        buffers.target().flush();
    }

    @Override
    public Request iflushBuffer() {
        begin("iflushBuffer");
        return buffers.iflush("iflushBuffer");
    }

    // ---- receives

    @Override
    public Status recv(Buf buf) {
        return receive(buf, ANY_SOURCE, ANY_TAG);
    }

    @Override
    public Status recv(Buf buf, int source) {
        return receive(buf, source, ANY_TAG);
    }

    @Override
    public Status recv(Buf buf, int source, int tag) {
        return receive(buf, source, tag);
    }

    private Status receive(Buf buf, int source, int tag) {
        EngineCalls engine = begin("recv");
        checkRecv("recv", buf, source, tag);
        if (source == PROC_NULL) return Status.ofNullProcess();
        Scratch scratch = mpi.scratch();
        Transfer t = scratch.receive().fill("recv", port, Kind.RECV, source, tag, buf.datatype().elements);
        engine.run(buf.place(t));
        EngineCalls.throwFailure(t);
        if (buf.pieces != null || buf.layout != null) Pieces.copyBack(t, buf);
        return scratch.status(t);
    }

    @Override
    public Status sendrecv(Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        begin("sendrecv");
        checkSend("sendrecv", out, dest, sendTag);
        checkRecv("sendrecv", in, source, recvTag);
        if (dest != PROC_NULL && source != PROC_NULL)
            Arguments.checkDisjoint("sendrecv", out, out.sizeBytes(), in, in.sizeBytes(), port);
        return exchange("sendrecv", null, out, dest, sendTag, in, source, recvTag);
    }

    @Override
    public Status sendrecvReplace(Buf buf, int dest, int sendTag, int source, int recvTag) {
        begin("sendrecvReplace");
        checkSend("sendrecvReplace", buf, dest, sendTag);
        checkRecv("sendrecvReplace", buf, source, recvTag);
        Memory copy = null;
        if (dest != PROC_NULL) {
            copy = mpi.scratch().replaced(buf.sizeBytes());
            buf.packInto(copy.segment());
        }
        return exchange("sendrecvReplace", copy, buf, dest, sendTag, buf, source, recvTag);
    }

    /// Sends and receives at the same time. If `copy` is given, it contains the packed data to be sent, and
    /// only the count and the type of `out` are used.
    private Status exchange(
            String operation, @Nullable Memory copy, Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        EngineCalls engine = mpi.engine(operation);
        Scratch scratch = mpi.scratch();
        Transfer send = null;
        // the send is filled in first, so that an unreadable buffer is detected before a message is received
        if (dest != PROC_NULL) {
            send = scratch.send()
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
            receive = scratch.receive()
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
                engine.run(send);
                EngineCalls.throwFailure(send);
            } catch (RuntimeException | Error e) {
                engine.withdraw(receive, e);
                throw e;
            }
        }
        if (receive == null) return Status.ofNullProcess();
        engine.await(receive);
        EngineCalls.throwFailure(receive);
        if (in.pieces != null || in.layout != null) Pieces.copyBack(receive, in);
        return scratch.status(receive);
    }

    // ---- probes

    @Override
    public Status probe(int source, int tag) {
        Status s = probe("probe", source, tag, true);
        if (s == null) throw new IllegalStateException("probe: the engine returned without a message");
        return s;
    }

    @Override
    public @Nullable Status iprobe(int source, int tag) {
        return probe("iprobe", source, tag, false);
    }

    private @Nullable Status probe(String operation, int source, int tag, boolean wait) {
        EngineCalls engine = begin(operation);
        checkRecv(operation, Buf.NONE, source, tag);
        if (source == PROC_NULL) return Status.ofNullProcess();
        Scratch scratch = mpi.scratch();
        Transfer t = scratch.receive().fill(operation, port, Kind.RECV, source, tag, ElementType.BYTE);
        engine.call(wait ? Verb.PROBE : Verb.IPROBE, t, null);
        return t.found ? scratch.status(t) : null;
    }

    @Override
    public Message mprobe(int source, int tag) {
        Message m = take("mprobe", source, tag, true);
        if (m == null) throw new IllegalStateException("mprobe: the engine returned without a message");
        return m;
    }

    @Override
    public @Nullable Message improbe(int source, int tag) {
        return take("improbe", source, tag, false);
    }

    private @Nullable Message take(String operation, int source, int tag, boolean wait) {
        EngineCalls engine = begin(operation);
        checkRecv(operation, Buf.NONE, source, tag);
        if (source == PROC_NULL) return new Message(mpi, port, Status.ofNullProcess(), null);
        Scratch scratch = mpi.scratch();
        Transfer t = scratch.take().fill(operation, port, Kind.RECV, source, tag, ElementType.BYTE);
        engine.call(wait ? Verb.MPROBE : Verb.IMPROBE, t, null);
        if (t.found) return new Message(mpi, port, scratch.status(t), t);
        scratch.giveBack(t);
        return null;
    }
}
