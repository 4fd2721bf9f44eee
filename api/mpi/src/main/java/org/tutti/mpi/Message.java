package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;

/// A message that `mprobe` or `improbe` has reserved: no other receive or probe can match it, so several
/// threads can probe and receive concurrently. It must be received exactly once. MPI 4.1, sections 3.8.2 and
/// 3.8.3.
public final class Message {
    private final Mpi mpi;
    private final CommPort port;
    private final Status status;

    /// The transfer that holds the message in the engine until it is received; null if the message is from
    /// `PROC_NULL`, or has been received.
    private @Nullable Transfer held;

    private boolean received;

    Message(Mpi mpi, CommPort port, Status status, @Nullable Transfer held) {
        this.mpi = mpi;
        this.port = port;
        this.status = status;
        this.held = held;
    }

    /// Returns the status, with source, tag and length. `count()` is the length in bytes,
    /// [Status#count(Datatype)] the length in elements. The source of a probe for [Comm#PROC_NULL] is
    /// `PROC_NULL`. Local. MPI 4.1, section 3.8.2.
    public Status status() {
        return status;
    }

    /// Receives the message into `buf`, which may be longer than the message, and returns the status. Blocking:
    /// returns when the data is in `buf`. `MPI_Mrecv`, MPI 4.1, section 3.8.3.
    ///
    /// @throws MpiException `ERR_REQUEST` if the message has already been received; `ERR_BUFFER`, `ERR_TYPE`,
    ///     `ERR_TRUNCATE` as [Comm#recv(Buf, int, int)]
    public Status recv(Buf buf) {
        Transfer t = take("Message.recv", buf);
        if (t == null) return Status.ofNullProcess();
        EngineCalls engine = mpi.engine("Message.recv");
        engine.run(placed(t, buf));
        Scratch scratch = mpi.scratch();
        try {
            EngineCalls.throwFailure(t);
            if (buf.pieces != null || buf.layout != null) Pieces.copyBack(t, buf);
            return scratch.status(t);
        } finally {
            scratch.giveBack(t);
        }
    }

    /// Starts to receive the message, and returns the request. `buf` must not be used until the request is
    /// complete. Local; returns immediately. `MPI_Imrecv`, MPI 4.1, section 3.8.3.
    ///
    /// @throws MpiException `ERR_REQUEST` if the message has already been received; `ERR_BUFFER`, `ERR_TYPE` as
    ///     [Comm#irecv(Buf, int, int)]
    public Request irecv(Buf buf) {
        Transfer t = take("Message.irecv", buf);
        if (t == null) return new Request(mpi, buf, Status.ofNullProcess());
        mpi.engine("Message.irecv").start(placed(t, buf));
        return new Request(mpi, buf, buf, t);
    }

    /// Receives the object in the message, and returns it. Returns null if null was sent, or if the message is
    /// from `PROC_NULL`. Blocking. MPI 4.1, section 3.8.3.
    ///
    /// @throws MpiException `ERR_REQUEST` if the message has already been received; `ERR_TYPE` if the value is
    ///     not a `type`, or if the message contains no object; `ERR_NO_MEM` if memory is insufficient
    public <T> @Nullable T recvObject(Class<T> type) {
        return recvObject(ObjectType.of(type));
    }

    /// Like [#recvObject(Class)], for a type with type parameters.
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

    /// Sets the buffer of the receive. If the buffer is invalid, throws an error, and the message can still be
    /// received.
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

    /// Returns the receive that holds the message; the caller must fill in the receive and start it. Returns
    /// null if the message is from `PROC_NULL`.
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
