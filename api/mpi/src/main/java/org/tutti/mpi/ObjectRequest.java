package org.tutti.mpi;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.object.ObjectRoom;
import org.tutti.spi.Activity;
import org.tutti.spi.Transfer;

/// The request of an object receive. [#await] returns sender and tag, [#awaitObject] the object. It can be
/// awaited together with any other [Request].
public final class ObjectRequest<T> extends Request {
    private final ObjectType<T> type;
    private final ObjectRoom room;
    private @Nullable T object;

    /// @param receive a transfer that has been started
    ObjectRequest(Mpi mpi, ObjectType<T> type, ObjectRoom room, Transfer receive) {
        super(mpi, Buf.NONE, Buf.NONE, receive);
        this.type = type;
        this.room = room;
    }

    /// Creates the complete request of a receive from `PROC_NULL`.
    ObjectRequest(Mpi mpi, ObjectType<T> type) {
        super(mpi, Buf.NONE, Status.ofNullProcess());
        this.type = type;
        room = new ObjectRoom();
    }

    /// Waits until the request is complete, and returns the object; null if null was sent, and for a receive
    /// from [Comm#PROC_NULL]. A repeated call returns the same object. Blocking. MPI 4.1, section 3.7.3.
    ///
    /// @throws MpiException `ERR_TYPE` when the value is no `T`, or the message holds no object; `ERR_REQUEST`
    ///     when the request was cancelled
    public @Nullable T awaitObject() {
        if (await().isCancelled()) {
            throw MpiException.argument(
                    ErrorClass.ERR_REQUEST, "irecvObject", "the request was cancelled and has no object", mpi.where());
        }
        return object;
    }

    /// Like [#toStage], but the stage completes with the object. If the request was cancelled, the stage fails
    /// with `ERR_REQUEST`.
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
