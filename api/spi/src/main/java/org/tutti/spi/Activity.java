package org.tutti.spi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A prepared piece of communication: one message or one collective operation.
///
/// Its life is a circle: *idle* (its fields may be filled in), *active* (from `Engine.start` on, the
/// engine's), *done* (results and failure may be read), idle again. The caller moves it from idle to
/// active by starting it and reads nothing until [#isDone]; the engine publishes results and failure by
/// [#complete], with release.
public abstract sealed class Activity implements ObservedCall permits Transfer, Collective {
    /// Which subclass it is of. Where a rank's first message passes, switches are over this and not over the class:
    /// for each of those the JVM makes a class when it first gets there, which takes milliseconds.
    public enum Family {
        TRANSFER,
        COLLECTIVE
    }

    private static final VarHandle DONE;

    static {
        try {
            DONE = MethodHandles.lookup().findVarHandle(Activity.class, "done", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public final Family family;

    /// The user's word for it (`send`, `irecv`, `allreduce`): errors begin with it. Always a constant.
    public String operation = "";

    /// The communicator it belongs to.
    public @Nullable CommPort comm;

    /// For a recorder: the number under which it has noted that this was started; 0 for none. A field, because
    /// a look into a map would cost more than the note.
    public long noted;

    @SuppressWarnings("unused") // by DONE
    private boolean done = true;

    private @Nullable Throwable failure;

    Activity(Family family) {
        this.family = family;
    }

    /// True when it is not active: it was never started, or its results are there.
    public final boolean isDone() {
        return (boolean) DONE.getAcquire(this);
    }

    /// Why it failed; null when it did not. Only after [#isDone].
    public final @Nullable Throwable failure() {
        return failure;
    }

    /// For the engine: it is now active.
    public void begin() {
        failure = null;
        DONE.set(this, false);
    }

    /// For the engine: everything it was to do is done.
    public final void complete() {
        DONE.setRelease(this, true);
    }

    /// For the engine: it ended without its result.
    public final void fail(Throwable why) {
        failure = why;
        DONE.setRelease(this, true);
    }

    /// The communicator, when the activity has been filled in.
    public final CommPort port() {
        CommPort c = comm;
        if (c == null) throw new IllegalStateException(operation + ": activity without a communicator");
        return c;
    }
}
