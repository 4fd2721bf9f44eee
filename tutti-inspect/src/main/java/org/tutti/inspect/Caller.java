package org.tutti.inspect;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;

/// A thread of the program, and the call that it is in.
///
///     long before = caller.enters(number, activity);
///     try {
///         …
///     } finally {
///         caller.leaves(before);
///     }
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
    private @Nullable CommPort makes;
    private String operation = "";

    /// The number of the entry of the call that the thread is in; 0 for none.
    long blockedIn() {
        return (long) BLOCKED_IN.getAcquire(this);
    }

    long enters(long number, Activity of) {
        // a reference that is stored costs more than one that is compared
        if (activity != of) activity = of;
        if (any != null) any = null;
        if (local != null) local = null;
        if (makes != null) makes = null;
        return enters(number);
    }

    long enters(long number, Activity[] ofAny, int some) {
        any = ofAny;
        count = some;
        return enters(number);
    }

    long enters(long number, LocalWait wait) {
        any = null;
        local = wait;
        return enters(number);
    }

    long enters(long number, String making, CommPort of) {
        any = null;
        local = null;
        operation = making;
        makes = of;
        return enters(number);
    }

    private long enters(long number) {
        long before = (long) BLOCKED_IN.getOpaque(this);
        BLOCKED_IN.setRelease(this, number);
        return before;
    }

    void leaves(long before) {
        BLOCKED_IN.setRelease(this, before);
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

    /// Of which port it makes a new one; null when it does not.
    @Nullable
    CommPort makes() {
        return makes;
    }

    /// What it calls that.
    String operation() {
        return operation;
    }

    @Nullable
    Activity activity() {
        return activity;
    }
}
