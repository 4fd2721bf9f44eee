package org.tutti.inspect;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.CommCreation;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;

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

    @SuppressWarnings("unused") // by BLOCKED_IN
    private long blockedIn;

    private @Nullable Activity activity;
    private Activity @Nullable [] any;
    private int count;
    private @Nullable LocalWait local;
    private @Nullable CommCreation creation;

    /// The call in which the one that it is in was made: a wait in which other calls are made.
    private long outer;

    /// The number of the entry of the call that the thread is in; 0 for none.
    long blockedIn() {
        return (long) BLOCKED_IN.getAcquire(this);
    }

    void enters(long number, Activity of) {
        // a reference that is stored costs more than one that is compared
        if (activity != of) activity = of;
        if (any != null) any = null;
        if (local != null) local = null;
        if (creation != null) creation = null;
        enters(number);
    }

    void enters(long number, Activity[] ofAny, int some) {
        any = ofAny;
        count = some;
        local = null;
        creation = null;
        enters(number);
    }

    void enters(long number, LocalWait wait) {
        any = null;
        local = wait;
        creation = null;
        enters(number);
    }

    void enters(long number, CommCreation of) {
        any = null;
        local = null;
        creation = of;
        enters(number);
    }

    private void enters(long number) {
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

    /// What several activities it waits for the first of; null when it does not.
    Activity @Nullable [] any() {
        return any;
    }

    int count() {
        return count;
    }

    @Nullable
    LocalWait local() {
        return local;
    }

    /// Whether it may go on by what no rank of this world does.
    boolean mayGoOn() {
        LocalWait wait = local;
        if (wait != null) {
            CommPort port = wait.port();
            return wait.endsFromOutside() || port != null && port.isOfSeveralWorlds();
        }
        CommCreation made = creation;
        if (made != null) return made.isOfSeveralWorlds;
        Activity one = activity;
        Activity[] several = any;
        if (several == null) return one != null && one.port().isOfSeveralWorlds();
        for (int i = 0; i < count; i++) {
            Activity each = several[i];
            if (each == null || each.port().isOfSeveralWorlds()) return true;
        }
        return false;
    }

    /// What makes a communicator; null when it does not.
    @Nullable
    CommCreation creation() {
        return creation;
    }

    @Nullable
    Activity activity() {
        return activity;
    }

    /// Whether the call is a wait for it, or for one of several that it is among.
    boolean waitsFor(Activity one) {
        Activity[] several = any;
        if (several == null) return activity == one;
        for (int i = 0; i < count; i++) if (several[i] == one) return true;
        return false;
    }
}
