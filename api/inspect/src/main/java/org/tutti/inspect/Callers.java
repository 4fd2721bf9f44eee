package org.tutti.inspect;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.FlightRing;
import org.tutti.spi.Activity;

/// The threads of a rank that have called.
final class Callers {
    private final ThreadLocal<Caller> mine = ThreadLocal.withInitial(this::register);
    private final List<WeakReference<Caller>> all = new ArrayList<>();
    private final FlightRing ring;

    /// How many accesses to windows they have made, but for some that threads counted at once: whether there
    /// were more is all that is asked.
    long accesses;

    /// The number of tests and probes that found nothing, approximately; the last of them, and its thread.
    /// Plain fields, which any thread writes: a poll costs no more than this.
    long polls;

    @Nullable
    Activity polled;

    @Nullable
    Thread poller;

    void polls(Activity activity) {
        polls++;
        if (polled != activity) polled = activity;
        Thread me = Thread.currentThread();
        if (poller != me) poller = me;
    }

    /// Lets go of the last test or probe, and of its thread. A thread that polls meanwhile is noted again by
    /// its next poll.
    void forgetPoll() {
        polled = null;
        poller = null;
    }

    /// The one who called last, who is mostly the one who calls next.
    private @Nullable Caller last;

    /// How many there may be until those of threads that have ended are let go.
    private int most = 64;

    Callers(FlightRing ring) {
        this.ring = ring;
    }

    Caller mine() {
        Caller known = last;
        if (known != null && known.thread == Thread.currentThread()) return known;
        Caller found = mine.get();
        last = found;
        return found;
    }

    private synchronized Caller register() {
        if (all.size() == most) {
            all.removeIf(ref -> ref.get() == null);
            most = Math.max(most, 2 * all.size());
        }
        Caller caller = new Caller();
        if (!all.isEmpty()) ring.shared();
        all.add(new WeakReference<>(caller));
        return caller;
    }

    /// Drops all references to the job, which has ended: threads that outlive the job must not retain its memory.
    synchronized void close() {
        for (WeakReference<Caller> ref : all) {
            Caller caller = ref.get();
            if (caller != null) caller.forget();
        }
    }

    /// Those that are in a call now.
    synchronized List<Caller> inCalls() {
        List<Caller> found = new ArrayList<>();
        for (WeakReference<Caller> ref : all) {
            Caller caller = ref.get();
            if (caller != null && caller.blockedIn() != 0) found.add(caller);
        }
        return found;
    }
}
