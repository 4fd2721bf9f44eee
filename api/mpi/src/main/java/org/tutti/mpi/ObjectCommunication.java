package org.tutti.mpi;

import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;

/// The chapter of [Comm] on messages and collective operations of objects, which the standard does not
/// have: in each, an object stands for what MPI 4.1, chapters 3 and 6, say of buffers.
///
/// An object is a value: null, numbers, strings, arrays, collections, enums, records, and what is made of
/// them; `docs/decisions/19-object-codec.md` has the list. It sizes itself, is copied and never shared,
/// and what arrives is built by the receiver's own classes; Java serialization is not used. Arrays of 32
/// KiB and more inside an object are sent from where they are and received where they will be.
public abstract sealed class ObjectCommunication extends PersistentPointToPoint permits BlockingCollectives {
    private final ObjectMessages messages;
    final ObjectCollectives together;

    ObjectCommunication(Mpi mpi, CommPort port) {
        super(mpi, port);
        messages = new ObjectMessages(mpi, port);
        together = new ObjectCollectives(mpi, port);
    }

    // ---- one to one

    /// As [#sendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    public final void sendObject(@Nullable Object value, int dest) {
        sendObject(value, dest, 0);
    }

    /// Sends a value in standard mode. Blocking: returns when the value may be changed again, which may be
    /// before or after it was received. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException `ERR_TYPE` when something in it is no value, with the way to it; `ERR_RANK`,
    ///     `ERR_TAG`: nothing was sent
    public final void sendObject(@Nullable Object value, int dest, int tag) {
        EngineCalls engine = begin("sendObject");
        checkSend("sendObject", Buf.NONE, dest, tag);
        if (dest != PROC_NULL) messages.send(engine, "sendObject", value, dest, tag, false);
    }

    /// As [#ssendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#ssendObject(Object, int, int)]
    public final void ssendObject(@Nullable Object value, int dest) {
        ssendObject(value, dest, 0);
    }

    /// As [#sendObject(Object, int, int)], in synchronous mode: returns only when the receiver has begun to
    /// receive it. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    public final void ssendObject(@Nullable Object value, int dest, int tag) {
        EngineCalls engine = begin("ssendObject");
        checkSend("ssendObject", Buf.NONE, dest, tag);
        if (dest != PROC_NULL) messages.send(engine, "ssendObject", value, dest, tag, true);
    }

    /// As [#bsendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#bsendObject(Object, int, int)]
    public final void bsendObject(@Nullable Object value, int dest) {
        bsendObject(value, dest, 0);
    }

    /// As [#sendObject(Object, int, int)], in buffered mode: local, returns at once, whatever the receiver
    /// does; see [#bsend(Buf, int, int)]. MPI 4.1, section 3.4.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]; `ERR_NO_MEM`, `ERR_BUFFER` as
    ///     [#bsend(Buf, int, int)]
    public final void bsendObject(@Nullable Object value, int dest, int tag) {
        begin("bsendObject");
        checkSend("bsendObject", Buf.NONE, dest, tag);
        if (dest != PROC_NULL) messages.sendBuffered(buffers, value, dest, tag);
    }

    /// As [#isendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#isendObject(Object, int, int)]
    public final Request isendObject(@Nullable Object value, int dest) {
        return isendObject(value, dest, 0);
    }

    /// Begins [#sendObject(Object, int, int)] and returns its request; the value must not be changed until
    /// that is complete, because its large arrays are read only then. Local: waits for nobody. MPI 4.1,
    /// section 3.7.2.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    public final Request isendObject(@Nullable Object value, int dest, int tag) {
        return begin("isendObject", value, dest, tag, false);
    }

    /// As [#issendObject(Object, int, int)], with tag 0.
    ///
    /// @throws MpiException as [#issendObject(Object, int, int)]
    public final Request issendObject(@Nullable Object value, int dest) {
        return issendObject(value, dest, 0);
    }

    /// As [#isendObject(Object, int, int)], in synchronous mode: complete only when the receiver has begun to
    /// receive it. MPI 4.1, section 3.7.2.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)]
    public final Request issendObject(@Nullable Object value, int dest, int tag) {
        return begin("issendObject", value, dest, tag, true);
    }

    private Request begin(String operation, @Nullable Object value, int dest, int tag, boolean synchronous) {
        EngineCalls engine = begin(operation);
        checkSend(operation, Buf.NONE, dest, tag);
        if (dest == PROC_NULL) return new Request(mpi, Buf.NONE, Status.empty());
        return messages.isend(engine, operation, value, dest, tag, synchronous);
    }

    /// As [#recvObject(Class, int, int)], from anybody and with any tag.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    public final <T> @Nullable T recvObject(Class<T> type) {
        return recvObject(type, ANY_SOURCE, ANY_TAG);
    }

    /// As [#recvObject(Class, int, int)], with any tag.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    public final <T> @Nullable T recvObject(Class<T> type, int source) {
        return recvObject(type, source, ANY_TAG);
    }

    /// Receives a value that was sent as an object. Null when null was sent, and from [#PROC_NULL].
    /// [#recvObjectWithStatus(Class, int, int)] returns the sender and the tag, too. Blocking: waits for a
    /// message. MPI 4.1, section 3.2.4.
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` when `source` or `tag` is neither one nor a wildcard. Of
    ///     the message, which is lost then while everything else goes on: `ERR_TYPE` when the value is no
    ///     `type`, or the message holds no object; `ERR_NO_MEM` when there is no memory for it
    public final <T> @Nullable T recvObject(Class<T> type, int source, int tag) {
        return recvObject(ObjectType.of(type), source, tag);
    }

    /// As [#recvObject(Class)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    public final <T> @Nullable T recvObject(ObjectType<T> type) {
        return recvObject(type, ANY_SOURCE, ANY_TAG);
    }

    /// As [#recvObject(Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    public final <T> @Nullable T recvObject(ObjectType<T> type, int source) {
        return recvObject(type, source, ANY_TAG);
    }

    /// As [#recvObject(Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    public final <T> @Nullable T recvObject(ObjectType<T> type, int source, int tag) {
        EngineCalls engine = begin("recvObject");
        given("recvObject", "type", type, port);
        checkRecv("recvObject", Buf.NONE, source, tag);
        return source == PROC_NULL ? null : messages.receive(engine, type, source, tag);
    }

    /// As [#recvObjectWithStatus(Class, int, int)], from anybody and with any tag.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    public final <T> Received<T> recvObjectWithStatus(Class<T> type) {
        return recvObjectWithStatus(type, ANY_SOURCE, ANY_TAG);
    }

    /// As [#recvObjectWithStatus(Class, int, int)], with any tag.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    public final <T> Received<T> recvObjectWithStatus(Class<T> type, int source) {
        return recvObjectWithStatus(type, source, ANY_TAG);
    }

    /// As [#recvObject(Class, int, int)], with the status of the message: who sent it, and with which tag.
    /// MPI 4.1, section 3.2.5.
    ///
    ///     Received<Task> r = world.recvObjectWithStatus(Task.class);
    ///     world.sendObject(run(r.object()), r.source());
    ///
    /// @throws MpiException as [#recvObject(Class, int, int)]
    public final <T> Received<T> recvObjectWithStatus(Class<T> type, int source, int tag) {
        return recvObjectWithStatus(ObjectType.of(type), source, tag);
    }

    /// As [#recvObjectWithStatus(Class)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    public final <T> Received<T> recvObjectWithStatus(ObjectType<T> type) {
        return recvObjectWithStatus(type, ANY_SOURCE, ANY_TAG);
    }

    /// As [#recvObjectWithStatus(Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    public final <T> Received<T> recvObjectWithStatus(ObjectType<T> type, int source) {
        return recvObjectWithStatus(type, source, ANY_TAG);
    }

    /// As [#recvObjectWithStatus(Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#recvObjectWithStatus(Class, int, int)]
    public final <T> Received<T> recvObjectWithStatus(ObjectType<T> type, int source, int tag) {
        EngineCalls engine = begin("recvObject");
        given("recvObject", "type", type, port);
        checkRecv("recvObject", Buf.NONE, source, tag);
        if (source == PROC_NULL) return new Received<>(null, Status.nobody());
        return messages.receiveWithStatus(engine, type, source, tag);
    }

    /// As [#irecvObject(Class, int, int)], from anybody and with any tag.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    public final <T> ObjectRequest<T> irecvObject(Class<T> type) {
        return irecvObject(type, ANY_SOURCE, ANY_TAG);
    }

    /// As [#irecvObject(Class, int, int)], with any tag.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    public final <T> ObjectRequest<T> irecvObject(Class<T> type, int source) {
        return irecvObject(type, source, ANY_TAG);
    }

    /// Begins [#recvObject(Class, int, int)] and returns its request, which has the object and the status.
    /// Local: waits for nobody. MPI 4.1, section 3.7.2.
    ///
    ///     ObjectRequest<Task> r = world.irecvObject(Task.class);
    ///     …
    ///     Task task = r.awaitObject();
    ///
    /// @throws MpiException `ERR_RANK`, `ERR_TAG` when `source` or `tag` is neither one nor a wildcard;
    ///     errors of the message come out of the request
    public final <T> ObjectRequest<T> irecvObject(Class<T> type, int source, int tag) {
        return irecvObject(ObjectType.of(type), source, tag);
    }

    /// As [#irecvObject(Class)], for a type with type parameters.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    public final <T> ObjectRequest<T> irecvObject(ObjectType<T> type) {
        return irecvObject(type, ANY_SOURCE, ANY_TAG);
    }

    /// As [#irecvObject(Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    public final <T> ObjectRequest<T> irecvObject(ObjectType<T> type, int source) {
        return irecvObject(type, source, ANY_TAG);
    }

    /// As [#irecvObject(Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#irecvObject(Class, int, int)]
    public final <T> ObjectRequest<T> irecvObject(ObjectType<T> type, int source, int tag) {
        EngineCalls engine = begin("irecvObject");
        given("irecvObject", "type", type, port);
        checkRecv("irecvObject", Buf.NONE, source, tag);
        if (source == PROC_NULL) return new ObjectRequest<>(mpi, type);
        return messages.ireceive(engine, type, source, tag);
    }

    /// As [#sendrecvObject(Object, int, int, Class, int, int)], sending with tag 0 and receiving with any.
    ///
    /// @throws MpiException as [#sendrecvObject(Object, int, int, Class, int, int)]
    public final <T> @Nullable T sendrecvObject(@Nullable Object value, int dest, Class<T> type, int source) {
        return sendrecvObject(value, dest, 0, type, source, ANY_TAG);
    }

    /// Sends a value and receives one at the same time, so that a ring or an exchange cannot block. From
    /// [#PROC_NULL] comes null. Blocking. MPI 4.1, section 3.10.
    ///
    /// @throws MpiException as [#sendObject(Object, int, int)] and [#recvObject(Class, int, int)]
    public final <T> @Nullable T sendrecvObject(
            @Nullable Object value, int dest, int sendTag, Class<T> type, int source, int recvTag) {
        return sendrecvObject(value, dest, sendTag, ObjectType.of(type), source, recvTag);
    }

    /// As [#sendrecvObject(Object, int, Class, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#sendrecvObject(Object, int, int, Class, int, int)]
    public final <T> @Nullable T sendrecvObject(@Nullable Object value, int dest, ObjectType<T> type, int source) {
        return sendrecvObject(value, dest, 0, type, source, ANY_TAG);
    }

    /// As [#sendrecvObject(Object, int, int, Class, int, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#sendrecvObject(Object, int, int, Class, int, int)]
    public final <T> @Nullable T sendrecvObject(
            @Nullable Object value, int dest, int sendTag, ObjectType<T> type, int source, int recvTag) {
        EngineCalls engine = begin("sendrecvObject");
        given("sendrecvObject", "type", type, port);
        checkSend("sendrecvObject", Buf.NONE, dest, sendTag);
        checkRecv("sendrecvObject", Buf.NONE, source, recvTag);
        return messages.sendReceive(engine, value, dest, sendTag, type, source, recvTag);
    }

    // ---- all together

    /// Returns the value that `root` passes on every rank; what the others pass is not looked at. The root
    /// gets its own back. Small objects cost one broadcast, others one for the length, one for the object and
    /// one for each array outside. Collective. MPI 4.1, section 6.4.
    ///
    ///     Map<String, Integer> settings = world.bcastObject(me == 0 ? read() : null, 0);
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_TYPE` at a rank whose value cannot be
    ///     sent: the other ranks wait then
    public final <T extends @Nullable Object> T bcastObject(T value, int root) {
        return unchecked(together.bcast(begin("bcastObject"), ObjectType.of(Object.class), value, root));
    }

    /// As [#bcastObject(Object, int)], and looks whether what comes is a `type`.
    ///
    /// @throws MpiException as [#bcastObject(Object, int)]; `ERR_TYPE` when the value is no `type`
    public final <T> @Nullable T bcastObject(Class<T> type, @Nullable T value, int root) {
        return bcastObject(ObjectType.of(type), value, root);
    }

    /// As [#bcastObject(Class, Object, int)], for a type with type parameters.
    ///
    /// @throws MpiException as [#bcastObject(Class, Object, int)]
    public final <T> @Nullable T bcastObject(ObjectType<T> type, @Nullable T value, int root) {
        return together.bcast(begin("bcastObject"), type, value, root);
    }

    /// Gives rank r the r-th of the values that `root` passes, and returns this rank's; the others pass null.
    /// Collective. MPI 4.1, section 6.6.
    ///
    /// @throws MpiException `ERR_COUNT` at the root when there are not `size()` values, `ERR_TYPE` there when
    ///     one cannot be sent: nothing was sent, and the other ranks wait; `ERR_ROOT` when `root` is no rank
    public final <T extends @Nullable Object> T scatterObject(@Nullable List<? extends T> values, int root) {
        return unchecked(together.scatter(begin("scatterObject"), values, root));
    }

    /// Brings every rank's value to `root`: a list in rank order, which is the caller's to change; null on
    /// the other ranks. Lengths first, then the objects, so a gather each. Collective. MPI 4.1, section 6.5.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_TYPE` at a rank whose value cannot be
    ///     sent
    public final <T extends @Nullable Object> @Nullable List<T> gatherObject(T value, int root) {
        return unchecked(together.gather(begin("gatherObject"), "gatherObject", value, root));
    }

    /// Brings every rank's value to every rank: a list in rank order, which is the caller's to change.
    /// Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_TYPE` at a rank whose value cannot be sent
    public final <T extends @Nullable Object> List<T> allgatherObject(T value) {
        return unchecked(together.allgather(begin("allgatherObject"), "allgatherObject", null, value));
    }

    /// Gives rank r the r-th of `values`, and returns what the ranks had for this one, in rank order.
    /// Collective. MPI 4.1, section 6.8.
    ///
    /// @throws MpiException `ERR_COUNT` when there are not `size()` values, `ERR_TYPE` when one cannot be
    ///     sent: nothing was sent, and the other ranks wait
    public final <T extends @Nullable Object> List<T> alltoallObject(List<? extends T> values) {
        return unchecked(together.alltoall(begin("alltoallObject"), "alltoallObject", null, values));
    }

    /// Combines the values of all ranks from rank 0 on, `op(op(v0, v1), v2)` and so forth, at `root`; null on
    /// the others. `op` may be anything: it is applied at the root alone, to copies, in this order. Costs a
    /// [#gatherObject]. Collective. MPI 4.1, section 6.9.1.
    ///
    /// @throws MpiException as [#gatherObject]; what `op` throws, at the root
    public final <T extends @Nullable Object> @Nullable T reduceObject(T value, int root, BinaryOperator<T> op) {
        given("reduceObject", "op", op, port);
        List<T> all = unchecked(together.gather(begin("reduceObject"), "reduceObject", value, root));
        return all == null ? null : combined(all, all.size(), op);
    }

    /// Combines the values of all ranks as [#reduceObject] does, on every rank: each gets them all and
    /// combines them itself, so that a failure of `op` is that rank's own and nobody waits for another's
    /// `op`. Costs an [#allgatherObject]. Collective. MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException as [#allgatherObject]; what `op` throws, on that rank
    public final <T extends @Nullable Object> T allreduceObject(T value, BinaryOperator<T> op) {
        given("allreduceObject", "op", op, port);
        List<T> all = unchecked(together.allgather(begin("allreduceObject"), "allreduceObject", null, value));
        return combined(all, all.size(), op);
    }

    /// As [#allreduceObject], but only over the ranks up to this one. MPI 4.1, section 6.11.1.
    ///
    /// @throws MpiException as [#allreduceObject]; `ERR_COMM` on an [Intercomm]
    public final <T extends @Nullable Object> T scanObject(T value, BinaryOperator<T> op) {
        given("scanObject", "op", op, port);
        checkOneGroup("scanObject", port);
        List<T> all = unchecked(together.allgather(begin("scanObject"), "scanObject", null, value));
        return combined(all, port.rank() + 1, op);
    }

    /// As [#allreduceObject], but only over the ranks before this one; null on rank 0. MPI 4.1, section
    /// 6.11.2.
    ///
    /// @throws MpiException as [#allreduceObject]; `ERR_COMM` on an [Intercomm]
    public final <T extends @Nullable Object> @Nullable T exscanObject(T value, BinaryOperator<T> op) {
        given("exscanObject", "op", op, port);
        checkOneGroup("exscanObject", port);
        List<T> all = unchecked(together.allgather(begin("exscanObject"), "exscanObject", null, value));
        return port.rank() == 0 ? null : combined(all, port.rank(), op);
    }

    private static <T extends @Nullable Object> T combined(List<T> all, int count, BinaryOperator<T> op) {
        T result = all.getFirst();
        for (int i = 1; i < count; i++) result = op.apply(result, all.get(i));
        return result;
    }

    /// All ranks pass values of the type that the caller speaks of, as for any collection.
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals", "NullAway"}) // T may be a type with null
    static <T extends @Nullable Object> T unchecked(@Nullable Object value) {
        return (T) value;
    }
}
