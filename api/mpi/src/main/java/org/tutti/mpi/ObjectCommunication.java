package org.tutti.mpi;

import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;

/// Messages and collective operations of objects. [Communicator] documents the methods.
abstract sealed class ObjectCommunication extends PersistentPointToPoint permits BlockingCollectives {
    private final ObjectMessages messages;
    final ObjectCollectives together;

    ObjectCommunication(Mpi mpi, CommPort port) {
        super(mpi, port);
        messages = new ObjectMessages(mpi, port);
        together = new ObjectCollectives(mpi, port);
    }

    // ---- one to one

    @Override
    public void sendObject(@Nullable Object value, int dest) {
        send("sendObject", value, dest, 0, false);
    }

    @Override
    public void sendObject(@Nullable Object value, int dest, int tag) {
        send("sendObject", value, dest, tag, false);
    }

    private void send(String operation, @Nullable Object value, int dest, int tag, boolean synchronous) {
        EngineCalls engine = begin(operation);
        checkSend(operation, Buf.NONE, dest, tag);
        if (dest != PROC_NULL) messages.send(engine, operation, value, dest, tag, synchronous);
    }

    @Override
    public void ssendObject(@Nullable Object value, int dest, int tag) {
        send("ssendObject", value, dest, tag, true);
    }

    @Override
    public void bsendObject(@Nullable Object value, int dest, int tag) {
        begin("bsendObject");
        checkSend("bsendObject", Buf.NONE, dest, tag);
        if (dest != PROC_NULL) messages.sendBuffered(buffers, value, dest, tag);
    }

    @Override
    public Request isendObject(@Nullable Object value, int dest, int tag) {
        return begin("isendObject", value, dest, tag, false);
    }

    @Override
    public Request issendObject(@Nullable Object value, int dest, int tag) {
        return begin("issendObject", value, dest, tag, true);
    }

    private Request begin(String operation, @Nullable Object value, int dest, int tag, boolean synchronous) {
        EngineCalls engine = begin(operation);
        checkSend(operation, Buf.NONE, dest, tag);
        if (dest == PROC_NULL) return new Request(mpi, Buf.NONE, Status.empty());
        return messages.isend(engine, operation, value, dest, tag, synchronous);
    }

    @Override
    public <T> @Nullable T recvObject(Class<T> type) {
        return receive(ObjectType.of(type), ANY_SOURCE, ANY_TAG);
    }

    @Override
    public <T> @Nullable T recvObject(Class<T> type, int source) {
        return receive(ObjectType.of(type), source, ANY_TAG);
    }

    @Override
    public <T> @Nullable T recvObject(Class<T> type, int source, int tag) {
        return receive(ObjectType.of(type), source, tag);
    }

    @Override
    public <T> @Nullable T recvObject(ObjectType<T> type) {
        return receive(type, ANY_SOURCE, ANY_TAG);
    }

    @Override
    public <T> @Nullable T recvObject(ObjectType<T> type, int source) {
        return receive(type, source, ANY_TAG);
    }

    @Override
    public <T> @Nullable T recvObject(ObjectType<T> type, int source, int tag) {
        return receive(type, source, tag);
    }

    private <T> @Nullable T receive(ObjectType<T> type, int source, int tag) {
        EngineCalls engine = begin("recvObject");
        Arguments.given("recvObject", "type", type, port);
        checkRecv("recvObject", Buf.NONE, source, tag);
        return source == PROC_NULL ? null : messages.receive(engine, type, source, tag);
    }

    @Override
    public <T> Received<T> recvObjectWithStatus(ObjectType<T> type, int source, int tag) {
        EngineCalls engine = begin("recvObject");
        Arguments.given("recvObject", "type", type, port);
        checkRecv("recvObject", Buf.NONE, source, tag);
        if (source == PROC_NULL) return new Received<>(null, Status.ofNullProcess());
        return messages.receiveWithStatus(engine, type, source, tag);
    }

    @Override
    public <T> ObjectRequest<T> irecvObject(ObjectType<T> type, int source, int tag) {
        EngineCalls engine = begin("irecvObject");
        Arguments.given("irecvObject", "type", type, port);
        checkRecv("irecvObject", Buf.NONE, source, tag);
        if (source == PROC_NULL) return new ObjectRequest<>(mpi, type);
        return messages.ireceive(engine, type, source, tag);
    }

    @Override
    public <T> @Nullable T sendrecvObject(
            @Nullable Object value, int dest, int sendTag, ObjectType<T> type, int source, int recvTag) {
        EngineCalls engine = begin("sendrecvObject");
        Arguments.given("sendrecvObject", "type", type, port);
        checkSend("sendrecvObject", Buf.NONE, dest, sendTag);
        checkRecv("sendrecvObject", Buf.NONE, source, recvTag);
        return messages.sendReceive(engine, value, dest, sendTag, type, source, recvTag);
    }

    // ---- all together

    @Override
    public <T extends @Nullable Object> T bcastObject(T value, int root) {
        return unchecked(together.bcast(begin("bcastObject"), ObjectType.of(Object.class), value, root));
    }

    @Override
    public <T> @Nullable T bcastObject(ObjectType<T> type, @Nullable T value, int root) {
        return together.bcast(begin("bcastObject"), type, value, root);
    }

    @Override
    public <T extends @Nullable Object> T scatterObject(@Nullable List<? extends T> values, int root) {
        return unchecked(together.scatter(begin("scatterObject"), values, root));
    }

    @Override
    public <T extends @Nullable Object> @Nullable List<T> gatherObject(T value, int root) {
        return unchecked(together.gather(begin("gatherObject"), "gatherObject", value, root));
    }

    @Override
    public <T extends @Nullable Object> List<T> allgatherObject(T value) {
        return unchecked(together.allgather(begin("allgatherObject"), "allgatherObject", null, value));
    }

    @Override
    public <T extends @Nullable Object> List<T> alltoallObject(List<? extends T> values) {
        return unchecked(together.alltoall(begin("alltoallObject"), "alltoallObject", null, values));
    }

    @Override
    public <T extends @Nullable Object> @Nullable T reduceObject(T value, int root, BinaryOperator<T> op) {
        Arguments.given("reduceObject", "op", op, port);
        List<T> all = unchecked(together.gather(begin("reduceObject"), "reduceObject", value, root));
        return all == null ? null : combined(all, all.size(), op);
    }

    @Override
    public <T extends @Nullable Object> T allreduceObject(T value, BinaryOperator<T> op) {
        Arguments.given("allreduceObject", "op", op, port);
        List<T> all = unchecked(together.allgather(begin("allreduceObject"), "allreduceObject", null, value));
        return combined(all, all.size(), op);
    }

    static <T extends @Nullable Object> T combined(List<T> all, int count, BinaryOperator<T> op) {
        T result = all.getFirst();
        for (int i = 1; i < count; i++) result = op.apply(result, all.get(i));
        return result;
    }

    /// Casts a value. The program is responsible for the type, as in a collection: all ranks must pass values
    /// of the type that the caller expects.
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals", "NullAway"}) // T may be a nullable type
    static <T extends @Nullable Object> T unchecked(@Nullable Object value) {
        return (T) value;
    }
}
