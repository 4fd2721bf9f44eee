package org.tutti.mpi;

import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;

/// The page of [Comm] with nonblocking and persistent messages of typed data. MPI 4.1, sections 3.7 and 3.9.
abstract sealed class NonblockingMessages extends TypedMessages permits CompoundMessages {
    NonblockingMessages(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    // ---- nonblocking sends

    /// Begins to send with tag 0; see [#isend(Buf, int, int)].
    public final Request isend(Buf buf, int dest) {
        return isend(buf, dest, 0);
    }

    /// Begins to send; the buffer must not be changed until the request is complete. MPI 4.1, section 3.7.2.
    public final Request isend(Buf buf, int dest, int tag) {
        return isend("isend", false, buf, dest, tag);
    }

    /// Begins to send with tag 0; see [#issend(Buf, int, int)].
    public final Request issend(Buf buf, int dest) {
        return issend(buf, dest, 0);
    }

    /// As [#isend(Buf, int, int)] in synchronous mode: the request is complete only when a receive has
    /// matched the message and begun to take it. MPI 4.1, section 3.7.2.
    public final Request issend(Buf buf, int dest, int tag) {
        return isend("issend", true, buf, dest, tag);
    }

    /// Begins to send with tag 0; see [#ibsend(Buf, int, int)].
    public final Request ibsend(Buf buf, int dest) {
        return ibsend(buf, dest, 0);
    }

    /// As [#bsend(Buf, int, int)], with a request, which is complete. MPI 4.1, section 3.7.2.
    public final Request ibsend(Buf buf, int dest, int tag) {
        begin("ibsend");
        checkSend("ibsend", buf, dest, tag);
        if (dest != PROC_NULL) buffers.send("ibsend", buf, dest, tag);
        return new Request(mpi, buf, Status.empty());
    }

    /// Begins to send with tag 0; see [#irsend(Buf, int, int)].
    public final Request irsend(Buf buf, int dest) {
        return irsend(buf, dest, 0);
    }

    /// As [#isend(Buf, int, int)] for a message whose receive has been posted already; see
    /// [#rsend(Buf, int, int)]. MPI 4.1, section 3.7.2.
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

    /// Begins to receive from anybody with any tag; see [#irecv(Buf, int, int)].
    public final Request irecv(Buf buf) {
        return irecv(buf, ANY_SOURCE, ANY_TAG);
    }

    /// Begins to receive with any tag; see [#irecv(Buf, int, int)].
    public final Request irecv(Buf buf, int source) {
        return irecv(buf, source, ANY_TAG);
    }

    /// Begins to receive; the buffer must not be used until the request is complete. Errors of the message,
    /// truncation for instance, come out of the request. MPI 4.1, section 3.7.2.
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

    // ---- persistent

    /// Describes a send in standard mode that is to be started many times: each start sends what is in `buf`
    /// then. Nothing is sent yet. MPI 4.1, section 3.9.
    public final PersistentRequest sendInit(Buf buf, int dest, int tag) {
        return sendInit("sendInit", false, buf, dest, tag);
    }

    /// As [#sendInit] in synchronous mode; see [#ssend(Buf, int, int)].
    public final PersistentRequest ssendInit(Buf buf, int dest, int tag) {
        return sendInit("ssendInit", true, buf, dest, tag);
    }

    /// As [#sendInit] in buffered mode; see [#bsend(Buf, int, int)]. A start completes it.
    public final PersistentRequest bsendInit(Buf buf, int dest, int tag) {
        begin("bsendInit");
        checkSend("bsendInit", buf, dest, tag);
        return new PreparedRequest(mpi, "bsendInit", buf, Buf.NONE, () -> {
            checkOpen("bsendInit");
            checkRecords("bsendInit", buf, 0, buf.count(), port);
            if (dest != PROC_NULL) buffers.send("bsendInit", buf, dest, tag);
            return null;
        });
    }

    /// As [#sendInit] in ready mode; see [#rsend(Buf, int, int)].
    public final PersistentRequest rsendInit(Buf buf, int dest, int tag) {
        return sendInit("rsendInit", false, buf, dest, tag);
    }

    private PersistentRequest sendInit(String operation, boolean synchronous, Buf buf, int dest, int tag) {
        EngineCalls engine = begin(operation);
        checkSend(operation, buf, dest, tag);
        Transfer t = engine.transfer();
        return new PreparedRequest(mpi, operation, buf, Buf.NONE, () -> {
            checkOpen(operation);
            checkRecords(operation, buf, 0, buf.count(), port);
            if (dest == PROC_NULL) return null;
            t.fill(operation, port, Kind.SEND, dest, tag, buf.type().elements()).synchronous = synchronous;
            engine.start(buf.place(t));
            return t;
        });
    }

    /// Describes a receive that is to be started many times, each time into `buf`. MPI 4.1, section 3.9.
    public final PersistentRequest recvInit(Buf buf, int source, int tag) {
        EngineCalls engine = begin("recvInit");
        checkRecv("recvInit", buf, source, tag);
        Transfer t = engine.transfer();
        return new PreparedRequest(mpi, "recvInit", buf, buf, () -> {
            checkOpen("recvInit");
            if (source == PROC_NULL) return null;
            t.fill("recvInit", port, Kind.RECV, source, tag, buf.type().elements());
            engine.start(buf.place(t));
            return t;
        });
    }
}
