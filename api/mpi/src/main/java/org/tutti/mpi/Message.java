package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;

/// A message that `mprobe` or `improbe` found and took: no other receive and no other probe finds it any
/// more, so several threads may probe and receive at once. It must be received, once. MPI 4.1, sections
/// 3.8.2 and 3.8.3.
public final class Message {
    private final Mpi mpi;
    private final CommPort port;
    private final Status status;

    /// Holds the message in the engine until it is received; null when it is from nobody, or received.
    private @Nullable Transfer held;

    private boolean received;

    Message(Mpi mpi, CommPort port, Status status, @Nullable Transfer held) {
        this.mpi = mpi;
        this.port = port;
        this.status = status;
        this.held = held;
    }

    /// Returns its source, tag and length; `count()` is in bytes, [Status#count(Datatype)] in elements. The
    /// source is [Comm#PROC_NULL] when that was asked for. Local. MPI 4.1, section 3.8.2.
    public Status status() {
        return status;
    }

    /// Receives it into `buf`, which may be longer than the message, and returns the status. Blocking:
    /// returns when the data is there. `MPI_Mrecv`, MPI 4.1, section 3.8.3.
    ///
    /// @throws MpiException `ERR_REQUEST` when it was received before; `ERR_BUFFER`, `ERR_TYPE`,
    ///     `ERR_TRUNCATE` as [Comm#recv(Buf, int, int)]
    public Status recv(Buf buf) {
        Transfer t = take("Message.recv", buf);
        if (t == null) return Status.nobody();
        EngineCalls engine = mpi.engine("Message.recv");
        engine.run(placed(t, buf));
        Scratch scratch = mpi.scratch();
        try {
            EngineCalls.throwFailure(t);
            buf.fromMemory(t.memory, 0, t.receivedBytes);
            return scratch.status(t);
        } finally {
            scratch.giveBack(t);
        }
    }

    /// Begins to receive it; `buf` must not be used until the request is complete. Local; returns immediately.
    /// `MPI_Imrecv`, MPI 4.1, section 3.8.3.
    ///
    /// @throws MpiException `ERR_REQUEST` when it was received before; `ERR_BUFFER`, `ERR_TYPE` as
    ///     [Comm#irecv(Buf, int, int)]
    public Request irecv(Buf buf) {
        Transfer t = take("Message.irecv", buf);
        if (t == null) return new Request(mpi, buf, Status.nobody());
        mpi.engine("Message.irecv").start(placed(t, buf));
        return new Request(mpi, buf, buf, t);
    }

    /// Receives the object that it holds; null when null was sent, and when it is from nobody. Blocking.
    /// MPI 4.1, section 3.8.3.
    ///
    /// @throws MpiException `ERR_REQUEST` when it was received before; `ERR_TYPE` when the value is no
    ///     `type` or the message is no object
    public <T> @Nullable T recvObject(Class<T> type) {
        return recvObject(ObjectType.of(type));
    }

    /// As [#recvObject(Class)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObject(Class)]
    public <T> @Nullable T recvObject(ObjectType<T> type) {
        Transfer t = take("Message.recvObject", Kind.RECV_ALLOCATE, Datatype.OBJECT);
        if (t == null) return null;
        try {
            return ObjectMessages.receive(mpi, t, type);
        } finally {
            mpi.scratch().giveBack(t);
        }
    }

    /// Where it goes; if nothing can go there it may still be received.
    private Transfer placed(Transfer t, Buf buf) {
        try {
            Arguments.checkAccess(buf.place(t));
            return t;
        } catch (RuntimeException | Error e) {
            putBack(t);
            throw e;
        }
    }

    private synchronized void putBack(Transfer t) {
        held = t;
        received = false;
    }

    private @Nullable Transfer take(String operation, Buf buf) {
        Arguments.checkReceiveBuffer(operation, buf, port);
        return take(operation, Kind.RECV, buf.datatype());
    }

    /// Gives out the receive that holds the message: its place is to be filled in, then it is started.
    /// Null when the message is from nobody.
    synchronized @Nullable Transfer take(String operation, Kind kind, Datatype type) {
        mpi.engine(operation);
        if (received) {
            throw MpiException.argument(ErrorClass.ERR_REQUEST, operation, "this message was received before", port);
        }
        received = true;
        Transfer t = held;
        held = null;
        if (t == null) return null;
        t.operation = operation;
        t.kind = kind;
        t.type = type.elements();
        return t;
    }

    @Override
    public String toString() {
        return "Message (" + status + ")";
    }
}
