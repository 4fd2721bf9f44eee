package org.tutti.inspect;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.job.status.BlockedCall;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.WaitReporter;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommCreation;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Transfer;
import org.tutti.spi.WaitAny;
import org.tutti.spi.WaitInsight;
import org.tutti.spi.reduce.PredefinedReduction;

/// Reports to the launcher the calls in which this rank is blocked, for stall reports and for the detection of
/// deadlocks (docs/decisions/23). Once per second, in each *round*, the rank's watch thread reports all threads
/// that have been in the same call since the previous round.
///
/// If the engine counts the polls of a thread ([WaitInsight]), these counts are used. Over a native library,
/// where threads wait inside the library, a poll is a round of the watch thread in which the waiting thread has
/// used processor time, so that it has checked for messages. For a collective call, only some of these polls
/// are counted: ranks can depend several times on messages from each other, so a poll of one rank does not show
/// how far the other ranks have advanced.
final class BlockedCallReporter implements Runnable {
    /// The maximum number of calls in a report. If more threads are blocked, which is possible with virtual
    /// threads, the report omits the remaining calls.
    private static final int MAX_REPORTED = 16;

    /// Every machine transfers a message of this size, in bytes, long before a blocked thread is reported.
    private static final long QUICK_BYTES = 1 << 20;

    /// The processor time, in nanoseconds, in which a library has certainly checked for messages.
    private static final long POLL_NANOS = 10_000;

    /// The processor time that is added to [#POLL_NANOS] for each byte of a message longer than [#QUICK_BYTES].
    /// Every machine copies the message in this time.
    private static final long NANOS_PER_BYTE = 20;

    private static final long UNKNOWN = -1;

    /// @param rounds the number of rounds in the same call
    /// @param polls the number of polls; the first only shows that the thread waits
    /// @param usedNanos the thread's processor time at the last poll
    private record Seen(
            long number, long sinceNanos, long rounds, long polls, long usedNanos, String line, String note) {
        Seen next(String newLine, String newNote) {
            return new Seen(number, sinceNanos, rounds + 1, polls, usedNanos, newLine, newNote);
        }

        /// Returns the state after a further round. `pollNanos` is the processor time of a poll.
        Seen after(Thread thread, long pollNanos, String newLine, String newNote) {
            long used = ThreadTime.usedNanos(thread);
            boolean isFirst = usedNanos == UNKNOWN, hasPolled = !isFirst && used - usedNanos >= pollNanos;
            long last = isFirst || hasPolled ? used : usedNanos;
            // the first poll shows only that the thread waits
            long now = isFirst || hasPolled ? polls + 1 : polls;
            return new Seen(number, sinceNanos, rounds + 1, now, last, newLine, newNote);
        }
    }

    private final Callers callers;
    private final FlightRing ring;
    private final WaitReporter teller;
    private final LocalWait.LineTexts lines;
    private final int me;
    private final int ranks;

    /// The engine's information about waits; null if the engine has no more information than the callers.
    private final @Nullable WaitInsight insight;

    private final OtherThreads otherThreads = new OtherThreads(ThreadTime::usedNanos);
    private final PollWatch polling;

    /// Returns whether a thread belongs to a different rank. Used only for ranks that are threads.
    private final Predicate<Thread> isForeign;

    /// Returns the number of virtual threads that are in calls of other ranks. The next call of each such
    /// thread can be a call of this rank.
    private final LongSupplier virtualElsewhere;

    /// Returns a possible explanation for a blocked call.
    private final Function<Activity, String> explain;

    private Map<Caller, Seen> seen = new IdentityHashMap<>();
    private boolean hasReported;

    BlockedCallReporter(
            Callers callers,
            FlightRing ring,
            WaitReporter teller,
            LocalWait.LineTexts lines,
            CommPort world,
            @Nullable WaitInsight insight,
            Predicate<Thread> isForeign,
            LongSupplier virtualElsewhere,
            Function<Activity, String> explain) {
        this.virtualElsewhere = virtualElsewhere;
        this.explain = explain;
        this.isForeign = isForeign;
        this.callers = callers;
        this.ring = ring;
        this.teller = teller;
        this.lines = lines;
        this.insight = insight;
        me = world.rank();
        ranks = world.size();
        polling = new PollWatch(callers, insight == null, isForeign);
    }

    @Override
    public void run() {
        Map<Caller, Seen> now = new IdentityHashMap<>();
        for (Caller caller : callers.inCalls()) {
            Seen before = seen.get(caller);
            long number = caller.blockedIn();
            if (before == null || before.number != number) {
                now.put(caller, new Seen(number, System.nanoTime(), 0, 0, UNKNOWN, "", ""));
                continue;
            }
            boolean isFirst = before.rounds == 0 && now.size() < MAX_REPORTED;
            String line = isFirst ? UserLine.of(caller.thread) : before.line;
            String note = isFirst ? explain(caller) : before.note;
            now.put(
                    caller,
                    insight == null
                            ? before.after(caller.thread, pollNanos(caller), line, note)
                            : before.next(line, note));
        }
        seen = now;
        List<Caller> waiting = new ArrayList<>();
        now.forEach((caller, since) -> {
            if (since.rounds > 0) waiting.add(caller);
        });
        polling.readThreads(waiting);
        // called before the lock is acquired, because it reads stacks and files, and all messages need the lock
        boolean isQuiet = waiting.isEmpty() && !polling.finds() && !hasReported;
        List<Thread> mayCall = isQuiet
                ? List.of()
                : otherThreads.mayCall(
                        isForeign, t -> polling.contains(t) || waiting.stream().anyMatch(c -> c.thread == t));
        long elsewhere = virtualElsewhere.getAsLong();
        if (insight == null) report(mayCall, elsewhere);
        else insight.whileStill(() -> report(mayCall, elsewhere));
    }

    private String explain(Caller caller) {
        Activity one = caller.activity();
        return one == null ? "" : explain.apply(one);
    }

    /// @param mayCall the threads that can still make a call, and the threads that were waiting in a call
    /// @param elsewhere the number of virtual threads in calls of other ranks
    private void report(List<Thread> mayCall, long elsewhere) {
        List<BlockedCall> waits = new ArrayList<>();
        List<Caller> blocked = new ArrayList<>();
        long virtual = 0;
        for (Map.Entry<Caller, Seen> entry : seen.entrySet()) {
            Caller caller = entry.getKey();
            Seen since = entry.getValue();
            // a virtual thread is counted here until it is reported below; a platform thread that is not
            // reported is counted with the threads of the process
            if (caller.thread.isVirtual()) virtual++;
            if (since.rounds == 0 || blocked.size() == MAX_REPORTED) continue;
            long polls = insight == null ? pollsOf(caller, since) : insight.polls(caller.thread);
            BlockedCall wait = polls == 0 ? null : describe(caller, since, polls);
            if (wait == null || caller.blockedIn() != since.number) continue;
            waits.add(wait);
            blocked.add(caller);
            if (caller.thread.isVirtual() && !caller.mayGoOn()) virtual--;
        }
        long moves = ring.last() + callers.accesses + (insight == null ? 0 : insight.moves());
        teller.pulse(moves);
        BlockedCall polled = polling.poll(moves);
        if (polled != null) waits.add(polled);
        if (waits.isEmpty() && !hasReported) return;
        hasReported = !waits.isEmpty();
        long others = virtual + elsewhere;
        for (Thread t : mayCall) {
            boolean isBlocked = blocked.stream().anyMatch(c -> c.thread == t && !c.mayGoOn());
            if (!isBlocked && !polling.contains(t)) others++;
        }
        if (insight != null) others += addInBackground(insight, blocked, waits);
        teller.write(moves, others, waits);
    }

    /// Returns the processor time in which the library has certainly checked for the caller's messages.
    private static long pollNanos(Caller caller) {
        long longest = caller.activity() instanceof Transfer t ? t.lengthBytes : 0;
        WaitAny any = caller.any();
        for (int i = 0; any != null && i < any.count; i++) {
            if (any.activities[i] instanceof Transfer t) longest = Math.max(longest, t.lengthBytes);
        }
        return POLL_NANOS + (longest > QUICK_BYTES ? longest * NANOS_PER_BYTE : 0);
    }

    /// Returns the number of unsuccessful polls of a thread in the library. In a collective call, a poll can
    /// have found one of several messages that the call needs. Therefore, only the first poll is counted in
    /// these cases: the call has much data; it is a reduction with a user-defined operation or in rank order;
    /// [WaitText#needs] returns the ranks that must make the call. The report of such a call then proves only
    /// that some rank has not made the call.
    private static long pollsOf(Caller caller, Seen since) {
        if (caller.creation() != null) return 1;
        LocalWait local = caller.local();
        // no message ends this wait, so every round counts as an unsuccessful poll
        if (local != null && local.awaited() == null && !local.completesByMessages()) return since.rounds;
        WaitAny any = caller.any();
        Activity one = caller.activity();
        if (any == null) return local != null || one == null ? since.polls : pollsIn(one, since.polls);
        long least = since.polls;
        for (int i = 0; i < any.count; i++) {
            if (any.activities[i] != null) least = Math.min(least, pollsIn(any.activities[i], since.polls));
        }
        return least;
    }

    private static long pollsIn(Activity activity, long polls) {
        return switch (activity) {
            case Transfer _ -> polls;
            case Collective c -> {
                boolean isKnownByCalls = !WaitText.needs(c).isEmpty();
                // the length of the longest chain of messages, which passes through all ranks and, between two
                // groups, also back: for calls that are not limited to one poll, this number of polls counts as
                // one
                int chain = c.inter ? 2 * c.port().size() : c.port().size();
                yield isKnownByCalls || mayMove(c) ? 1 : 1 + (polls - 1) / chain;
            }
        };
    }

    private static boolean mayMove(Collective c) {
        boolean computes = c.op != null && !(c.op instanceof PredefinedReduction);
        int ranks = c.port().size();
        return computes || bytes(c.send, ranks) > QUICK_BYTES || bytes(c.recv, ranks) > QUICK_BYTES;
    }

    /// Returns an upper bound of the number of bytes, which is exact for equal blocks.
    private static long bytes(Collective.Operand operand, int ranks) {
        long sum = 0;
        if (operand.parts != null) for (long bytes : operand.parts.lengthsBytes()) sum += bytes;
        else if (operand.blocks != null) for (long n : operand.blocks.counts()) sum += n * operand.type.size();
        else sum = operand.count * operand.type.size() * ranks;
        return sum;
    }

    /// Adds the collective calls for which no thread waits. Returns the number of these calls for which the
    /// ranks that could end the call are unknown.
    private static long addInBackground(WaitInsight insight, List<Caller> blocked, List<BlockedCall> waits) {
        long unknown = 0;
        for (Collective c : insight.underWay()) {
            if (blocked.stream().anyMatch(caller -> caller.waitsFor(c))) continue;
            Transfer t = insight.waitingFor(c);
            if (t == null || t.port().isOfSeveralWorlds()) {
                unknown++;
                continue;
            }
            BitSet wakers = new BitSet();
            WaitText.addWakers(t, wakers);
            boolean sends = t.kind == Transfer.Kind.SEND;
            waits.add(new BlockedCall(c.operation, WaitText.what(c), "", sends, 0, 0, wakers));
        }
        return unknown;
    }

    /// Describes the caller's blocked call. Returns null if the event for which the call waits is unknown, or
    /// if the call waits for work. The thread then counts as a thread that can make a call.
    private @Nullable BlockedCall describe(Caller caller, Seen since, long polls) {
        BitSet wakers = new BitSet();
        CommCreation creation = caller.creation();
        if (creation != null) {
            CommPort parent = creation.parent;
            BitSet others = WaitText.others(parent);
            // only members take part in a call of a group, and only the engine can report the progress of the
            // members
            boolean all = creation.call != 0;
            // the missing ranks are among the other ranks of the parent, unless the call starts processes or
            // all ranks of several worlds take part: then the missing ranks are in a different world
            if (!creation.startsProcesses && !(all && creation.isOfSeveralWorlds)) wakers.or(others);
            BlockedCall.Call call =
                    all ? new BlockedCall.Call(parent.id(), creation.call, others) : BlockedCall.Call.UNKNOWN;
            String what = creation.operation + "() on " + parent.name() + (all ? ", call " + creation.call : "");
            return blocked(creation.operation, what, since, polls, false, wakers, call);
        }
        LocalWait local = caller.local();
        if (local != null) {
            int[] awaited = local.awaited();
            CommPort port = local.port();
            if (port != null && awaited != null && awaited.length > 0) {
                for (int rank : awaited) WaitText.add(port, rank, wakers);
            } else if (!local.isCompletedExternally()) {
                if (local.completesByMessages()) wakers.set(0, ranks);
                else wakers.set(me);
            }
            return blocked(local.operation(), local.what(lines), since, polls, true, wakers, BlockedCall.Call.UNKNOWN);
        }
        WaitAny any = caller.any();
        Activity one = caller.activity();
        if (any == null && one == null) return null;
        List<Activity> activities = any == null ? List.of(one) : any.all();
        if (activities.stream().anyMatch(BlockedCallReporter::isForWork)) return null;
        boolean sends = true, messages = true;
        for (Activity a : activities) {
            // the thread has continued
            if (a == null || !addWakers(a, wakers)) return null;
            Transfer t = message(a);
            sends &= t != null && t.kind == Transfer.Kind.SEND;
            messages &= isMessage(a);
        }
        Activity first = activities.getFirst();
        Transfer message = message(first);
        String what = what(first) + (sends && insight != null && message != null ? insight.reason(message) : "");
        if (activities.size() == 1) {
            BlockedCall wait = blocked(first.operation, what, since, polls, sends, wakers, call(first));
            return insight == null && since.note.isEmpty() && isLong(first) ? wait.explained(BlockedCall.MOVES) : wait;
        }
        what = "awaitAny of " + activities.size() + ", the first: " + what;
        BlockedCall.Call call = messages ? BlockedCall.Call.MESSAGES : BlockedCall.Call.UNKNOWN;
        return blocked("awaitAny", what, since, polls, sends, wakers, call);
    }

    private static BlockedCall blocked(
            String operation,
            String what,
            Seen since,
            long polls,
            boolean sends,
            BitSet wakers,
            BlockedCall.Call call) {
        return new BlockedCall(operation, what, since.line, sends, since.sinceNanos, polls, wakers, call, since.note);
    }

    private static boolean isLong(Activity activity) {
        return switch (activity) {
            case Transfer t -> t.lengthBytes > QUICK_BYTES;
            case Collective c -> mayMove(c);
        };
    }

    /// Returns the message without which the activity cannot continue; null if only the engine can identify the
    /// message.
    private @Nullable Transfer message(Activity activity) {
        return switch (activity) {
            case Transfer t -> t;
            case Collective c -> insight == null ? null : insight.waitingFor(c);
        };
    }

    /// Adds the ranks that can end the wait for an activity. Returns false if these ranks are unknown.
    private boolean addWakers(Activity activity, BitSet wakers) {
        Transfer t = message(activity);
        if (t != null) WaitText.addWakers(t, wakers);
        else if (!activity.port().isOfSeveralWorlds()) wakers.or(WaitText.others(activity.port()));
        return t != null || insight == null;
    }

    private static boolean isForWork(@Nullable Activity activity) {
        return activity != null && isMessage(activity) && activity.port().isIdle();
    }

    private static boolean isMessage(Activity activity) {
        return activity instanceof Transfer t && t.lane == Transfer.Lane.USER;
    }

    private static BlockedCall.Call call(Activity activity) {
        if (isMessage(activity)) return BlockedCall.Call.MESSAGES;
        if (!(activity instanceof Collective c)) return BlockedCall.Call.UNKNOWN;
        return new BlockedCall.Call(c.port().id(), c.number(), WaitText.needs(c));
    }

    private static String what(Activity activity) {
        return switch (activity) {
            case Transfer t -> WaitText.what(t);
            case Collective c -> WaitText.what(c);
        };
    }
}
