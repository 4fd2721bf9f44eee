package org.tutti.inspect;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.BlockedCall;
import org.tutti.job.CallingThreads;
import org.tutti.job.FlightRing;
import org.tutti.job.UserLine;
import org.tutti.job.WaitTeller;
import org.tutti.spi.Activity;
import org.tutti.spi.CallWords;
import org.tutti.spi.Collective;
import org.tutti.spi.CommCreation;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Transfer;
import org.tutti.spi.Waiting;

/// Tells the launcher what this rank waits for over a native library: the threads are in the library's
/// calls, so the watch thread tells it, once a second, of all that have been in the same call since the
/// last time.
///
/// A wait's looks are the watch thread's rounds: in each of them the process ran, and its threads could
/// look for messages.
final class NativeWaits implements Runnable {
    private record Seen(long number, long sinceNanos, long looks, String line) {}

    private final Callers callers;
    private final FlightRing ring;
    private final WaitTeller teller;
    private final int me;
    private final int ranks;
    private Map<Caller, Seen> seen = new IdentityHashMap<>();
    private boolean told;

    NativeWaits(Callers callers, FlightRing ring, WaitTeller teller, int me, int ranks) {
        this.callers = callers;
        this.ring = ring;
        this.teller = teller;
        this.me = me;
        this.ranks = ranks;
    }

    @Override
    public void run() {
        Map<Caller, Seen> now = new IdentityHashMap<>();
        List<BlockedCall> waits = new ArrayList<>();
        List<Thread> blocked = new ArrayList<>();
        for (Caller caller : callers.inCalls()) {
            Seen before = seen.get(caller);
            long number = caller.blockedIn();
            if (before == null || before.number != number) {
                now.put(caller, new Seen(number, System.nanoTime(), 0, ""));
                continue;
            }
            String line = before.looks == 0 ? UserLine.of(caller.thread) : before.line;
            Seen still = new Seen(number, before.sinceNanos, before.looks + 1, line);
            now.put(caller, still);
            BlockedCall wait = describe(caller, still);
            if (wait == null || caller.blockedIn() != number) continue;
            waits.add(wait);
            blocked.add(caller.thread);
        }
        seen = now;
        teller.pulse(ring.last());
        if (waits.isEmpty() && !told) return;
        told = !waits.isEmpty();
        teller.write(ring.last(), CallingThreads.beside(blocked::contains), waits);
    }

    private @Nullable BlockedCall describe(Caller caller, Seen since) {
        CommCreation creation = caller.creation();
        if (creation != null) {
            CommPort parent = creation.parent;
            BitSet others = Waiting.others(parent);
            // of a group alone only its members take part, and only the library knows how far they are
            boolean all = creation.call != 0;
            BlockedCall.Call call =
                    all ? new BlockedCall.Call(parent.id(), creation.call, others) : BlockedCall.Call.UNKNOWN;
            String what = creation.operation + "() on " + parent.name() + (all ? ", call " + creation.call : "");
            return wait(creation.operation, what, since, false, others, call);
        }
        LocalWait local = caller.local();
        if (local != null) {
            BitSet wakers = new BitSet();
            if (local.alsoEndsByMessages()) wakers.set(0, ranks);
            else wakers.set(me);
            return wait(local.operation(), local.what(), since, true, wakers, BlockedCall.Call.UNKNOWN);
        }
        Activity[] any = caller.any();
        if (any != null) return describeAny(any, caller.count(), since);
        Activity activity = caller.activity();
        if (activity == null) return null;
        BitSet wakers = new BitSet();
        addWakers(activity, wakers);
        return wait(activity.operation, what(activity), since, isSend(activity), wakers, call(activity));
    }

    private static BlockedCall describeAny(Activity[] any, int count, Seen since) {
        BitSet wakers = new BitSet();
        boolean sends = true, messages = true;
        for (int i = 0; i < count; i++) {
            addWakers(any[i], wakers);
            sends &= isSend(any[i]);
            messages &= isMessage(any[i]);
        }
        if (count == 1) return wait(any[0].operation, what(any[0]), since, sends, wakers, call(any[0]));
        String what = "awaitAny of " + count + ", the first: " + what(any[0]);
        BlockedCall.Call call = messages ? BlockedCall.Call.MESSAGES : BlockedCall.Call.UNKNOWN;
        return wait("awaitAny", what, since, sends, wakers, call);
    }

    private static BlockedCall wait(
            String operation, String what, Seen since, boolean sends, BitSet wakers, BlockedCall.Call call) {
        return new BlockedCall(operation, what, since.line, sends, since.sinceNanos, since.looks, wakers, call);
    }

    private static boolean isSend(Activity activity) {
        return activity instanceof Transfer t && t.kind == Transfer.Kind.SEND;
    }

    private static boolean isMessage(Activity activity) {
        return activity instanceof Transfer t && t.lane == Transfer.Lane.USER;
    }

    private static void addWakers(Activity activity, BitSet wakers) {
        switch (activity) {
            case Transfer t -> Waiting.addWakers(t, wakers);
            case Collective c -> wakers.or(Waiting.others(c.port()));
        }
    }

    private static BlockedCall.Call call(Activity activity) {
        if (isMessage(activity)) return BlockedCall.Call.MESSAGES;
        if (!(activity instanceof Collective c) || c.sequence == 0) return BlockedCall.Call.UNKNOWN;
        return new BlockedCall.Call(c.port().id(), c.sequence, Waiting.needs(c));
    }

    private static String what(Activity activity) {
        return switch (activity) {
            case Transfer t -> Waiting.what(t);
            case Collective c -> Waiting.what(c, CallWords.a(c), CallWords.b(c), c.sequence);
        };
    }
}
