package org.tutti.libmpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// A message, with the library's state of the message.
final class NativeTransfer extends Transfer {
    /// The pending requests. `request` is for the message itself, or for an object's header; `rest` is for the
    /// remaining data of an object that does not fit next to the header.
    long request;

    long rest;
    boolean hasRequest;
    boolean hasRest;

    /// Whether cancellation of the receive was requested from the library.
    boolean cancelling;

    /// The message that a matched probe has reserved; valid while `matched`.
    long message;

    /// Whether this receive is for a message that a probe has found, so that it cannot be cancelled.
    boolean claimed;

    /// Staging memory used by the library while requests are pending, released on completion.
    Staging.@Nullable Block block;

    Staging.@Nullable Block restBlock;

    /// The buffer of an object being received; null until the length is known, and if the object cannot be
    /// stored.
    @Nullable
    MemorySegment target;

    /// The reason why an object being received will be discarded.
    @Nullable
    Throwable refusal;

    NativeComm nativeComm() {
        return (NativeComm) port();
    }

    /// Returns the number of bytes that a thread waits for in this message; in the receive of an object, 0
    /// until the remaining data is in transit.
    long awaited() {
        if (kind == Kind.SEND || !isObject()) return lengthBytes;
        return hasRest ? receivedBytes : 0;
    }

    /// Returns whether the message is an object, which is sent as a header and remaining data.
    boolean isObject() {
        return lane == Lane.USER && (kind == Kind.RECV_ALLOCATE || type == ElementType.OBJECT);
    }
}
