package org.tutti.mpi;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.object.ObjectRoom;
import org.tutti.spi.Activity;
import org.tutti.spi.Transfer;

/// The request of an object receive. [#await] returns sender and tag, and [#awaitObject] returns the object.
/// The request can be awaited together with any other [Request].
public final class ObjectRequest<T> extends Request {
    private final ObjectType<T> type;
    private final ObjectRoom room;
    private @Nullable T object;

    /// Creates the request of a receive that has been started.
    ObjectRequest(Mpi mpi, ObjectType<T> type, ObjectRoom room, Transfer receive) {
        super(mpi, Buf.NONE, Buf.NONE, receive);
        this.type = type;
        this.room = room;
    }

    /// Creates the request of a receive from `PROC_NULL`, which is already complete.
    ObjectRequest(Mpi mpi, ObjectType<T> type) {
        super(mpi, Buf.NONE, Status.ofNullProcess());
        this.type = type;
        room = new ObjectRoom();
    }

    /// Waits until the request is complete, and returns the object; null if null was sent, and for a receive
    /// from [Comm#PROC_NULL]. Further calls return the same object. Blocking. MPI 4.1, section 3.7.3.
    ///
    /// @throws MpiException `ERR_TYPE` if the value is not a `T`, or if the message contains no object;
    ///     `ERR_NO_MEM` if memory is insufficient; `ERR_REQUEST` if the request was cancelled
    public @Nullable T awaitObject() {
        if (await().isCancelled()) {
            throw MpiException.argument(
                    ErrorClass.ERR_REQUEST, "irecvObject", "the request was cancelled and has no object", mpi.where());
        }
        return object;
    }

    /// Returns a stage as [#toStage] does, but this stage completes with the object. If the request was
    /// cancelled, the stage fails with `ERR_REQUEST`.
    ///
    /// @throws MpiException as [#toStage]
    public CompletionStage<@Nullable T> toObjectStage() {
        return toStage().thenApply(_ -> awaitObject());
    }

    @Override
    void release(Activity a) {
        Scratch scratch = mpi.scratch();
        Transfer t = (Transfer) a;
        if (t.failure() == null && !t.cancelled) {
            try {
                object = ObjectMessages.take(t, scratch.codec(), room, type);
            } catch (RuntimeException | Error e) { // also of a record's constructor
                fail(e);
            }
        }
        if (t.failure() == null) scratch.giveBack(room);
        super.release(a);
    }

    @Override
    String shown() {
        return type.shown();
    }
}
