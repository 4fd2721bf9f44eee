package org.tutti.libmpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// One message, and what the library is doing about it.
final class NativeTransfer extends Transfer {
    /// Pending requests: the message itself, or an object's header; and the rest of an object that did not
    /// fit beside it.
    long request;

    long rest;
    boolean hasRequest;
    boolean hasRest;

    /// The library was asked to withdraw it.
    boolean cancelling;

    /// What a taking probe found, while `matched`.
    long message;

    /// It receives what a probe found, so it cannot be withdrawn.
    boolean claimed;

    /// Room lent to the library while the requests are pending, given back on completion.
    Staging.@Nullable Block block;

    Staging.@Nullable Block restBlock;

    /// Of an object being received: where it goes, once its length is known; null while it is not, or if it
    /// cannot go anywhere.
    @Nullable
    MemorySegment target;

    /// Why an object that is being received will be dropped.
    @Nullable
    Throwable refusal;

    NativeComm nativeComm() {
        return (NativeComm) port();
    }

    /// The bytes that a wait for it is for: of an object none, until its rest is on the way.
    long awaited() {
        if (kind == Kind.SEND || !isObject()) return lengthBytes;
        return hasRest ? receivedBytes : 0;
    }

    /// Whether it travels as a header and a rest.
    boolean isObject() {
        return lane == Lane.USER && (kind == Kind.RECV_ALLOCATE || type == ElementType.OBJECT);
    }
}
