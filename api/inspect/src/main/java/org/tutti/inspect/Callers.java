package org.tutti.inspect;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.FlightRing;
import org.tutti.spi.Activity;

/// The threads of a rank that have called MPI.
final class Callers {
    private final ThreadLocal<Caller> mine = ThreadLocal.withInitial(this::register);
    private final List<WeakReference<Caller>> all = new ArrayList<>();
    private final FlightRing ring;

    /// The number of accesses to windows. The count can miss concurrent accesses, which is harmless, because
    /// only an increase is relevant.
    long accesses;

    /// The approximate number of unsuccessful tests and probes. The next fields are the last such call and the
    /// calling thread. These are plain fields that any thread writes, because a poll must not cost more.
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

    /// Clears the references to the last test or probe and to the calling thread. A thread that still polls is
    /// recorded again by the next poll.
    void forgetPoll() {
        polled = null;
        poller = null;
    }

    /// The thread of the last call, which is usually also the thread of the next call.
    private @Nullable Caller last;

    /// The number of entries above which the entries of threads that have ended are removed.
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

    /// Drops all references to the job, which has ended, because threads that outlive the job must not retain
    /// the job's memory.
    synchronized void close() {
        for (WeakReference<Caller> ref : all) {
            Caller caller = ref.get();
            if (caller != null) caller.forget();
        }
    }

    /// Returns the threads that are in a call.
    synchronized List<Caller> inCalls() {
        List<Caller> found = new ArrayList<>();
        for (WeakReference<Caller> ref : all) {
            Caller caller = ref.get();
            if (caller != null && caller.blockedIn() != 0) found.add(caller);
        }
        return found;
    }
}
