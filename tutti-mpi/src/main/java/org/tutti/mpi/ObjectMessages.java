package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.object.CodecException;
import org.tutti.mpi.object.ObjectCodec;
import org.tutti.mpi.spi.CommPort;
import org.tutti.mpi.spi.Engine;
import org.tutti.mpi.spi.Memory;
import org.tutti.mpi.spi.Transfer;
import org.tutti.mpi.spi.Transfer.Kind;

/// Objects as messages: encoded into bytes that only the codec understands, received into memory that is found when
/// the
/// length is known.
final class ObjectMessages {
    private ObjectMessages() {}

    static void send(Mpi mpi, Engine engine, CommPort port, @Nullable Object value, int dest, int tag) {
        Scratch scratch = mpi.scratch();
        ObjectCodec codec = scratch.codec();
        long bytes;
        try {
            bytes = codec.encode(value);
        } catch (CodecException e) {
            throw MpiException.argument(ErrorClass.ERR_TYPE, "sendObject", String.valueOf(e.getMessage()), port);
        }
        Transfer t = scratch.first().fill("sendObject", port, Kind.SEND, dest, tag, Datatype.PACKED);
        engine.run(t.at(new Memory.Native(codec.encoded()), 0, bytes));
        Comm.throwFailure(t);
    }

    static <T> @Nullable T receive(Mpi mpi, Engine engine, CommPort port, Class<T> type, int source, int tag) {
        Scratch scratch = mpi.scratch();
        Transfer t = scratch.first().fill("recvObject", port, Kind.RECV_ALLOCATE, source, tag, Datatype.PACKED);
        t.at(Memory.NONE, 0, 0);
        t.allocator = scratch.objectRoom();
        engine.run(t);
        Comm.throwFailure(t);
        MemorySegment bytes = t.memory.segment();
        try {
            return scratch.codec().decode(bytes, t.offsetBytes, t.receivedBytes, type);
        } catch (CodecException e) {
            throw MpiException.message(
                    ErrorClass.ERR_TYPE,
                    "recvObject",
                    "message from rank " + t.source + ", tag " + t.receivedTag + ", " + e.getMessage(),
                    port);
        } finally {
            t.memory = Memory.NONE;
        }
    }
}
