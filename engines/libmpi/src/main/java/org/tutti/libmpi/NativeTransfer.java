package org.tutti.libmpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// A message and the state in the library.
final class NativeTransfer extends Transfer {
    /// Pending requests: the message itself, or an object's header; and the remaining data of an object that
    /// does not fit next to the header.
    long request;

    long rest;
    boolean hasRequest;
    boolean hasRest;

    /// Whether cancellation of the receive was requested from the library.
    boolean cancelling;

    /// The message reserved by a matched probe, while `matched`.
    long message;

    /// Whether it receives a message that a probe found, and therefore cannot be cancelled.
    boolean claimed;

    /// Staging memory used by the library while requests are pending, released on completion.
    Staging.@Nullable Block block;

    Staging.@Nullable Block restBlock;

    /// The buffer of an object being received, once the length is known; null before, or if the object cannot
    /// be stored.
    @Nullable
    MemorySegment target;

    /// Why an object being received will be discarded.
    @Nullable
    Throwable refusal;

    NativeComm nativeComm() {
        return (NativeComm) port();
    }

    /// Returns the number of bytes that a wait needs; for an object, 0 until the remaining data is in transit.
    long awaited() {
        if (kind == Kind.SEND || !isObject()) return lengthBytes;
        return hasRest ? receivedBytes : 0;
    }

    /// Returns whether the message is sent as a header and remaining data.
    boolean isObject() {
        return lane == Lane.USER && (kind == Kind.RECV_ALLOCATE || type == ElementType.OBJECT);
    }
}
