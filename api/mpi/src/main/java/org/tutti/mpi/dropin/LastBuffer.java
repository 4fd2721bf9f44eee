package org.tutti.mpi.dropin;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Buf;

/// The description of the data that a thread has sent, or received, last: a loop of like messages makes it once.
/// It keeps that one array from being collected. Of one thread and one direction.
public final class LastBuffer {
    private @Nullable Object data;
    private @Nullable Object type;
    private long offset;
    private long count;
    private @Nullable Buf buf;

    public LastBuffer() {}

    /// The description, if it is of these; else null, and the caller makes one and [#keep]s it.
    public @Nullable Buf find(Object ofData, long atOffset, long ofCount, Object ofType) {
        return data == ofData && type == ofType && count == ofCount && offset == atOffset ? buf : null;
    }

    /// Returns `made`, which is of these.
    public Buf keep(Object ofData, long atOffset, long ofCount, Object ofType, Buf made) {
        data = ofData;
        type = ofType;
        offset = atOffset;
        count = ofCount;
        buf = made;
        return made;
    }
}
