package org.tutti.inspect.calls;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.UserLine;
import org.tutti.job.calls.CallLog;
import org.tutti.job.calls.CallRecord;
import org.tutti.job.calls.CallRecord.Kind;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.ForwardingEngine;
import org.tutti.spi.LocalWait;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;

/// Writes each call into the rank's [CallLog]: when it began and ended, at which line of the program, and
/// what tells it apart from others on all ranks.
///
/// A call that is in the log when it begins is there also if the rank never comes out of it.
final class Logger extends ForwardingEngine {
    /// A call that goes on.
    private record Call(long number, long begin, int site) {}

    /// What an activity has that was started, or the pattern of a probe that took a message.
    private record Started(long number, int site, String line) {}

    private record Known(String name, int text) {}

    private final CallLog log;
    private final @Nullable JvmEvents jvm;
    private final ThreadLocal<Integer> thread = ThreadLocal.withInitial(this::thread);
    private final Map<CommPort, Known> comms = new ConcurrentHashMap<>();

    Logger(Engine inner, CallLog log, @Nullable JvmEvents jvm) {
        super(inner);
        this.log = log;
        this.jvm = jvm;
    }

    private int thread() {
        Thread t = Thread.currentThread();
        String name = t.getName();
        String shown = !name.isEmpty() ? name : t.isVirtual() ? "virtual" : "thread";
        return log.text(t.threadId() + " " + shown);
    }

    private int comm(CommPort port) {
        Known known = comms.get(port);
        if (known == null || !known.name.equals(port.name())) {
            known = new Known(port.name(), log.text(Long.toHexString(port.id) + " " + port.name()));
            comms.put(port, known);
        }
        return known.text;
    }

    private Call enter(Kind kind, int flags, CommPort port, String operation, String line) {
        int site = log.site(operation, line), who = thread.get(), where = comm(port);
        long now = System.nanoTime(); // as late as can be: what writing takes is not the call's
        log.enter(now);
        return new Call(log.begin(now, kind, flags, site, who, where), now, site);
    }

    private void leave(Call call, boolean isWait, long bytes) {
        long now = System.nanoTime();
        log.end(call.number, now);
        log.leave(now, call.site, isWait, now - call.begin, bytes);
    }

    private void describe(long number, Activity activity) {
        if (activity instanceof Transfer t) {
            long took = t.matched && t.kept instanceof Started probed ? probed.number + 1 : 0;
            log.is(number, 0, t.lane.ordinal(), world(t.port(), t.peer), t.tag, t.lengthBytes, took);
        } else if (activity instanceof Collective c) {
            int root = c.kind.rooted() ? world(c.port(), c.root) : -1;
            log.is(number, c.kind.ordinal(), 0, root, 0, Lengths.of(c), next(c.port()));
        }
    }

    /// The number that a collective call will have: one that the rank never comes out of has it, too.
    private static long next(CommPort port) {
        return port.calls + 1;
    }

    private static int world(CommPort port, int rank) {
        return rank < 0 ? rank : port.worldRank(rank);
    }

    private static Kind kind(Activity activity) {
        if (!(activity instanceof Transfer t)) return Kind.COLLECTIVE;
        return t.kind == Transfer.Kind.SEND ? Kind.SEND : Kind.RECV;
    }

    /// What it moves; of a receive only when it is done.
    private static long bytes(Activity activity) {
        if (activity instanceof Collective c) return Lengths.of(c);
        Transfer t = (Transfer) activity;
        if (t.peer == Transfer.PROC_NULL) return 0;
        if (t.kind == Transfer.Kind.SEND) return t.lengthBytes;
        return t.isDone() && t.failure() == null && !t.cancelled ? t.receivedBytes : 0;
    }

    /// It is done, as the call `by` has found.
    private void done(Activity activity, long number, long by) {
        int flags = activity.failure() == null ? 0 : CallRecord.FAILED;
        if (activity instanceof Transfer t && t.kind != Transfer.Kind.SEND) {
            boolean took = activity.failure() == null
                    ? !t.cancelled && t.source >= 0
                    // the message is gone, too
                    : activity.failure() instanceof Fault e && e.errorClass() == PredefinedErrorClass.ERR_TRUNCATE;
            if (took) log.came(number, world(t.port(), t.source), t.receivedTag, t.receivedBytes);
            else flags |= CallRecord.NO_MESSAGE;
        }
        log.done(number, by, flags);
    }

    @Override
    public void run(Activity activity) {
        Call call = enter(kind(activity), 0, activity.port(), activity.operation, UserLine.here());
        describe(call.number, activity);
        boolean returned = false;
        try {
            inner.run(activity);
            returned = true;
        } finally {
            if (activity instanceof Collective c) log.call(call.number, c.call);
            if (returned) done(activity, call.number, call.number);
            activity.kept = null;
            leave(call, false, returned ? bytes(activity) : 0);
        }
    }

    @Override
    public void start(Activity activity) {
        String line = UserLine.here();
        Call call = enter(kind(activity), CallRecord.STARTS, activity.port(), activity.operation, line);
        describe(call.number, activity);
        // another thread may find it done as soon as it is started
        activity.kept = new Started(call.number, call.site, line);
        try {
            inner.start(activity);
        } finally {
            if (activity instanceof Collective c) log.call(call.number, c.call);
            leave(call, false, kind(activity) == Kind.RECV ? 0 : bytes(activity));
        }
    }

    private static @Nullable Started started(Activity activity) {
        return activity.kept instanceof Started s ? s : null;
    }

    /// The call `by` has found it done.
    private void finish(Activity activity, Started started, long by) {
        activity.kept = null;
        done(activity, started.number, by);
        if (kind(activity) == Kind.RECV) log.brought(started.site, bytes(activity));
    }

    /// A wait on the line that has started it is one call with it, as in `sendrecv`.
    private static String waitWord(Activity activity, Started started, String line) {
        return line.equals(started.line) ? activity.operation : "await " + activity.operation;
    }

    @Override
    public void await(Activity activity) {
        Started started = started(activity);
        if (started == null) {
            inner.await(activity);
            return;
        }
        String line = UserLine.here();
        Call call = enter(Kind.WAIT, 0, activity.port(), waitWord(activity, started, line), line);
        log.call(call.number, started.number + 1);
        try {
            inner.await(activity);
            finish(activity, started, call.number);
        } finally {
            leave(call, true, 0);
        }
    }

    @Override
    public boolean test(Activity activity) {
        Started started = started(activity);
        if (started == null) return inner.test(activity);
        String line = UserLine.here();
        long begin = System.nanoTime();
        int site = log.site("test " + activity.operation, line);
        log.enter(begin);
        boolean done = false;
        try {
            done = inner.test(activity);
        } finally {
            long now = System.nanoTime();
            if (done) {
                // tests that find nothing are counted, but each of them would be a record
                long number = log.begin(begin, Kind.WAIT, 0, site, thread.get(), comm(activity.port()));
                log.call(number, started.number + 1);
                log.end(number, now);
                finish(activity, started, number);
            }
            log.leave(now, site, true, now - begin, 0);
        }
        return done;
    }

    @Override
    public int awaitAny(Activity[] activities, int count) {
        Call call = enter(Kind.WAIT, 0, activities[0].port(), "awaitAny", UserLine.here());
        try {
            int which = inner.awaitAny(activities, count);
            Started started = started(activities[which]);
            if (started != null) {
                log.call(call.number, started.number + 1);
                finish(activities[which], started, call.number);
            }
            return which;
        } finally {
            leave(call, true, 0);
        }
    }

    @Override
    public void await(LocalWait wait) {
        if (wait.isOver()) return;
        Call call = enter(Kind.WAIT, 0, world(), wait.operation(), UserLine.here());
        try {
            inner.await(wait);
        } finally {
            leave(call, true, 0);
        }
    }

    @Override
    public void cancel(Transfer receive) {
        inner.cancel(receive);
        Started started = started(receive);
        if (started != null && receive.isDone()) finish(receive, started, started.number);
    }

    @Override
    public boolean probe(Transfer pattern, boolean wait, boolean take) {
        if (!wait && !take) return inner.probe(pattern, false, false);
        Call call = enter(Kind.PROBE, 0, pattern.port(), pattern.operation, UserLine.here());
        log.is(call.number, 0, pattern.lane.ordinal(), world(pattern.port(), pattern.peer), pattern.tag, 0, 0);
        try {
            boolean found = inner.probe(pattern, wait, take);
            if (found) {
                log.came(
                        call.number, world(pattern.port(), pattern.source), pattern.receivedTag, pattern.receivedBytes);
                log.done(call.number, call.number, CallRecord.NO_MESSAGE);
                if (take) pattern.kept = new Started(call.number, call.site, "");
            }
            return found;
        } finally {
            leave(call, false, 0);
        }
    }

    /// Makes a communicator.
    @FunctionalInterface
    private interface Maker<T extends @Nullable Object> {
        T make();
    }

    private <T extends @Nullable Object> T make(String operation, CommPort parent, boolean byAll, Maker<T> maker) {
        Call call = enter(Kind.MAKE, 0, parent, operation, UserLine.here());
        if (byAll) log.call(call.number, next(parent));
        try {
            return maker.make();
        } finally {
            if (byAll) log.call(call.number, parent.calls);
            leave(call, false, 0);
        }
    }

    @Override
    public @Nullable CommPort split(CommPort parent, int color, int key) {
        return make("split", parent, true, () -> inner.split(parent, color, key));
    }

    @Override
    public CommPort dup(CommPort parent) {
        return make("dup", parent, true, () -> inner.dup(parent));
    }

    @Override
    public CommPort splitShared(CommPort parent, int key) {
        return make("splitShared", parent, true, () -> inner.splitShared(parent, key));
    }

    @Override
    public CommPort createGroup(CommPort parent, int[] ranks, int tag) {
        return make("createGroup", parent, false, () -> inner.createGroup(parent, ranks, tag));
    }

    @Override
    public Collective startDup(CommPort parent) {
        String line = UserLine.here();
        Call call = enter(Kind.MAKE, CallRecord.STARTS, parent, "idup", line);
        try {
            Collective started = inner.startDup(parent);
            started.kept = new Started(call.number, call.site, line);
            log.call(call.number, started.call);
            return started;
        } finally {
            leave(call, false, 0);
        }
    }

    @Override
    public void free(CommPort port) {
        comms.remove(port);
        inner.free(port);
    }

    @Override
    public void leave() {
        inner.leave();
        log.close();
        if (jvm != null) jvm.stop();
    }
}
