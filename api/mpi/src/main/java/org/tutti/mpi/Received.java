package org.tutti.mpi;

import org.jspecify.annotations.Nullable;

/// An object that was received, and the status of the message. [Comm#recvObjectWithStatus(Class, int, int)]
/// returns it.
///
/// @param value the object; null if null was sent, or if the source is `PROC_NULL`
/// @param status the source, the tag and the length of the message
/// @param <T> the type of the object
public record Received<T>(@Nullable T value, Status status) {
    /// Returns the sender; see [Status#source]. Local.
    public int source() {
        return status.source();
    }

    /// Returns the message's tag; see [Status#tag]. Local.
    public int tag() {
        return status.tag();
    }
}
