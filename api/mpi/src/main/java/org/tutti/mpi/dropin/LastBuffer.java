package org.tutti.mpi.dropin;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Buf;

/// Keeps the description of the data in a thread's last send, or last receive, so that a loop of similar
/// messages creates the description only once. The described array stays reachable as long as the description
/// is kept. Each instance is for one thread and one direction.
public final class LastBuffer {
    private @Nullable Object data;
    private @Nullable Object type;
    private long offset;
    private long count;
    private @Nullable Buf buf;

    public LastBuffer() {}

    /// Returns the description if it matches the arguments; otherwise returns null, and the caller must create
    /// a description and pass it to [#keep].
    public @Nullable Buf find(Object ofData, long atOffset, long ofCount, Object ofType) {
        return data == ofData && type == ofType && count == ofCount && offset == atOffset ? buf : null;
    }

    /// Stores `made` as the description for these arguments, and returns it.
    public Buf keep(Object ofData, long atOffset, long ofCount, Object ofType, Buf made) {
        data = ofData;
        type = ofType;
        offset = atOffset;
        count = ofCount;
        buf = made;
        return made;
    }
}
