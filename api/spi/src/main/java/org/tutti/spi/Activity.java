package org.tutti.spi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A prepared piece of communication: one message or one collective operation.
///
/// An activity is *idle* (the caller fills in the fields), *active* from `Engine.start` (the fields belong to
/// the engine), *done* (the caller reads results and failure), and then idle again. The caller starts the
/// activity and reads no field until [#isDone] returns true. The engine publishes results by [#complete] and a
/// failure by [#fail], with release semantics.
public abstract sealed class Activity implements ObservedCall permits Transfer, Collective {
    /// The subclass. Code on the path of a rank's first message switches on this value: a switch on classes
    /// costs milliseconds at the first execution, because the JVM creates a class for it.
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

    /// The operation's name in the API (`send`, `irecv`, `allreduce`), with which errors begin. Always a
    /// constant.
    public String operation = "";

    /// The communicator.
    public @Nullable CommPort comm;

    /// The number of the recorder's entry for the start of this activity; 0 if the recorder has no entry. It is
    /// a field because a map would cost more time.
    public long noted;

    @SuppressWarnings("unused") // accessed through DONE
    private boolean done = true;

    private @Nullable Throwable failure;

    Activity(Family family) {
        this.family = family;
    }

    /// Returns whether the activity is not active: either it was never started, or the results are available.
    public final boolean isDone() {
        return (boolean) DONE.getAcquire(this);
    }

    /// Returns the failure; null if the activity succeeded. Valid only after [#isDone] has returned true.
    public final @Nullable Throwable failure() {
        return failure;
    }

    /// Called by the engine when the activity becomes active.
    public void begin() {
        failure = null;
        DONE.set(this, false);
    }

    /// Called by the engine when the activity is complete.
    public final void complete() {
        DONE.setRelease(this, true);
    }

    /// Called by the engine when the activity has failed. If the exception is the JDK's and concerns memory
    /// that the activity cannot access, it is converted to a [Fault].
    public final void fail(Throwable why) {
        failure = MessageErrors.ofMemory(this, why);
        DONE.setRelease(this, true);
    }

    /// Returns the communicator of an activity that has been filled in.
    public final CommPort port() {
        CommPort c = comm;
        if (c == null) throw new IllegalStateException(operation + ": activity without a communicator");
        return c;
    }
}
