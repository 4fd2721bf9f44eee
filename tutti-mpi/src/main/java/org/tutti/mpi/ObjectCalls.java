package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.spi.CommPort;
import org.tutti.mpi.spi.Engine;

/// The page of [Comm] with messages and collective operations of objects.
abstract sealed class ObjectCalls extends NonblockingMessages permits BlockingCollectives {
    ObjectCalls(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    /// Sends with tag 0; see [#sendObject(Object, int, int)].
    public final void sendObject(@Nullable Object value, int dest) {
        sendObject(value, dest, 0);
    }

    /// Sends a value: null, numbers, strings, arrays, collections, enums, records, and what is made of
    /// them. The message sizes itself. Values are copied, never shared; Java serialization is not used.
    ///
    /// @throws MpiException `ERR_TYPE` when something in it is no value, with the way to it; nothing was
    ///     sent
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
    /// @throws MpiException `ERR_TYPE` when the value is no `type`, or the message holds no object: the
    ///     message is lost then, everything else goes on
    public final <T> @Nullable T recvObject(Class<T> type, int source, int tag) {
        Engine engine = begin("recvObject");
        checkRecv("recvObject", Buf.NONE, source, tag);
        if (source == PROC_NULL) {
            throw MpiException.argument(
                    ErrorClass.ERR_RANK, "recvObject", "source=PROC_NULL has no object to give", port);
        }
        return ObjectMessages.receive(mpi, engine, port, type, source, tag);
    }
}
