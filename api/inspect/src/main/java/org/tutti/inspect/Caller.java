package org.tutti.inspect;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.CommCreation;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;
import org.tutti.spi.ObservedCall;
import org.tutti.spi.WaitAny;

/// A thread of the program and the current call of the thread, between [#enters] and [#leaves].
///
/// Only the thread itself writes. Other threads read a consistent state of a call that has lasted for a while,
/// because all fields are stored before [#blockedIn].
final class Caller {
    private static final VarHandle BLOCKED_IN;

    static {
        try {
            BLOCKED_IN = MethodHandles.lookup().findVarHandle(Caller.class, "blockedIn", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Thread thread = Thread.currentThread();
    final long threadId = thread.threadId();

    @SuppressWarnings("unused") // accessed through BLOCKED_IN
    private long blockedIn;

    /// The object of the wait: an [Activity], a [WaitAny], a [LocalWait] or a [CommCreation]. The field is not
    /// cleared when the call returns.
    private @Nullable ObservedCall call;

    /// The number of the call within which the current call runs, for example of a wait that runs other calls;
    /// 0 if there is none.
    private long outer;

    /// Returns the number of the recorder's entry for the current call; 0 if no call is recorded.
    long blockedIn() {
        return (long) BLOCKED_IN.getAcquire(this);
    }

    void enters(long number, ObservedCall of) {
        // storing a reference costs more than comparing it
        if (call != of) call = of;
        outer = (long) BLOCKED_IN.getOpaque(this);
        BLOCKED_IN.setRelease(this, number);
    }

    /// Ends the current call, and returns the number of its entry.
    long leaves() {
        long number = (long) BLOCKED_IN.getOpaque(this);
        BLOCKED_IN.setRelease(this, outer);
        outer = 0;
        return number;
    }

    /// Clears the reference to the last call, unless the thread is still in this call.
    void forget() {
        if (blockedIn() == 0) call = null;
    }

    /// Returns the wait for one of several activities; null for other waits.
    @Nullable
    WaitAny any() {
        return call instanceof WaitAny several ? several : null;
    }

    @Nullable
    LocalWait local() {
        return call instanceof LocalWait wait ? wait : null;
    }

    /// Returns whether an event outside of this world's ranks can end the wait.
    boolean mayGoOn() {
        ObservedCall of = call;
        if (of instanceof LocalWait wait) {
            CommPort port = wait.port();
            return wait.isCompletedExternally() || port != null && port.isOfSeveralWorlds();
        }
        if (of instanceof CommCreation made) return made.isOfSeveralWorlds;
        if (of instanceof Activity one) return one.port().isOfSeveralWorlds();
        if (!(of instanceof WaitAny several)) return false;
        for (int i = 0; i < several.count; i++) {
            Activity each = several.activities[i];
            if (each == null || each.port().isOfSeveralWorlds()) return true;
        }
        return false;
    }

    /// Returns the creation of a communicator; null for other calls.
    @Nullable
    CommCreation creation() {
        return call instanceof CommCreation made ? made : null;
    }

    @Nullable
    Activity activity() {
        return call instanceof Activity one ? one : null;
    }

    /// Returns whether the call waits for this activity, possibly with further activities.
    boolean waitsFor(Activity one) {
        WaitAny several = any();
        if (several == null) return call == one;
        for (int i = 0; i < several.count; i++) if (several.activities[i] == one) return true;
        return false;
    }
}
