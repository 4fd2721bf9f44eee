package org.tutti.shm.progress;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.job.BlockedCall;
import org.tutti.job.CallingThreads;
import org.tutti.job.UserLine;
import org.tutti.job.WaitPage;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Transfer;
import org.tutti.spi.Waiting;

/// Tells the launcher what this rank waits for, once that has lasted for a second: what it has to say of
/// a job that does not go on, and by which it proves a deadlock (docs/decisions/23).
///
///     long since = 0;
///     try {
///         while (…) { …; since = longWaits.still(since, activity); sleep; }
///     } finally {
///         if (since != 0) longWaits.over();
///     }
///
/// A wait that does not get as far as to sleep knows nothing of this.
public final class LongWaits {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// A rank that never sleeps reports that it moves messages once in so many looks.
    private static final int PULSE_MASK = 0xff;

    /// The page has no room for more; virtual threads can be many.
    private static final int MOST_TOLD = 16;

    /// Where sleeps are short, a wait is not told of more often than this.
    private static final long APART_NANOS = TimeUnit.MILLISECONDS.toNanos(90);

    private static final Activity[] NONE = {};

    private record Blocked(Activity[] activities, BlockedCall said, long saidNanos) {}

    private final Progress progress;
    private final Bells bells;
    private final int me;
    private final int ranks;
    private final long mostUnreceived;
    private final @Nullable WaitPage page;

    /// By thread; under the progress lock.
    private final Map<Thread, Blocked> blocked = new IdentityHashMap<>();

    private volatile boolean told;

    /// @param page null where no launcher reads it
    public LongWaits(Progress progress, Bells bells, int me, Segment segment, @Nullable WaitPage page) {
        this.progress = progress;
        this.bells = bells;
        this.me = me;
        ranks = segment.size();
        mostUnreceived = segment.mostUnreceived();
        this.page = page;
    }

    /// Messages were moved; under the progress lock.
    public void moved() {
        if (page != null && (progress.moves() & PULSE_MASK) == 0) page.pulse(progress.moves());
    }

    /// The calling thread is about to sleep until `activity` is done. `since` is what this returned last
    /// in the same wait, 0 at first.
    public long still(long since, Activity activity) {
        if (page == null || !isLong(since)) return begin(since);
        return tell(since, new Activity[] {activity}, null);
    }

    /// The same for one of the first `count` activities.
    public long still(long since, Activity[] activities, int count) {
        if (page == null || !isLong(since)) return begin(since);
        return tell(since, Arrays.copyOf(activities, count), null);
    }

    /// The same for what other threads of this rank are to do, and perhaps messages. It was not over a
    /// moment ago.
    public long still(long since, LocalWait wait) {
        if (page == null || !isLong(since)) return begin(since);
        progress.lock().lock();
        try {
            Blocked before = blocked.get(Thread.currentThread());
            if (isTooSoon(before)) return since;
            if (progress.move()) bells.ring(me);
            else say(describe(since, wait, before));
        } finally {
            progress.lock().unlock();
        }
        return since;
    }

    /// The same for a message that `pattern` would match. Between two calls there is a look at everything.
    public long stillProbing(long since, ShmTransfer pattern) {
        if (page == null || !isLong(since)) return begin(since);
        return tell(since, new Activity[] {pattern}, pattern);
    }

    private static boolean isLong(long since) {
        return since != 0 && System.nanoTime() - since >= LONG_NANOS;
    }

    private long begin(long since) {
        if (page == null) return 0;
        page.pulse(progress.moves());
        return since == 0 ? System.nanoTime() | 1 : since;
    }

    /// The calling thread's wait has ended; to be called when [#still] was.
    public void over() {
        if (!told) return;
        progress.lock().lock();
        try {
            if (blocked.remove(Thread.currentThread()) != null) write();
            told = !blocked.isEmpty();
        } finally {
            progress.lock().unlock();
        }
    }

    private long tell(long since, Activity[] activities, @Nullable ShmTransfer probed) {
        progress.lock().lock();
        try {
            Blocked before = blocked.get(Thread.currentThread());
            if (isTooSoon(before) || !isStill(activities, probed)) return since;
            Blocked now = describe(since, activities, before);
            if (now != null) say(now);
        } finally {
            progress.lock().unlock();
        }
        return since;
    }

    private boolean isTooSoon(@Nullable Blocked before) {
        if (before == null) return blocked.size() == MOST_TOLD;
        return System.nanoTime() - before.saidNanos < APART_NANOS;
    }

    private void say(Blocked now) {
        blocked.put(Thread.currentThread(), now);
        told = true;
        write();
    }

    /// Whether a look at everything, begun after the last thing told, has changed nothing for this wait.
    private boolean isStill(Activity[] activities, @Nullable ShmTransfer probed) {
        // to take a message in here would be to sleep beside it
        if (probed != null) return !progress.hasNews() && progress.find(probed) == null;
        if (!progress.move()) return noneIsDone(activities);
        bells.ring(me);
        return false;
    }

    private static boolean noneIsDone(Activity[] activities) {
        for (Activity a : activities) if (a.isDone()) return false;
        return true;
    }

    /// Null when it cannot be said what an activity waits for.
    private @Nullable Blocked describe(long since, Activity[] activities, @Nullable Blocked before) {
        BitSet wakers = new BitSet();
        boolean sends = true;
        for (Activity a : activities) {
            Transfer t = message(a);
            if (t == null) return null;
            sends &= t.kind == Transfer.Kind.SEND;
            Waiting.addWakers(t, wakers);
        }
        Activity first = activities[0];
        boolean one = activities.length == 1;
        String operation = one ? first.operation : "awaitAny";
        String firstWhat = what(first) + early(sends ? message(first) : null);
        String what = one ? firstWhat : "awaitAny of " + activities.length + ", the first: " + firstWhat;
        BlockedCall.Call call =
                one ? call(first) : areMessages(activities) ? BlockedCall.Call.MESSAGES : BlockedCall.Call.UNKNOWN;
        return blocked(activities, operation, what, sends, since, wakers, call, before);
    }

    private static BlockedCall.Call call(Activity activity) {
        if (!(activity instanceof ShmCollective c)) {
            return areMessages(activity) ? BlockedCall.Call.MESSAGES : BlockedCall.Call.UNKNOWN;
        }
        if (c.port().id() == 0) return BlockedCall.Call.UNKNOWN;
        return new BlockedCall.Call(c.port().id(), c.sequence, Waiting.needs(c));
    }

    private static boolean areMessages(Activity... activities) {
        for (Activity a : activities) {
            if (!(a instanceof Transfer t) || t.lane != Transfer.Lane.USER) return false;
        }
        return true;
    }

    private Blocked describe(long since, LocalWait wait, @Nullable Blocked before) {
        BitSet wakers = new BitSet();
        if (wait.alsoEndsByMessages()) wakers.set(0, ranks);
        else wakers.set(me);
        return blocked(NONE, wait.operation(), wait.what(), true, since, wakers, BlockedCall.Call.UNKNOWN, before);
    }

    private static Blocked blocked(
            Activity[] activities,
            String operation,
            String what,
            boolean sends,
            long since,
            BitSet wakers,
            BlockedCall.Call call,
            @Nullable Blocked before) {
        BlockedCall said = before != null && before.said.sinceNanos() == since ? before.said : null;
        String line = said == null ? UserLine.here() : said.line();
        long looks = said == null ? 1 : said.looks() + 1;
        BlockedCall wait = new BlockedCall(operation, what, line, sends, since, looks, wakers, call);
        return new Blocked(activities, wait, System.nanoTime());
    }

    /// The message that `activity` cannot do without.
    private static @Nullable Transfer message(Activity activity) {
        return switch (activity) {
            case Transfer t -> t;
            case Collective c -> ((ShmCollective) c).waitingFor();
        };
    }

    private static String what(Activity activity) {
        return switch (activity) {
            case Transfer t -> Waiting.what(t);
            case Collective c -> Waiting.what(c, ((ShmCollective) c).wordA, ((ShmCollective) c).wordB, c.sequence);
        };
    }

    /// Why a short send waits at all; empty for any other wait.
    private String early(@Nullable Transfer t) {
        if (!(t instanceof ShmTransfer send) || !send.isEarly) return "";
        String receiver = t.port().who(t.peer);
        return ", for which " + receiver + " must receive: it has " + (mostUnreceived >> 10)
                + " KiB of messages from this rank that it has not received (let it receive earlier, by irecv, or send by"
                + " bsend)";
    }

    /// Under the lock.
    private void write() {
        if (page == null) return;
        long others = CallingThreads.beside(blocked::containsKey);
        List<BlockedCall> waits = new ArrayList<>();
        for (Blocked b : blocked.values()) waits.add(b.said);
        for (ShmCollective c = progress.active(); c != null; c = c.next) {
            if (isAwaited(c)) continue;
            Transfer t = c.waitingFor();
            if (t == null) {
                others++;
                continue;
            }
            BitSet wakers = new BitSet();
            Waiting.addWakers(t, wakers);
            waits.add(new BlockedCall(c.operation, what(c), "", t.kind == Transfer.Kind.SEND, 0, 0, wakers));
        }
        page.write(progress.moves(), others, waits);
    }

    private boolean isAwaited(ShmCollective c) {
        for (Blocked b : blocked.values()) for (Activity a : b.activities) if (a == c) return true;
        return false;
    }
}
