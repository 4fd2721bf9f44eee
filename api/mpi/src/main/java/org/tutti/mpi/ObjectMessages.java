package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.object.CodecException;
import org.tutti.mpi.object.ObjectCodec;
import org.tutti.mpi.object.ObjectRoom;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;
import org.tutti.spi.type.ElementType;

/// Objects as messages. The codec encodes an object as bytes, which are received into memory that is allocated
/// when the length is known. Large arrays in an object are sent without a copy, and are received directly into
/// the new array.
final class ObjectMessages {
    private final Mpi mpi;
    private final CommPort port;

    ObjectMessages(Mpi mpi, CommPort port) {
        this.mpi = mpi;
        this.port = port;
    }

    void send(EngineCalls engine, String operation, @Nullable Object value, int dest, int tag, boolean synchronous) {
        Scratch scratch = mpi.scratch();
        ObjectCodec codec = scratch.codec();
        Transfer t = fillSend(scratch.send(), codec, operation, value, dest, tag);
        t.synchronous = synchronous;
        run(engine, t, scratch);
        codec.release();
    }

    void sendBuffered(SendBuffers buffers, @Nullable Object value, int dest, int tag) {
        ObjectCodec codec = mpi.scratch().codec();
        try {
            long bytes = codec.encodeWhole(value);
            buffers.target().send("bsendObject", port, codec.head(), bytes, Datatype.OBJECT, dest, tag);
        } catch (CodecException e) {
            throw noValue("bsendObject", e);
        }
        codec.release();
    }

    Request isend(
            EngineCalls engine, String operation, @Nullable Object value, int dest, int tag, boolean synchronous) {
        Scratch scratch = mpi.scratch();
        ObjectCodec codec = scratch.takeCodec();
        Transfer t = scratch.take();
        try {
            fillSend(t, codec, operation, value, dest, tag);
        } catch (MpiException e) {
            scratch.giveBack(codec);
            scratch.giveBack(t);
            throw e;
        }
        t.synchronous = synchronous;
        engine.start(t);
        return new ObjectSend(mpi, codec, t);
    }

    <T> @Nullable T receive(EngineCalls engine, ObjectType<T> type, int source, int tag) {
        return take(received(engine, source, tag), type);
    }

    <T> Received<T> receiveWithStatus(EngineCalls engine, ObjectType<T> type, int source, int tag) {
        Transfer t = received(engine, source, tag);
        Status status = mpi.scratch().status(t); // before decoding: a record's constructor may reuse `t`
        return new Received<>(take(t, type), status);
    }

    private Transfer received(EngineCalls engine, int source, int tag) {
        Scratch scratch = mpi.scratch();
        Transfer t = fillReceive(scratch.receive(), scratch.room(), "recvObject", source, tag);
        run(engine, t, scratch);
        return t;
    }

    /// Returns the object that was received into the memory of this thread.
    private <T> @Nullable T take(Transfer t, ObjectType<T> type) {
        Scratch scratch = mpi.scratch();
        return take(t, scratch.codec(), scratch.room(), type);
    }

    <T> ObjectRequest<T> ireceive(EngineCalls engine, ObjectType<T> type, int source, int tag) {
        Scratch scratch = mpi.scratch();
        ObjectRoom room = scratch.takeRoom();
        Transfer t = fillReceive(scratch.take(), room, "irecvObject", source, tag);
        engine.start(t);
        return new ObjectRequest<>(mpi, type, room, t);
    }

    <T> @Nullable T sendReceive(
            EngineCalls engine,
            @Nullable Object value,
            int dest,
            int sendTag,
            ObjectType<T> type,
            int source,
            int recvTag) {
        Scratch scratch = mpi.scratch();
        ObjectCodec codec = scratch.codec();
        Transfer send = null;
        // the value is encoded first, so that an unsupported value is detected before a message is received
        if (dest != Comm.PROC_NULL) {
            send = fillSend(scratch.send(), codec, "sendrecvObject", value, dest, sendTag);
        }
        Transfer receive = null;
        ObjectRoom room = scratch.room();
        if (source != Comm.PROC_NULL) {
            receive = fillReceive(scratch.receive(), room, "sendrecvObject", source, recvTag);
            engine.start(receive);
        }
        if (send != null) {
            try {
                run(engine, send, scratch);
            } catch (RuntimeException | Error e) {
                engine.withdraw(receive, e);
                throw e;
            }
            codec.release();
        }
        if (receive == null) return null;
        engine.await(receive);
        return take(receive, codec, room, type);
    }

    private Transfer fillSend(
            Transfer t, ObjectCodec codec, String operation, @Nullable Object value, int dest, int tag) {
        try {
            codec.encode(value);
        } catch (CodecException e) {
            throw noValue(operation, e);
        }
        t.fill(operation, port, Kind.SEND, dest, tag, ElementType.OBJECT);
        return t.at(new Memory.Native(codec.first()), 0, codec.firstBytes(), codec.rest());
    }

    private Transfer fillReceive(Transfer t, ObjectRoom room, String operation, int source, int tag) {
        t.fill(operation, port, Kind.RECV_ALLOCATE, source, tag, ElementType.OBJECT);
        return into(t, room);
    }

    private static Transfer into(Transfer t, ObjectRoom room) {
        room.clear();
        t.allocator = room::next;
        return t.at(Memory.NONE, 0, 0);
    }

    /// Receives the message that a matched probe has reserved; `held` is the probe's transfer.
    static <T> @Nullable T receive(Mpi mpi, Transfer held, ObjectType<T> type) {
        Scratch scratch = mpi.scratch();
        ObjectRoom room = scratch.room();
        run(mpi.engine(held.operation), into(held, room), scratch);
        return take(held, scratch.codec(), room, type);
    }

    private static void run(EngineCalls engine, Transfer t, Scratch scratch) {
        boolean well = false;
        try {
            engine.run(t);
            well = t.failure() == null;
        } finally {
            if (!well) scratch.forgetObject();
        }
        EngineCalls.throwFailure(t);
    }

    /// Returns the object of a completed receive.
    static <T> @Nullable T take(Transfer t, ObjectCodec codec, ObjectRoom room, ObjectType<T> type) {
        t.memory = Memory.NONE;
        EngineCalls.throwFailure(t);
        try {
            return type.checked(codec.decode(room, type.raw()));
        } catch (CodecException e) {
            boolean full = e.getCause() instanceof OutOfMemoryError;
            throw MpiException.message(
                    full ? ErrorClass.ERR_NO_MEM : ErrorClass.ERR_TYPE,
                    t.operation,
                    "message from " + t.port().describeRank(t.source) + ", tag " + t.receivedTag + ", "
                            + e.getMessage(),
                    t.port());
        }
    }

    private MpiException noValue(String operation, CodecException e) {
        return MpiException.argument(ErrorClass.ERR_TYPE, operation, String.valueOf(e.getMessage()), port);
    }

    /// The request of an object send. Stores the encoded bytes until the send is complete.
    static final class ObjectSend extends Request {
        private final ObjectCodec codec;

        /// Creates the request of a send that has been started.
        ObjectSend(Mpi mpi, ObjectCodec codec, Transfer send) {
            super(mpi, Buf.NONE, Buf.NONE, send);
            this.codec = codec;
        }

        @Override
        void release(Activity a) {
            if (a.failure() == null) mpi.scratch().giveBack(codec);
            super.release(a);
        }

        @Override
        String shown() {
            return "object";
        }
    }
}
