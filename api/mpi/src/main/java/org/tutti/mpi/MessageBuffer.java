package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;

/// A buffer that stores messages in buffered mode until the send is complete.
interface MessageBuffer {
    /// Copies the data of `buf`, and sends the copy.
    void send(String operation, CommPort port, Buf buf, int dest, int tag);

    /// Copies the first `bytes` bytes of `from`, and sends the copy.
    void send(String operation, CommPort port, MemorySegment from, long bytes, Datatype type, int dest, int tag);

    /// Returns the total number of messages stored so far.
    long sent();

    /// Polls the engine once, without waiting. Returns whether any of the first `count` messages is still
    /// stored.
    boolean holdsOfFirst(long count);

    /// Waits until all messages have been sent.
    void flush();

    /// Called when the rank is about to leave. Describes the messages that will not arrive; returns null if all
    /// messages will arrive.
    @Nullable
    String undeliverable();
}
