package org.tutti.mpi;

import org.jspecify.annotations.Nullable;

/// An object that was received, with the status of the message: from
/// [Comm#recvObjectWithStatus(Class, int, int)].
///
/// @param value the object; null if null was sent, and from `PROC_NULL`
/// @param status the source, the tag and the length of the message
/// @param <T> the type of the object
public record Received<T>(@Nullable T value, Status status) {
    /// Returns the sender, as [Status#source]. Local.
    public int source() {
        return status.source();
    }

    /// Returns the message's tag, as [Status#tag]. Local.
    public int tag() {
        return status.tag();
    }
}
