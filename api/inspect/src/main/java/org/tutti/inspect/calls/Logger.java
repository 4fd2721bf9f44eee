package org.tutti.inspect.calls;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.calls.CallLog;
import org.tutti.job.calls.CallRecord;
import org.tutti.job.calls.CallRecord.Kind;
import org.tutti.job.process.UserLine;
import org.tutti.spi.Access;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommCreation;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.FileAccess;
import org.tutti.spi.LocalWait;
import org.tutti.spi.ObservedCall;
import org.tutti.spi.Observer;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.WaitAny;

/// Logs each call, except `iprobe` and `cancel`, into the rank's [CallLog]: begin, end, line of the program, and
/// the properties that identify the call on all ranks. Unsuccessful tests are only counted. A call is logged
/// when it begins, so a call that never ends is included.
final class Logger implements Observer {
    /// A call in progress. `number` is the number of the call's record in the log, or [#NONE] without a record.
    private record Call(long number, long begin, int site, boolean isWait) {}

    private static final long NONE = -1;

    /// A placeholder for a call without a log entry.
    private static final Call UNWRITTEN = new Call(NONE, 0, 0, false);

    /// The start of an activity, or of a probe that has taken a message.
    private record Started(long number, int site, String line) {}

    private record Known(String name, int text) {}

    private final CallLog log;
    private final @Nullable JvmEvents jvm;
    private final CommPort world;
    private final ThreadLocal<Integer> thread = ThreadLocal.withInitial(this::thread);

    /// The calls of a thread that are in progress.
    private final ThreadLocal<ArrayDeque<Call>> calls = ThreadLocal.withInitial(ArrayDeque::new);

    /// Activities that have been started, and patterns of probes that have taken a message.
    private final Map<Activity, Started> started = new ConcurrentHashMap<>();

    private final Map<CommPort, Known> comms = Collections.synchronizedMap(new WeakHashMap<>());

    Logger(CommPort world, CallLog log, @Nullable JvmEvents jvm) {
        this.world = world;
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
            known = new Known(port.name(), log.text(Long.toHexString(port.id()) + " " + port.name()));
            comms.put(port, known);
        }
        return known.text;
    }

    private Call enter(Kind kind, int flags, CommPort port, String operation, String line) {
        int site = log.site(operation, line), threadNumber = thread.get(), where = comm(port);
        long now = System.nanoTime(); // after the texts are written, so that the call's time excludes the writing
        log.enter(now);
        Call call = new Call(log.begin(now, kind, flags, site, threadNumber, where), now, site, kind == Kind.WAIT);
        calls.get().push(call);
        return call;
    }

    private void leave(Call call, long bytes) {
        if (call == UNWRITTEN) return;
        long now = System.nanoTime();
        if (call.number != NONE) log.end(call.number, now);
        log.leave(now, call.site, call.isWait, now - call.begin, bytes);
    }

    private void describe(long number, Activity activity) {
        switch (activity) {
            case Transfer t -> {
                Started probed = t.matched ? started.get(t) : null;
                long took = probed == null ? 0 : probed.number + 1;
                log.is(number, 0, t.lane.ordinal(), world(t.port(), t.peer), t.tag, t.lengthBytes, took);
            }
            case Collective c -> {
                int root = c.kind.rooted() ? world(c.port(), c.root) : -1;
                log.is(
                        number,
                        c.kind.ordinal(),
                        c.inter ? 1 : 0,
                        root,
                        c.port().rank(),
                        Lengths.of(c),
                        c.port().calls() + 1);
            }
        }
    }

    private static int world(CommPort port, int rank) {
        return rank < 0 ? rank : port.worldRank(rank);
    }

    private static Kind kind(Activity activity) {
        return switch (activity) {
            case Transfer t -> t.kind == Transfer.Kind.SEND ? Kind.SEND : Kind.RECV;
            case Collective c -> Kind.COLLECTIVE;
        };
    }

    /// Returns the number of bytes of an activity. For a receive, it is known only when the receive is done.
    private static long bytes(Activity activity) {
        return switch (activity) {
            case Transfer t -> bytes(t);
            case Collective c -> Lengths.of(c);
        };
    }

    private static long bytes(Transfer t) {
        if (t.peer == Transfer.PROC_NULL) return 0;
        if (t.kind == Transfer.Kind.SEND) return t.lengthBytes;
        return t.isDone() && t.failure() == null && !t.cancelled ? t.receivedBytes : 0;
    }

    /// Called when call `by` has found that the activity is done.
    private void done(Activity activity, long number, long by) {
        int flags = activity.failure() == null ? 0 : CallRecord.FAILED;
        if (activity instanceof Transfer t && t.kind != Transfer.Kind.SEND) {
            boolean took = activity.failure() == null
                    ? !t.cancelled && t.source >= 0
                    // a truncated message has been removed from the queue, too
                    : activity.failure() instanceof Fault e && e.errorClass() == PredefinedErrorClass.ERR_TRUNCATE;
            if (took) log.messageArrived(number, world(t.port(), t.source), t.receivedTag, t.receivedBytes);
            else flags |= CallRecord.NO_MESSAGE;
        }
        log.done(number, by, flags);
    }

    @Override
    public void begins(Verb verb, ObservedCall call) {
        switch (verb) {
            case RUN, START, TEST, AWAIT, CANCEL -> begins((Activity) call, verb);
            case AWAIT_ANY -> enter(Kind.WAIT, 0, ((WaitAny) call).activity(0).port(), "awaitAny", UserLine.here());
            case AWAIT_LOCAL -> enter(Kind.WAIT, 0, world, ((LocalWait) call).operation(), UserLine.here());
            case PROBE, IPROBE, MPROBE, IMPROBE -> beginsProbe(verb, (Transfer) call);
            case CREATE -> begins((CommCreation) call);
            case ACCESS -> begins((Access) call);
            case FILE -> begins((FileAccess) call);
        }
    }

    @Override
    public void returns(Verb verb, ObservedCall call) {
        switch (verb) {
            case RUN, START, TEST, AWAIT, CANCEL -> returns((Activity) call, verb);
            case AWAIT_ANY -> returns((WaitAny) call);
            case AWAIT_LOCAL -> leave(calls.get().pop(), 0);
            case PROBE, IPROBE, MPROBE, IMPROBE -> returnsProbe(verb, (Transfer) call);
            case CREATE -> returns((CommCreation) call);
            case ACCESS -> returns((Access) call);
            case FILE -> returns((FileAccess) call);
        }
    }

    private void begins(Activity activity, Verb verb) {
        String line = UserLine.here();
        if (verb == Verb.RUN) {
            Call call = enter(kind(activity), 0, activity.port(), activity.operation, line);
            describe(call.number, activity);
            return;
        }
        if (verb == Verb.START) {
            Call call = enter(kind(activity), CallRecord.STARTS, activity.port(), activity.operation, line);
            describe(call.number, activity);
            // a second thread can complete the activity immediately after the start
            started.put(activity, new Started(call.number, call.site, line));
            return;
        }
        Started before = started.get(activity);
        if (before == null || verb == Verb.CANCEL) {
            calls.get().push(UNWRITTEN);
        } else if (verb == Verb.AWAIT) {
            Call call = enter(Kind.WAIT, 0, activity.port(), waitWord(activity, before, line), line);
            log.call(call.number, before.number + 1);
        } else {
            // unsuccessful tests are only counted, because a record for each test would need too much space
            int site = log.site("test " + activity.operation, line);
            long now = System.nanoTime();
            log.enter(now);
            calls.get().push(new Call(NONE, now, site, true));
        }
    }

    private void returns(Activity activity, Verb verb) {
        Call call = calls.get().pop();
        if (verb == Verb.RUN) {
            done(activity, call.number, call.number);
            started.remove(activity);
            leave(call, bytes(activity));
            return;
        }
        if (verb == Verb.START) {
            leave(call, kind(activity) == Kind.RECV ? 0 : bytes(activity));
            return;
        }
        Started before = activity.isDone() ? started.remove(activity) : null;
        if (before != null) {
            switch (verb) {
                case AWAIT -> finish(activity, before, call.number);
                case TEST -> finish(activity, before, found(activity, before, call));
                default -> finish(activity, before, before.number);
            }
        }
        leave(call, 0);
    }

    /// Returns the number of the record of a test that has found the activity done.
    private long found(Activity activity, Started before, Call call) {
        long number = log.begin(call.begin, Kind.WAIT, 0, call.site, thread.get(), comm(activity.port()));
        log.call(number, before.number + 1);
        log.end(number, System.nanoTime());
        return number;
    }

    /// Called when call `by` has found the activity done.
    private void finish(Activity activity, Started before, long by) {
        done(activity, before.number, by);
        if (kind(activity) == Kind.RECV) log.received(before.site, bytes(activity));
    }

    /// Returns the name of a wait in the log. If the wait is on the same source line as the start of the
    /// activity, as in `sendrecv`, start and wait have the same name, so that they appear as one call.
    private static String waitWord(Activity activity, Started before, String line) {
        return line.equals(before.line) ? activity.operation : "await " + activity.operation;
    }

    private void returns(WaitAny any) {
        Call call = calls.get().pop();
        Started before = started.remove(any.activity(any.which));
        if (before != null) {
            log.call(call.number, before.number + 1);
            finish(any.activity(any.which), before, call.number);
        }
        leave(call, 0);
    }

    private void beginsProbe(Verb verb, Transfer pattern) {
        if (verb == Verb.IPROBE) {
            calls.get().push(UNWRITTEN);
            return;
        }
        Call call = enter(Kind.PROBE, 0, pattern.port(), pattern.operation, UserLine.here());
        log.is(call.number, 0, pattern.lane.ordinal(), world(pattern.port(), pattern.peer), pattern.tag, 0, 0);
    }

    private void returnsProbe(Verb verb, Transfer pattern) {
        Call call = calls.get().pop();
        if (pattern.found && call != UNWRITTEN) {
            log.messageArrived(
                    call.number, world(pattern.port(), pattern.source), pattern.receivedTag, pattern.receivedBytes);
            log.done(call.number, call.number, CallRecord.NO_MESSAGE);
            if (verb.takes) started.put(pattern, new Started(call.number, call.site, ""));
        }
        leave(call, 0);
    }

    private void begins(CommCreation creation) {
        // the activity that `idup` starts at the end of the call is awaited later
        int flags = creation.operation.equals("idup") ? CallRecord.STARTS : 0;
        Call call = enter(Kind.MAKE, flags, creation.parent, creation.operation, UserLine.here());
        if (creation.call != 0) log.call(call.number, creation.call);
    }

    private void returns(CommCreation creation) {
        Call call = calls.get().pop();
        Collective activity = creation.started();
        if (activity != null) started.put(activity, new Started(call.number, call.site, UserLine.here()));
        leave(call, 0);
    }

    private void begins(Access access) {
        CommPort port = Objects.requireNonNull(access.window).port();
        Call call = enter(Kind.ACCESS, 0, port, access.operation, UserLine.here());
        log.is(call.number, 0, 0, world(port, access.target), 0, access.bytes, 0);
    }

    private void returns(Access access) {
        Call call = calls.get().pop();
        log.done(call.number, call.number, 0);
        leave(call, access.bytes);
    }

    private void begins(FileAccess access) {
        int flags = access.starts ? CallRecord.STARTS : 0;
        Call call = enter(Kind.FILE, flags, access.port, access.operation, UserLine.here());
        log.is(call.number, access.writes ? 1 : 0, 0, log.text(access.path), 0, access.bytes, access.offset);
    }

    private void returns(FileAccess access) {
        Call call = calls.get().pop();
        log.done(call.number, call.number, 0);
        leave(call, access.starts && access.writes ? access.bytes : access.done);
    }

    @Override
    public void fails(Verb verb) {
        Call call = calls.get().pop();
        log.failed(call.number);
        leave(call, 0);
    }

    @Override
    public void left() {
        log.close();
        if (jvm != null) jvm.stop();
    }
}
