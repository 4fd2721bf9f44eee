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

/// A thread of the program, and the call that it is in: between [#enters] and [#leaves].
///
/// The thread itself writes. Whoever else reads sees a call that has lasted for a while whole: everything was
/// stored before [#blockedIn].
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

    @SuppressWarnings("unused") // by BLOCKED_IN
    private long blockedIn;

    /// What it waits for: an [Activity], several, a [LocalWait] or a [CommCreation]; stays when the call has returned.
    private @Nullable ObservedCall call;

    /// The call in which the one that it is in was made: a wait in which other calls are made.
    private long outer;

    /// The number of the entry of the call that the thread is in; 0 for none.
    long blockedIn() {
        return (long) BLOCKED_IN.getAcquire(this);
    }

    void enters(long number, ObservedCall of) {
        // a reference that is stored costs more than one that is compared
        if (call != of) call = of;
        outer = (long) BLOCKED_IN.getOpaque(this);
        BLOCKED_IN.setRelease(this, number);
    }

    /// Returns the number of the entry of the call that it was in.
    long leaves() {
        long number = (long) BLOCKED_IN.getOpaque(this);
        BLOCKED_IN.setRelease(this, outer);
        outer = 0;
        return number;
    }

    /// Drops the last call, unless the thread is still in it.
    void forget() {
        if (blockedIn() == 0) call = null;
    }

    /// What several activities it waits for the first of; null when it does not.
    @Nullable
    WaitAny any() {
        return call instanceof WaitAny several ? several : null;
    }

    @Nullable
    LocalWait local() {
        return call instanceof LocalWait wait ? wait : null;
    }

    /// Whether it may go on by what no rank of this world does.
    boolean mayGoOn() {
        ObservedCall of = call;
        if (of instanceof LocalWait wait) {
            CommPort port = wait.port();
            return wait.endsFromOutside() || port != null && port.isOfSeveralWorlds();
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

    /// What makes a communicator; null when it does not.
    @Nullable
    CommCreation creation() {
        return call instanceof CommCreation made ? made : null;
    }

    @Nullable
    Activity activity() {
        return call instanceof Activity one ? one : null;
    }

    /// Whether the call is a wait for it, or for one of several that it is among.
    boolean waitsFor(Activity one) {
        WaitAny several = any();
        if (several == null) return call == one;
        for (int i = 0; i < several.count; i++) if (several.activities[i] == one) return true;
        return false;
    }
}
