package org.tutti.inspect;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.FlightRing.Kind;
import org.tutti.job.status.FlightRing.State;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommCreation;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.FileAccess;
import org.tutti.spi.LocalWait;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.ObservedCall;
import org.tutti.spi.Observer;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.WaitAny;
import org.tutti.spi.WindowPort;
import org.tutti.spi.type.ElementType;

/// Records the operations of the rank in the [FlightRing], except tests, `iprobe`, `improbe`, cancels, and
/// accesses and locks of windows; also records the blocking call of each thread in the thread's [Caller].
final class Recorder implements Observer {
    /// The number of bits of an index into the table of similar operations.
    private static final int LIKES_BITS = 10;

    /// The common part of similar operations: the head of the entries, with the line that was found by the last
    /// walk of the stack. Operations and names are constants, and are compared by identity.
    ///
    /// @param settled whether the line is final, so that similar operations no longer walk the stack
    private record Like(
            String operation, CommPort port, String name, long rest, boolean walked, boolean settled, long head) {}

    /// The size of [#ports], a table of communicators. For each communicator, the table contains the number
    /// that the recorder has assigned to the text of the name.
    private static final int PORTS = 64;

    private record Known(CommPort port, String name, int text) {}

    private final FlightRing ring;
    private final Callers callers;
    private final Lines lines;

    /// The matching of receives and sends; null if the calls of other ranks are not visible.
    private final @Nullable Pairing pairing;

    /// Whether messages of the engine do not contain the type of their elements.
    private final boolean untyped;

    private final CommPort world;

    /// Whether [Pairing#counts] still counts operations.
    private boolean isCounting;

    private final @Nullable Known[] ports = new Known[PORTS];
    private final @Nullable Like[] likes = new Like[1 << LIKES_BITS];

    private Runnable onLeave = () -> {};

    /// The number of the entry for the end of the rank.
    private long closing;

    Recorder(Engine engine, FlightRing ring, Callers callers, Lines lines, @Nullable Pairing pairing) {
        this.pairing = pairing;
        isCounting = pairing != null;
        untyped = !engine.info().describesMessages();
        world = engine.communicators().world();
        this.ring = ring;
        this.callers = callers;
        this.lines = lines;
    }

    @Override
    public void begins(Verb verb, ObservedCall call) {
        // comparisons, the most important first, because a switch would compile to two loads and a jump
        if (untyped && (verb == Verb.RUN || verb == Verb.START)) checkFromMyself((Activity) call);
        if (verb == Verb.RUN) {
            Activity activity = (Activity) call;
            Caller caller = callers.mine();
            long number = note(activity, caller, null, State.CALLED);
            if (isCounting) beginsPairing(activity, number);
            caller.enters(number, activity);
        } else if (verb == Verb.START) {
            Activity activity = (Activity) call;
            long number = note(activity, callers.mine(), null, State.STARTED);
            activity.noted = number;
            if (isCounting) beginsPairing(activity, number);
        } else if (verb == Verb.AWAIT) {
            Activity activity = (Activity) call;
            callers.mine().enters(activity.isDone() ? 0 : noteWait(activity), activity);
        } else if (verb == Verb.ACCESS) {
            callers.accesses++; // an entry would cost more than most accesses
        } else if (verb != Verb.TEST && verb != Verb.IPROBE && verb != Verb.CANCEL) {
            beginsOther(verb, call);
        }
    }

    private void beginsOther(Verb verb, ObservedCall call) {
        switch (verb) {
            case AWAIT_ANY -> {
                WaitAny any = (WaitAny) call;
                callers.mine().enters(note("awaitAny", any.activity(0).port(), Kind.WAIT, any.count), any);
            }
            case AWAIT_LOCAL -> callers.mine().enters(note(((LocalWait) call).operation(), world, Kind.WAIT, 0), call);
            case PROBE, MPROBE, IMPROBE -> beginsProbe(verb, (Transfer) call);
            case CREATE -> {
                CommCreation creation = (CommCreation) call;
                callers.mine().enters(note(creation.operation, creation.parent, Kind.MAKE, creation.call), creation);
            }
            case FILE -> begins((FileAccess) call);
            default -> throw new IllegalStateException(verb.toString());
        }
    }

    @Override
    public void returns(Verb verb, ObservedCall call) {
        if (verb == Verb.RUN) {
            Caller caller = callers.mine();
            ended((Activity) call, caller.leaves(), caller.threadId);
            return;
        }
        if (verb == Verb.AWAIT) callers.mine().leaves();
        if (verb == Verb.START || verb == Verb.TEST || verb == Verb.AWAIT || verb == Verb.CANCEL) {
            Activity activity = (Activity) call;
            if (activity.isDone()) ended(activity);
            else if (verb == Verb.TEST) callers.polls(activity);
        } else if (verb == Verb.IPROBE) {
            Transfer pattern = (Transfer) call;
            if (!pattern.found) callers.polls(pattern);
        } else if (verb != Verb.ACCESS) {
            returnsOther(verb, call);
        }
    }

    private void returnsOther(Verb verb, ObservedCall call) {
        switch (verb) {
            case AWAIT_ANY -> {
                WaitAny any = (WaitAny) call;
                ended(any.activity(any.which));
                leaves(State.DONE);
            }
            case AWAIT_LOCAL -> leaves(State.DONE);
            case PROBE, MPROBE, IMPROBE -> returnsProbe(verb, (Transfer) call);
            case CREATE -> returns((CommCreation) call);
            case FILE -> returns((FileAccess) call);
            default -> throw new IllegalStateException(verb.toString());
        }
    }

    /// Called when the thread's call returns. Sets the state of the call's entry.
    private void leaves(State state) {
        Caller caller = callers.mine();
        ring.now(caller.leaves(), caller.threadId, state);
    }

    /// Returns the number of the entry for the start of the activity; if this entry has been overwritten, the
    /// number of a new entry.
    private long noteWait(Activity activity) {
        long number = activity.noted;
        boolean isThere = number != 0 && ring.last() - number < FlightRing.ENTRIES;
        // the wait is not recorded as a call, because it would then be the last call on the communicator
        return isThere ? number : note(activity.operation, activity.port(), Kind.WAIT, 0);
    }

    private void beginsProbe(Verb verb, Transfer pattern) {
        if (verb.takes && pairing != null && pairing.counts(ring.last())) pairing.probes(pattern);
        if (!verb.waits) return;
        Caller caller = callers.mine();
        caller.enters(note(pattern, caller, Kind.PROBE, State.CALLED), pattern);
    }

    private void returnsProbe(Verb verb, Transfer pattern) {
        if (verb.waits) {
            Caller caller = callers.mine();
            long number = caller.leaves();
            ring.received(number, caller.threadId, pattern.source, pattern.receivedTag, pattern.receivedBytes);
        } else if (!pattern.found) {
            callers.polls(pattern);
        }
        if (verb.takes && pairing != null) pairing.probed(pattern, pattern.found);
    }

    private void returns(CommCreation creation) {
        Caller caller = callers.mine();
        long number = caller.leaves();
        Collective started = creation.started();
        ring.now(number, caller.threadId, started == null ? State.DONE : State.STARTED);
        if (started != null) started.noted = number;
    }

    @Override
    public void fails(Verb verb) {
        switch (verb) {
            case RUN, AWAIT, PROBE, MPROBE -> callers.mine().leaves();
            case AWAIT_ANY, AWAIT_LOCAL -> leaves(State.DONE);
            case CREATE -> leaves(State.FAILED);
            case START, TEST, CANCEL, IPROBE, IMPROBE, ACCESS, FILE -> {}
        }
    }

    /// Stores only the source line, in the window's memory, for ranks that wait for the lock.
    @Override
    public void locks(WindowPort window, int target) {
        int noted = window.lockLine(target);
        if (noted >= 0 && lines.mayWalkToLock(noted == 0)) window.lockLine(target, lines.here());
    }

    private void begins(FileAccess access) {
        int writes = access.writes ? 1 : 0;
        long head = head(access.operation, access.port, access.path, Kind.FILE, 0, writes);
        long thread = Thread.currentThread().threadId();
        access.noted = ring.begin(head, State.CALLED, thread, access.offset, access.bytes, writes, 0);
    }

    private void returns(FileAccess access) {
        if (access.starts) ring.now(access.noted, callers.mine().threadId, State.STARTED);
    }

    @Override
    public void ended(FileAccess access, boolean failed) {
        ring.now(access.noted, ring.thread(access.noted), failed ? State.FAILED : State.DONE);
    }

    /// Returns the lines of the sends of unreceived messages, as far as the senders' recorders contain the
    /// lines.
    @Override
    public String linesOfUnreceived(List<CommPort> open) {
        return pairing == null ? "" : pairing.unreceived(open);
    }

    /// Describes a queued message for this rank that does not match the receive.
    @Override
    public String explain(Activity activity) {
        boolean isReceive = activity instanceof Transfer t
                && t.kind != Transfer.Kind.SEND
                && t.lane == Transfer.Lane.USER
                && t.port().worldRank(t.port().rank()) >= 0;
        if (pairing == null || !isReceive || !pairing.counts(ring.last())) return "";
        Transfer receive = (Transfer) activity;
        Set<CommPort> open = new LinkedHashSet<>(List.of(receive.port(), world));
        for (Known known : ports) if (known != null) open.add(known.port);
        return pairing.unmatched(receive, open, ring.read());
    }

    /// Sets an action to run when the rank terminates.
    void onLeave(Runnable also) {
        onLeave = also;
    }

    @Override
    public void leaving() {
        closing = note("close", world, Kind.MARK, 0);
    }

    @Override
    public void left() {
        onLeave.run();
        callers.forgetPoll();
        ring.now(closing, callers.mine().threadId, State.DONE);
    }

    @Override
    public void aborts() {
        note("abort", world, Kind.MARK, 0);
    }

    /// Creates the entry. There is one method for all kinds, because most of the code that must be compiled for
    /// a call is in this method.
    ///
    /// @param as the kind of the entry; null means the kind of the activity
    private long note(Activity activity, Caller caller, @Nullable Kind as, State state) {
        CommPort port = activity.port();
        Kind kind;
        int type, tag;
        long a, b, c, d = 0;
        // a comparison, because a switch over the enum would compile to two loads and a jump
        if (activity.family == Activity.Family.TRANSFER) {
            Transfer t = (Transfer) activity;
            kind = as != null ? as : t.kind == Transfer.Kind.SEND ? Kind.SEND : Kind.RECV;
            type = t.type.code();
            tag = t.tag;
            a = (long) t.peer << 32 | tag & 0xffffffffL;
            b = t.lengthBytes;
            c = t.lane == Transfer.Lane.USER ? 0 : t.lane.ordinal();
            if (isCounting && kind == Kind.SEND && c == 0) d = number(t);
        } else {
            Collective call = (Collective) activity;
            kind = Kind.COLLECTIVE;
            type = call.send.type.code();
            tag = call.root;
            call.describe();
            a = call.wordA();
            b = call.wordB();
            c = call.wordC();
            d = call.number();
        }
        long head = head(activity.operation, port, port.name(), kind, type, tag);
        return ring.begin(head, state, caller.threadId, a, b, c, d);
    }

    /// Returns the sequence number of a send; 0 if sends are no longer counted.
    private long number(Transfer send) {
        Pairing p = pairing;
        isCounting = p != null && p.counts(ring.last());
        return p != null && isCounting ? p.sends(send) : 0;
    }

    private long note(String name, CommPort port, Kind kind, long call) {
        long head = head(name, port, port.name(), kind, 0, 0);
        return ring.begin(head, State.CALLED, callers.mine().threadId, 0, 0, 0, call);
    }

    /// @param name the name of the communicator, or the path of the file
    /// @param tag the tag or the root
    private long head(String operation, CommPort port, String name, Kind kind, int type, int tag) {
        int place = (operation.hashCode() + tag + (int) port.id()) * 0x9e3779b9 >>> Integer.SIZE - LIKES_BITS;
        Like like = likes[place];
        long rest = (long) tag << 32 | type << 8 | kind.ordinal();
        boolean isLike = like != null
                && like.operation == operation
                && like.port == port
                && like.rest == rest
                && like.name == name;
        if (!isLike || like == null) {
            return newHead(operation, port, name, kind, type, rest, place, lines.mayWalk());
        }
        if (like.settled) return like.head;
        boolean walks = like.walked ? lines.areExact() : lines.mayWalk();
        if (walks) return newHead(operation, port, name, kind, type, rest, place, true);
        if (like.walked) likes[place] = new Like(operation, port, name, rest, true, true, like.head);
        return like.head;
    }

    private long newHead(
            String operation, CommPort port, String name, Kind kind, int type, long rest, int place, boolean walks) {
        int line = walks ? lines.here() : 0;
        long head = FlightRing.head(ring.text(operation), line, comm(port, name), kind, type);
        likes[place] = new Like(operation, port, name, rest, walks, false, head);
        return head;
    }

    private int comm(CommPort port, String name) {
        int place = (int) port.id() & PORTS - 1;
        Known known = ports[place];
        if (known != null && known.port == port && known.name == name) return known.text;
        Known now = new Known(port, name, ring.comm(port.id(), name));
        ports[place] = now;
        return now.text;
    }

    private void ended(Activity activity) {
        long number = activity.noted;
        if (number == 0) return;
        activity.noted = 0;
        ended(activity, number, ring.thread(number));
    }

    private void ended(Activity activity, long number, long thread) {
        if (activity.family == Activity.Family.TRANSFER && ((Transfer) activity).kind != Transfer.Kind.SEND) {
            Transfer t = (Transfer) activity;
            if (pairing != null && pairing.counts(number) && isPaired(t, number)) compare(pairing, t);
            if (t.failure() == null && !t.cancelled) {
                ring.received(number, thread, t.source, t.receivedTag, t.receivedBytes);
                return;
            }
        }
        ring.now(number, thread, activity.failure() == null ? State.DONE : State.FAILED);
    }

    /// Called when a receive begins: from then on, other receives can overtake it. Has no effect if a probe has
    /// already found the message of the receive.
    private void beginsPairing(Activity activity, long number) {
        isCounting = pairing != null && pairing.counts(number);
        if (pairing == null || !isPaired(activity, number)) return;
        if (pairing.foundFor((Transfer) activity) == null) pairing.begins();
    }

    /// Returns whether the activity is a receive for which the matching send is searched in the sender's recorder.
    private boolean isPaired(Activity activity, long number) {
        boolean isReceive =
                activity instanceof Transfer t && t.kind != Transfer.Kind.SEND && t.lane == Transfer.Lane.USER;
        return isReceive && pairing != null && pairing.counts(number);
    }

    /// Compares a received message with its send, and reports the source line of the send if the message does
    /// not fit the receive. Messages of a native library do not contain the type; the sender's recorder does.
    private void compare(Pairing pairs, Transfer receive) {
        Throwable why = receive.failure();
        boolean wrong = why instanceof Fault e && isOfMessage(e.errorClass());
        Integer found = pairs.foundFor(receive);
        if (found != null) pairs.receivedFound(receive);
        if (receive.cancelled || why != null && !wrong || receive.source < 0) {
            if (found == null) pairs.ended();
            return;
        }
        int k = found == null ? pairs.received(receive) : found;
        if (!wrong && !untyped) return;
        FlightRing.Entry send = pairs.sendOf(receive, k);
        if (send == null) return;
        String from = send.line().isEmpty() ? "" : ", sent at " + send.line();
        ElementType sent = ElementType.ofCode(send.type());
        if (why == null) {
            // Open MPI truncates a message to the same rank without an error
            boolean isCut = receive.kind == Transfer.Kind.RECV
                    && receive.source == receive.port().rank()
                    && send.b() > receive.lengthBytes
                    && pairs.isOrderOfSendsSure();
            if (!isCut && (send.b() == 0 || isLike(receive, sent))) return;
            if (isCut) receive.receivedBytes = send.b();
            if (isLike(receive, sent)) receive.fail(MessageErrors.truncated(receive, from));
            else receive.fail(MessageErrors.wrongType(receive, sent, from));
        } else {
            boolean tooLong = ((Fault) why).errorClass() == PredefinedErrorClass.ERR_TRUNCATE;
            if (tooLong && send.b() <= receive.lengthBytes) return; // the send of another thread, not the match
            receive.receivedBytes = send.b();
            receive.fail(
                    tooLong ? MessageErrors.truncated(receive, from) : MessageErrors.wrongType(receive, sent, from));
        }
    }

    /// Refuses to receive a message that this rank has sent to itself with a different type, before the library
    /// receives the message. MPICH ends the process if a message to the same rank is not a whole number of
    /// elements of the receiver's type.
    private void checkFromMyself(Activity activity) {
        if (pairing == null || !isPaired(activity, ring.last())) return;
        Transfer receive = (Transfer) activity;
        boolean isMine = receive.peer == receive.port().rank() && receive.tag != Transfer.ANY_TAG;
        FlightRing.Entry send = isMine && pairing.isOrderOfSendsSure() ? pairing.nextFrom(receive) : null;
        if (send == null || send.b() == 0) return;
        ElementType sent = ElementType.ofCode(send.type());
        if (isLike(receive, sent)) return;
        receive.source = receive.peer;
        receive.receivedTag = receive.tag;
        receive.receivedBytes = send.b();
        throw MessageErrors.wrongType(receive, sent, send.line().isEmpty() ? "" : ", sent at " + send.line());
    }

    private static boolean isOfMessage(PredefinedErrorClass what) {
        return what == PredefinedErrorClass.ERR_TRUNCATE || what == PredefinedErrorClass.ERR_TYPE;
    }

    /// Returns whether the types match. Compares only the basic types, because a recorder does not store the
    /// types of mixed elements.
    private static boolean isLike(Transfer receive, ElementType sent) {
        boolean object = receive.kind == Transfer.Kind.RECV_ALLOCATE || receive.type == ElementType.OBJECT;
        if (object || sent == ElementType.OBJECT) return object == (sent == ElementType.OBJECT);
        return sent.isMixed() || receive.type.isMixed() || sent.matches(receive.type);
    }
}
