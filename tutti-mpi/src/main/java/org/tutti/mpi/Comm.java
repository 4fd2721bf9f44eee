package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.spi.CommPort;
import org.tutti.mpi.spi.Engine;
import org.tutti.mpi.spi.Memory;
import org.tutti.mpi.spi.Transfer;
import org.tutti.mpi.spi.Transfer.Kind;

/// A communicator: a group of ranks and a context, so that messages of different communicators never meet.
///
/// Ranks are those of this communicator. A tag is a number from 0 to `tagUpperBound()`; where none is given a
/// send uses 0 and a receive takes any. Typed messages must be received with the type they were sent with. MPI
/// 4.1, chapters 3, 6 and 7.
///
/// `world` and `self` are simply there; communicators from [#split] and [#dup] are [OwnedComm]s and closed by
/// whoever made them.
public sealed class Comm permits OwnedComm {
    /// Any sender, as the source of a receive.
    public static final int ANY_SOURCE = Transfer.ANY_SOURCE;

    /// Any tag, in a receive.
    public static final int ANY_TAG = Transfer.ANY_TAG;

    /// Nobody, as a destination or a source: the operation completes at once and moves nothing (MPI 4.1, 3.10).
    public static final int PROC_NULL = Transfer.PROC_NULL;

    /// The color of a rank that wants to be in no part of a [#split].
    public static final int UNDEFINED = -32766;

    private final Mpi mpi;
    private final CommPort port;
    private final Collectives collectives;

    Comm(Mpi mpi, CommPort port) {
        this.mpi = mpi;
        this.port = port;
        collectives = new Collectives(mpi, port);
    }

    /// One of those that are simply there.
    static Comm of(Mpi mpi, CommPort port) {
        return new Comm(mpi, port);
    }

    // ---- who is here

    /// The caller's rank, from 0 to `size() - 1`.
    public final int rank() {
        return port.rank();
    }

    public final int size() {
        return port.size();
    }

    /// What errors call it.
    public final String name() {
        return port.name();
    }

    /// The largest tag; at least 32767.
    public final int tagUpperBound() {
        return mpi.engine("tagUpperBound").tagUpperBound();
    }

    // ---- messages of typed data

    /// Sends with tag 0; see [#send(Buf, int, int)].
    public final void send(Buf buf, int dest) {
        send(buf, dest, 0);
    }

    /// Sends `buf` to `dest`. Returns when the buffer may be used again, which may be before or after the message
    /// was received (standard mode; MPI 4.1, section 3.4).
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

    /// Receives a message from `source` with `tag` into `buf`; waits for one. The message may be shorter than the
    /// buffer; the status has its length. MPI 4.1, section 3.2.4.
    ///
    /// @throws MpiException `ERR_TRUNCATE` when the message is longer than the buffer, `ERR_TYPE` when it was sent
    ///     with
    ///     another type: this message is lost then, everything else goes on
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

    /// Sends and receives at the same time, so that a ring or an exchange cannot block. The buffers do not overlap.
    /// MPI 4.1, section 3.11.
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
        return new Request(mpi, buf, t);
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
        return new Request(mpi, buf, t);
    }

    /// Waits until a message that `recv(…, source, tag)` would take is there, and tells its source, tag and length.
    /// It
    /// stays where it is. MPI 4.1, section 3.8.1.
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
        return engine.probe(t, wait) ? scratch.status(t) : null;
    }

    // ---- messages of objects

    /// Sends with tag 0; see [#sendObject(Object, int, int)].
    public final void sendObject(@Nullable Object value, int dest) {
        sendObject(value, dest, 0);
    }

    /// Sends a value: null, numbers, strings, arrays, collections, enums, records, and what is made of them. The
    /// message sizes itself. Values are copied, never shared; Java serialization is not used.
    ///
    /// @throws MpiException `ERR_TYPE` when something in it is no value, with the way to it; nothing was sent
    public final void sendObject(@Nullable Object value, int dest, int tag) {
        Engine engine = begin("sendObject");
        checkSend("sendObject", Buf.NONE, dest, tag);
        if (dest == PROC_NULL) return;
        ObjectMessages.send(mpi, engine, port, value, dest, tag);
    }

    /// Receives from anybody with any tag; see [#recvObject(Class, int, int)].
    public final <T> @Nullable T recvObject(Class<T> type) {
        return recvObject(type, ANY_SOURCE, ANY_TAG);
    }

    /// Receives with any tag; see [#recvObject(Class, int, int)].
    public final <T> @Nullable T recvObject(Class<T> type, int source) {
        return recvObject(type, source, ANY_TAG);
    }

    /// Receives a value that was sent with [#sendObject(Object, int, int)].
    ///
    /// @throws MpiException `ERR_TYPE` when the value is no `type`, or the message holds no object: the message is
    ///     lost
    ///     then, everything else goes on
    public final <T> @Nullable T recvObject(Class<T> type, int source, int tag) {
        Engine engine = begin("recvObject");
        checkRecv("recvObject", Buf.NONE, source, tag);
        if (source == PROC_NULL) {
            throw MpiException.argument(
                    ErrorClass.ERR_RANK, "recvObject", "source=PROC_NULL has no object to give", port);
        }
        return ObjectMessages.receive(mpi, engine, port, type, source, tag);
    }

    // ---- collective operations

    /// Returns when every rank has called it. MPI 4.1, section 6.3.
    public final void barrier() {
        collectives.barrier(begin("barrier"));
    }

    /// Gives every rank the data that is in `buf` at `root`. All ranks pass as many elements of the same type. MPI
    /// 4.1,
    /// section 6.4.
    public final void bcast(Buf buf, int root) {
        collectives.bcast(begin("bcast"), buf, root);
    }

    /// As [#reduce(Buf, Buf, Op, int)], in place at the root: there `buf` is operand and result.
    public final void reduce(Buf buf, Op op, int root) {
        boolean atRoot = port.rank() == root;
        collectives.reduce(begin("reduce"), atRoot ? Buf.IN_PLACE : buf, atRoot ? buf : Buf.NONE, op, root);
    }

    /// Combines `send` element by element over all ranks; `root` gets the result in `recv`, which the others pass
    /// as `NONE`. All ranks pass as many elements of the same type, and the same `op` and `root`. MPI 4.1,
    /// section 6.9.1.
    public final void reduce(Buf send, Buf recv, Op op, int root) {
        collectives.reduce(begin("reduce"), send, recv, op, root);
    }

    /// As [#allreduce(Buf, Buf, Op)], in place: `buf` is operand and result.
    public final void allreduce(Buf buf, Op op) {
        collectives.allreduce(begin("allreduce"), Buf.IN_PLACE, buf, op);
    }

    /// Combines `send` element by element over all ranks; every rank gets the same result in `recv`. All ranks pass
    /// as
    /// many elements of the same type, and the same `op`. The buffers do not overlap. MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException `ERR_COUNT`, `ERR_TYPE` when `recv` does not fit `send`, `ERR_OP` when `op` is not
    ///     defined
    ///     for the type
    public final void allreduce(Buf send, Buf recv, Op op) {
        collectives.allreduce(begin("allreduce"), send, recv, op);
    }

    /// The combination of all ranks' values, on every rank.
    public final double allreduce(double value, Op op) {
        return collectives.allreduce(begin("allreduce"), value, op);
    }

    /// The combination of all ranks' values, on every rank.
    public final long allreduce(long value, Op op) {
        return collectives.allreduce(begin("allreduce"), value, op);
    }

    /// The combination of all ranks' values, on every rank.
    public final int allreduce(int value, Op op) {
        return collectives.allreduce(begin("allreduce"), value, op);
    }

    /// Brings every rank's `send` to `root`, in rank order into `recv`; the others pass `NONE` there. Without
    /// blocks, all ranks send `recv.count() / size()` elements; with [Buf#blocks(int...)] at the root, rank r
    /// sends `counts[r]`. At the root `send` may be `IN_PLACE`. MPI 4.1, section 6.5.
    public final void gather(Buf send, Buf recv, int root) {
        collectives.gather(begin("gather"), send, recv, root);
    }

    /// As [#allgather(Buf, Buf)], in place: this rank's block already lies where it belongs in `buf`.
    public final void allgather(Buf buf) {
        collectives.allgather(begin("allgather"), Buf.IN_PLACE, buf);
    }

    /// Brings every rank's `send` to every rank, in rank order into `recv`. With blocks, all ranks pass the same
    /// ones.
    /// MPI 4.1, section 6.7.
    public final void allgather(Buf send, Buf recv) {
        collectives.allgather(begin("allgather"), send, recv);
    }

    // ---- new communicators

    /// A communicator for each `color`, its ranks ordered by `key` and then by rank here. Collective. A rank that
    /// passes [#UNDEFINED] takes part and gets a communicator without ranks, which answers `size() == 0` and
    /// nothing else. MPI 4.1, section 7.4.2.
    public final OwnedComm split(int color, int key) {
        Engine engine = begin("split");
        if (color < 0 && color != UNDEFINED) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG, "split", "color=" + color + " is negative and not UNDEFINED", port);
        }
        CommPort part = engine.split(port, color == UNDEFINED ? -1 : color, key);
        return new OwnedComm(mpi, part == null ? new NoRanks() : part);
    }

    /// The same ranks in a new context: for libraries, whose messages must not meet their user's. Collective. MPI
    /// 4.1,
    /// section 7.4.2.
    public final OwnedComm dup() {
        return new OwnedComm(mpi, begin("dup").dup(port));
    }

    // ---- what subclasses and neighbours use

    final Mpi mpi() {
        return mpi;
    }

    final CommPort port() {
        return port;
    }

    /// Throws when this communicator may not be used any more.
    void checkOpen(String operation) {
        // one that is simply there is always open
    }

    private Engine begin(String operation) {
        Engine engine = mpi.engine(operation);
        checkOpen(operation);
        if (port.size() == 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_COMM,
                    operation,
                    "this rank passed UNDEFINED to split and is in none of its parts",
                    mpi.where());
        }
        return engine;
    }

    private void checkSend(String operation, Buf buf, int dest, int tag) {
        if (dest != PROC_NULL && (dest < 0 || dest >= port.size())) throw badRank(operation, "dest", dest);
        if (tag < 0 || tag > mpi.engine(operation).tagUpperBound()) throw badTag(operation, tag);
        if (buf == Buf.IN_PLACE) throw noPlace(operation);
    }

    private void checkRecv(String operation, Buf buf, int source, int tag) {
        if (source < 0 ? source != ANY_SOURCE && source != PROC_NULL : source >= port.size()) {
            throw badRank(operation, "source", source);
        }
        if (tag != ANY_TAG && (tag < 0 || tag > mpi.engine(operation).tagUpperBound())) throw badTag(operation, tag);
        if (buf == Buf.IN_PLACE) throw noPlace(operation);
        if (buf.isReadOnly()) {
            throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, "the receive buffer is read-only", port);
        }
    }

    private MpiException badRank(String operation, String what, int rank) {
        return MpiException.argument(
                ErrorClass.ERR_RANK,
                operation,
                what + "=" + rank + " is no rank of " + port.name() + ", which has ranks 0 to " + (port.size() - 1),
                port);
    }

    private MpiException badTag(String operation, int tag) {
        return MpiException.argument(
                ErrorClass.ERR_TAG,
                operation,
                "tag=" + tag + " is not in 0 to " + mpi.engine(operation).tagUpperBound(),
                port);
    }

    private MpiException noPlace(String operation) {
        return MpiException.argument(
                ErrorClass.ERR_BUFFER, operation, "IN_PLACE is for collective operations; pass a buffer", port);
    }

    static void throwFailure(Transfer t) {
        Throwable why = t.failure();
        if (why != null) throw Mpi.asRuntime(why);
    }

    @Override
    public String toString() {
        return "Comm (" + port + ")";
    }

    /// The port of a rank that is in none of the parts.
    private static final class NoRanks extends CommPort {
        NoRanks() {
            super(UNDEFINED, 0, "NULL");
        }
    }
}
