package org.tutti.inspect;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.FlightRing;
import org.tutti.job.FlightRing.Kind;
import org.tutti.job.FlightRing.State;
import org.tutti.job.RankEnvironment;
import org.tutti.spi.Activity;
import org.tutti.spi.CallWords;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.ForwardingEngine;
import org.tutti.spi.LocalWait;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Notes every operation in the rank's [FlightRing], and in the thread's [Caller] what it is blocked in.
///
/// It also gives communicators what identifies them on all their ranks, and collective calls their
/// numbers: both are reckoned from what all ranks of a communicator do alike, so no message is needed.
final class Recorder extends ForwardingEngine {
    private static final long WORLD = 1;
    private static final long SHARED = 0x5348415245444eL, GROUP = 0x47524f5550L, DUP = 0x445550L, SELF = 0x53454c46L;
    private static final long FACTOR = 0x9e3779b97f4a7c15L;
    private static final int PLACES = 512;

    private final FlightRing ring;
    private final Callers callers;
    private final Lines lines;

    /// Null where nobody else's calls can be seen.
    private final @Nullable Pairing pairing;

    /// Whether the engine's messages do not say what type they are of.
    private final boolean untyped;

    /// Operations are constants, so a name is found by what it is.
    private final String[] operations = new String[PLACES];

    private final int[] operationTexts = new int[PLACES];

    private Runnable onLeave = () -> {};

    /// Those that are open.
    private final Set<CommPort> ports = ConcurrentHashMap.newKeySet();

    /// How often a group was made in the same way.
    private final Map<Long, Integer> groups = new HashMap<>();

    Recorder(Engine inner, FlightRing ring, Callers callers, Lines lines, @Nullable Pairing pairing) {
        super(inner);
        this.pairing = pairing;
        untyped = inner.name().equals(RankEnvironment.NATIVE);
        this.ring = ring;
        this.callers = callers;
        this.lines = lines;
        world().id = WORLD;
        ports.add(world());
        self().id = mixed(SELF, world().rank());
    }

    @Override
    public void run(Activity activity) {
        long number = note(activity, State.CALLED);
        begins(activity, number);
        Caller caller = callers.mine();
        long before = caller.enters(number, activity);
        try {
            inner.run(activity);
        } finally {
            caller.leaves(before);
        }
        ended(activity, number);
    }

    @Override
    public void start(Activity activity) {
        long number = note(activity, State.STARTED);
        activity.noted = number;
        begins(activity, number);
        inner.start(activity);
        if (activity.isDone()) ended(activity);
    }

    @Override
    public boolean test(Activity activity) {
        boolean done = inner.test(activity);
        if (done) ended(activity);
        return done;
    }

    @Override
    public void await(Activity activity) {
        if (!activity.isDone()) {
            Caller caller = callers.mine();
            long before = caller.enters(noteWait(activity), activity);
            try {
                inner.await(activity);
            } finally {
                caller.leaves(before);
            }
        }
        ended(activity);
    }

    /// The number of the entry that says that it was started; of a new one if that is long gone.
    private long noteWait(Activity activity) {
        long number = activity.noted;
        return number != 0 && ring.last() - number < FlightRing.ENTRIES ? number : note(activity, State.CALLED);
    }

    @Override
    public int awaitAny(Activity[] activities, int count) {
        long number = note("awaitAny", activities[0].port(), Kind.WAIT, count);
        Caller caller = callers.mine();
        long before = caller.enters(number, activities, count);
        try {
            int which = inner.awaitAny(activities, count);
            ended(activities[which]);
            return which;
        } finally {
            caller.leaves(before);
            ring.now(number, State.DONE);
        }
    }

    @Override
    public void await(LocalWait wait) {
        if (wait.isOver()) return;
        long number = note(wait.operation(), world(), Kind.WAIT, 0);
        Caller caller = callers.mine();
        long before = caller.enters(number, wait);
        try {
            inner.await(wait);
        } finally {
            caller.leaves(before);
            ring.now(number, State.DONE);
        }
    }

    @Override
    public boolean probe(Transfer pattern, boolean wait, boolean take) {
        Pairing pairs = take && pairing != null && pairing.counts(ring.last()) ? pairing : null;
        if (pairs == null) return probeUnpaired(pattern, wait, take);
        pairs.begins();
        boolean found = probeUnpaired(pattern, wait, true);
        if (found && pattern.source >= 0) pattern.foundAs = pairs.received(pattern);
        else pairs.ended();
        return found;
    }

    private boolean probeUnpaired(Transfer pattern, boolean wait, boolean take) {
        if (!wait) return inner.probe(pattern, false, take);
        long number = note(pattern, Kind.PROBE, State.CALLED);
        Caller caller = callers.mine();
        long before = caller.enters(number, pattern);
        boolean found;
        try {
            found = inner.probe(pattern, true, take);
        } finally {
            caller.leaves(before);
        }
        ring.received(number, pattern.source, pattern.receivedTag, pattern.receivedBytes);
        return found;
    }

    @Override
    public void cancel(Transfer receive) {
        inner.cancel(receive);
        ended(receive);
    }

    /// Makes a communicator.
    @FunctionalInterface
    private interface Maker {
        @Nullable
        CommPort make();
    }

    private @Nullable CommPort make(String operation, CommPort parent, long id, Maker maker) {
        long number = note(operation, parent, Kind.MAKE, parent.calls);
        Caller caller = callers.mine();
        long before = caller.enters(number, operation, parent);
        State end = State.FAILED;
        try {
            CommPort made = maker.make();
            if (made != null) {
                made.id = id;
                ports.add(made);
            }
            end = State.DONE;
            return made;
        } finally {
            caller.leaves(before);
            ring.now(number, end);
        }
    }

    private CommPort made(String operation, CommPort parent, long id, Maker maker) {
        CommPort made = make(operation, parent, id, maker);
        if (made == null) throw new IllegalStateException(operation + " of " + parent + " gave no communicator");
        return made;
    }

    private static long mixed(long a, long b) {
        long m = (a ^ b * FACTOR) * FACTOR;
        return m ^ m >>> 32;
    }

    @Override
    public @Nullable CommPort split(CommPort parent, int color, int key) {
        long id = mixed(mixed(parent.id, ++parent.calls), color);
        return make("split", parent, id, () -> inner.split(parent, color, key));
    }

    @Override
    public CommPort dup(CommPort parent) {
        return made("dup", parent, mixed(mixed(parent.id, ++parent.calls), DUP), () -> inner.dup(parent));
    }

    @Override
    public CommPort splitShared(CommPort parent, int key) {
        // machines have no color; ranks of one are told apart by the first of them
        long call = ++parent.calls;
        CommPort made = made("splitShared", parent, 0, () -> inner.splitShared(parent, key));
        made.id = mixed(mixed(mixed(parent.id, call), SHARED), made.worldRank(0));
        return made;
    }

    @Override
    public CommPort createGroup(CommPort parent, int[] ranks, int tag) {
        long same = mixed(mixed(mixed(parent.id, GROUP), tag), Arrays.hashCode(ranks));
        int times;
        synchronized (groups) {
            times = groups.merge(same, 1, Integer::sum);
        }
        return made("createGroup", parent, mixed(same, times), () -> inner.createGroup(parent, ranks, tag));
    }

    @Override
    public void free(CommPort port) {
        ports.remove(port);
        inner.free(port);
    }

    @Override
    public Collective startDup(CommPort parent) {
        Collective started = inner.startDup(parent);
        started.call = ++parent.calls;
        started.noted = note("idup", parent, Kind.MAKE, started.call);
        ring.now(started.noted, State.STARTED);
        return started;
    }

    @Override
    public CommPort finishDup(Collective done) {
        CommPort made = inner.finishDup(done);
        made.id = mixed(mixed(done.port().id, done.call), DUP);
        ports.add(made);
        return made;
    }

    /// With the lines where they were sent, as far as the senders' recorders tell.
    @Override
    public @Nullable String unreceived() {
        String lost = inner.unreceived();
        if (lost == null || pairing == null) return lost;
        String lines = pairing.unreceived(List.copyOf(ports));
        return lines.isEmpty() ? lost : lost + ", sent at " + lines;
    }

    /// What else is to be done when the rank leaves.
    void onLeave(Runnable also) {
        onLeave = also;
    }

    @Override
    public void leave() {
        inner.leave();
        onLeave.run();
        ring.now(note("close", world(), Kind.MARK, 0), State.DONE);
    }

    @Override
    public void abort(int code, String why) {
        note("abort", world(), Kind.MARK, 0);
        inner.abort(code, why);
    }

    private long note(Activity activity, State state) {
        return activity instanceof Transfer t
                ? note(t, t.kind == Transfer.Kind.SEND ? Kind.SEND : Kind.RECV, state)
                : note((Collective) activity, state);
    }

    private long note(Transfer t, Kind kind, State state) {
        CommPort port = t.port();
        int operation = text(t.operation), comm = text(port), type = t.type.code();
        long call = t.lane == Transfer.Lane.USER ? 0 : t.lane.ordinal();
        int line = lines.of(key(operation, comm, kind, type, t.tag));
        long where = (long) t.peer << 32 | t.tag & 0xffffffffL;
        long head = FlightRing.head(operation, line, comm, kind, type);
        Pairing pairs = kind == Kind.SEND && call == 0 ? pairing : null;
        long k = pairs != null && pairs.counts(ring.last()) ? pairs.sends(t) : 0;
        return ring.begin(head, state, Thread.currentThread().threadId(), where, t.lengthBytes, call, k);
    }

    private long note(Collective c, State state) {
        CommPort port = c.port();
        int operation = text(c.operation), comm = text(port), type = c.type.code();
        long call = ++port.calls;
        c.call = call;
        int line = lines.of(key(operation, comm, Kind.COLLECTIVE, type, c.root));
        long head = FlightRing.head(operation, line, comm, Kind.COLLECTIVE, type);
        long words = CallWords.a(c), total = CallWords.b(c), hash = CallWords.c(c, 0);
        return ring.begin(head, state, Thread.currentThread().threadId(), words, total, hash, call);
    }

    private long note(String name, CommPort port, Kind kind, long call) {
        int operation = text(name), comm = text(port);
        int line = lines.of(key(operation, comm, kind, 0, 0));
        long head = FlightRing.head(operation, line, comm, kind, 0);
        return ring.begin(head, State.CALLED, Thread.currentThread().threadId(), 0, 0, 0, call);
    }

    private static long key(int operation, int comm, Kind kind, int type, int tag) {
        return 1L << 63
                | (long) tag << 32 & 0x7fffffff_00000000L
                | (long) comm << 20
                | (long) operation << 8
                | (long) kind.ordinal() << 5 ^ type;
    }

    private void ended(Activity activity) {
        long number = activity.noted;
        if (number == 0) return;
        activity.noted = 0;
        ended(activity, number);
    }

    private void ended(Activity activity, long number) {
        if (activity instanceof Transfer t && t.kind != Transfer.Kind.SEND) {
            if (pairing != null && isPaired(t, number)) compare(pairing, t);
            if (t.failure() == null && !t.cancelled) {
                ring.received(number, t.source, t.receivedTag, t.receivedBytes);
                return;
            }
        }
        ring.now(number, activity.failure() == null ? State.DONE : State.FAILED);
    }

    /// It can be overtaken from now on, unless its message has been found already.
    private void begins(Activity activity, long number) {
        if (pairing == null || !isPaired(activity, number)) return;
        if (((Transfer) activity).foundAs == Transfer.NOT_FOUND) pairing.begins();
    }

    /// Whether it is a receive whose send is looked for.
    private boolean isPaired(Activity activity, long number) {
        boolean isReceive =
                activity instanceof Transfer t && t.kind != Transfer.Kind.SEND && t.lane == Transfer.Lane.USER;
        return isReceive && pairing != null && pairing.counts(number);
    }

    /// Where a message is not what its receiver wants, says where it was sent. Messages of a native
    /// library do not say what they consist of: their sender's recorder does.
    private void compare(Pairing pairs, Transfer receive) {
        Throwable why = receive.failure();
        boolean wrong = why instanceof Fault e && isOfMessage(e.errorClass());
        boolean wasFound = receive.foundAs != Transfer.NOT_FOUND;
        if (receive.cancelled || why != null && !wrong || receive.source < 0) {
            if (!wasFound) pairs.ended();
            return;
        }
        int k = wasFound ? receive.foundAs : pairs.received(receive);
        if (!wrong && !untyped) return;
        FlightRing.Entry send = pairs.sendOf(receive, k);
        if (send == null) return;
        String from = send.line().isEmpty() ? "" : ", sent at " + send.line();
        ElementType sent = ElementType.ofCode(send.type());
        if (why == null) {
            if (send.b() == 0 || isLike(receive, sent)) return;
            receive.fail(MessageErrors.wrongType(receive, sent, from));
        } else {
            receive.receivedBytes = send.b();
            boolean tooLong = ((Fault) why).errorClass() == PredefinedErrorClass.ERR_TRUNCATE;
            receive.fail(
                    tooLong ? MessageErrors.truncated(receive, from) : MessageErrors.wrongType(receive, sent, from));
        }
    }

    private static boolean isOfMessage(PredefinedErrorClass what) {
        return what == PredefinedErrorClass.ERR_TRUNCATE || what == PredefinedErrorClass.ERR_TYPE;
    }

    /// As far as a recorder tells: of elements of several types it does not tell which.
    private static boolean isLike(Transfer receive, ElementType sent) {
        boolean object = receive.kind == Transfer.Kind.RECV_ALLOCATE || receive.type == ElementType.PACKED;
        if (object || sent == ElementType.PACKED) return object == (sent == ElementType.PACKED);
        return sent.isMixed() || receive.type.isMixed() || sent.code() == receive.type.code();
    }

    private int text(CommPort port) {
        int known = port.text;
        if (known != 0) return known;
        port.text = ring.comm(port.id, port.name());
        return port.text;
    }

    private int text(String operation) {
        int place = operation.hashCode() & PLACES - 1;
        if (operations[place] == operation) return operationTexts[place];
        return newText(operation, place);
    }

    private int newText(String operation, int place) {
        int text = ring.text(operation);
        operationTexts[place] = text;
        operations[place] = operation;
        return text;
    }
}
