package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;

/// Where messages in buffered mode lie until they are sent on.
interface MessageBuffer {
    /// Copies the message and sends the copy.
    void send(String operation, CommPort port, Buf buf, int dest, int tag);

    /// Copies the first `bytes` of `from` and sends the copy.
    void send(String operation, CommPort port, MemorySegment from, long bytes, Datatype type, int dest, int tag);

    /// How many messages were ever put here.
    long sent();

    /// Whether one of the first `count` of them is still here; makes progress, never waits.
    boolean holdsOfFirst(long count);

    /// Waits until all were sent on.
    void flush();

    /// Before the rank leaves: what will not arrive; null when all will.
    @Nullable
    String undeliverable();
}
