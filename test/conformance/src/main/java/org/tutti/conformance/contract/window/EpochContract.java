package org.tutti.conformance.contract.window;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Group;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.Request;
import org.tutti.mpi.Window;
import org.tutti.mpi.Window.Assert;
import org.tutti.mpi.Window.LockType;

/// Epochs: which accesses are allowed, and which ranks wait. MPI 4.1, section 12.5.
public final class EpochContract {
    private static final int ROUNDS = 200;

    private EpochContract() {}

    private static long word(Window w, int index) {
        return w.memory().getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    @Contract
    public static void fencesSeparateRounds(Trial t) {
        try (Window w = Window.allocate(t.world(), 8L * t.size(), 8)) {
            w.fence(Assert.NOPRECEDE);
            for (int i = 1; i <= ROUNDS; i++) {
                for (int r = 0; r < t.size(); r++) w.put(buf(new long[] {1000L * i + t.rank()}), r, t.rank());
                w.fence();
                for (int r = 0; r < t.size(); r++) Check.same(1000L * i + r, word(w, r), "value from rank " + r);
                w.fence(Assert.NOSTORE);
            }
            w.fence(Assert.NOSUCCEED, Assert.NOPUT);
        }
    }

    /// Each rank exposes the window to the left neighbor and accesses the right neighbor.
    @Contract
    public static void postsStartsCompletesAndAwaits(Trial t) {
        try (Window w = Window.allocate(t.world(), 8, 8)) {
            Group right = w.group().incl(t.right()), left = w.group().incl(t.left());
            for (int i = 1; i <= ROUNDS; i++) {
                w.post(left);
                w.start(right);
                w.put(buf(new long[] {1000L * i + t.rank()}), t.right());
                w.complete();
                if (i % 2 == 0) w.await();
                else while (!w.test()) Thread.onSpinWait();
                Check.same(1000L * i + t.left(), word(w, 0), "value from the left rank in round " + i);
            }
        }
    }

    /// The accessing rank waits for a long message from the rank that calls `test`.
    @Contract(minRanks = 2)
    public static void unsuccessfulTestMakesProgress(Trial t) {
        byte[] message = new byte[1 << 20];
        try (Window w = Window.allocate(t.world(), 8, 8)) {
            if (t.rank() == 0) {
                Request sent = t.world().isend(buf(message), 1, 5);
                w.post(w.group().incl(1));
                while (!w.test()) Thread.onSpinWait();
                sent.await();
            } else if (t.rank() == 1) {
                w.start(w.group().incl(0));
                t.world().recv(buf(message), 0, 5);
                w.complete();
            }
        }
    }

    /// An access epoch starts only after the target has posted, and the target may make other calls before it
    /// posts.
    @Contract(minRanks = 2)
    public static void startsWaitForPosts(Trial t) {
        try (Window w = Window.allocate(t.world(), 8, 8)) {
            Group none = w.group().incl();
            if (t.rank() == 0) {
                t.world().recv(buf(new byte[1]), 1, 5);
                w.post(w.group().incl(1));
                w.await();
                Check.same(42, word(w, 0), "value from rank 1");
            } else if (t.rank() == 1) {
                t.world().send(buf(new byte[1]), 0, 5);
                w.start(w.group().incl(0));
                w.put(buf(new long[] {42}), 0);
                w.complete();
            } else {
                w.post(none);
                w.start(none);
                w.complete();
                w.await();
            }
            t.world().barrier();
        }
    }

    /// The holder of an exclusive lock may read a value and write a new one.
    @Contract
    public static void exclusiveLocksExclude(Trial t) {
        int target = t.size() / 2;
        try (Window w = Window.allocate(t.world(), 8, 8)) {
            long[] value = new long[1];
            for (int i = 0; i < ROUNDS; i++) {
                w.lock(target);
                w.get(buf(value), target);
                w.flush(target);
                value[0]++;
                w.put(buf(value), target);
                w.unlock(target);
            }
            t.world().barrier();
            w.lock(target, LockType.SHARED);
            w.get(buf(value), target);
            w.unlock(target);
            Check.same((long) ROUNDS * t.size(), value[0], "the sum");
        }
    }

    /// All ranks hold a shared lock at the same time; otherwise the barrier does not complete.
    @Contract
    public static void sharedLocksAreShared(Trial t) {
        try (Window w = Window.allocate(t.world(), 8, 8)) {
            for (int i = 0; i < 20; i++) {
                w.lock(0, LockType.SHARED);
                t.world().barrier();
                w.accumulate(buf(new long[] {1}), 0, Op.SUM);
                w.unlock(0);
                w.lockAll();
                t.world().barrier();
                w.accumulate(buf(new long[] {1}), 0, Op.SUM);
                w.unlockAll();
            }
            t.world().barrier();
            if (t.rank() == 0) Check.same(40L * t.size(), word(w, 0), "the sum");
        }
    }

    /// Continuous readers do not starve a writer, and writers do not starve a reader.
    @Contract
    public static void everyRankGetsALock(Trial t) {
        try (Window w = Window.allocate(t.world(), 16, 8)) {
            long[] pair = new long[2];
            for (int i = 0; i < ROUNDS; i++) {
                boolean writes = (i + t.rank()) % 4 == 0;
                w.lock(0, writes ? LockType.EXCLUSIVE : LockType.SHARED);
                w.get(buf(pair), 0);
                Check.same(pair[0], -pair[1], "the two values of a writer");
                if (writes) {
                    w.put(buf(new long[] {pair[0] + 1}), 0, 0);
                    w.put(buf(new long[] {pair[1] - 1}), 0, 1);
                }
                w.unlock(0);
            }
            t.world().barrier();
            w.lock(0, LockType.SHARED);
            w.get(buf(pair), 0);
            w.unlock(0);
            Check.same((long) ROUNDS / 4 * t.size(), pair[0], "number of writes");
        }
    }

    /// A rank that waits for a lock makes progress: rank 0 releases the lock only after the waiting rank has
    /// received a message.
    @Contract(minRanks = 2)
    public static void waitForALockMakesProgress(Trial t) {
        byte[] large = new byte[3 << 20];
        try (Window w = Window.allocate(t.world(), 8, 8)) {
            if (t.rank() == 0) {
                w.lock(1);
                t.world().barrier();
                t.world().send(buf(large), 1, 3);
                w.unlock(1);
            } else {
                t.world().barrier();
                if (t.rank() == 1) {
                    var receive = t.world().irecv(buf(large), 0, 3);
                    w.lock(1);
                    w.unlock(1);
                    receive.await();
                }
            }
            t.world().barrier();
        }
    }

    /// Threads of one rank access several targets at the same time.
    @Contract(maxRanks = 5)
    public static void threadsAccessConcurrently(Trial t) throws Exception {
        int threads = 4;
        try (Window w = Window.allocate(t.world(), 8L * threads, 8)) {
            w.lockAll();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int own = i;
                Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
                all.add(builder.uncaughtExceptionHandler((_, e) -> failure.set(e))
                        .start(() -> {
                            for (int k = 0; k < ROUNDS; k++) {
                                for (int r = 0; r < t.size(); r++)
                                    w.at(r, own % 2).fetchAndAdd(1L);
                            }
                        }));
            }
            for (Thread thread : all) thread.join();
            w.unlockAll();
            if (failure.get() != null) throw new AssertionError("in a thread", failure.get());
            t.world().barrier();
            Check.same((long) ROUNDS * t.size() * threads / 2, word(w, 0), "the sum of even threads");
            Check.same((long) ROUNDS * t.size() * threads / 2, word(w, 1), "the sum of odd threads");
            t.world().barrier();
        }
    }

    /// A rank can lock a target only once at a time. When a thread releases the lock, a second thread of the
    /// rank can take it immediately.
    @Contract(maxRanks = 3)
    public static void lockMayChangeThreads(Trial t) throws Exception {
        int rounds = 100;
        try (Window w = Window.allocate(t.world(), 8, 8)) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                all.add(Thread.ofPlatform()
                        .uncaughtExceptionHandler((_, e) -> failure.set(e))
                        .start(() -> {
                            for (int k = 0; k < rounds; k++) addOneExclusively(w);
                        }));
            }
            for (Thread thread : all) thread.join();
            if (failure.get() != null) throw new AssertionError("in a thread", failure.get());
            t.world().barrier();
            if (t.rank() == 0) {
                w.lock(0);
                Check.same(2L * rounds * t.size(), word(w, 0), "the sum");
                w.unlock(0);
            }
            t.world().barrier();
        }
    }

    private static void addOneExclusively(Window w) {
        while (true) {
            try {
                w.lock(0);
            } catch (MpiException e) {
                if (e.errorClass() != ErrorClass.ERR_RMA_SYNC) throw e;
                Thread.yield(); // the other thread holds the lock
                continue;
            }
            long[] sum = new long[1];
            w.get(buf(sum), 0);
            sum[0]++;
            w.put(buf(sum), 0);
            w.unlock(0);
            return;
        }
    }

    /// A virtual thread waits for a lock, and must release the carrier while a different rank holds the lock.
    @Contract(minRanks = 2)
    public static void virtualThreadsWaitForLocks(Trial t) throws Exception {
        try (Window w = Window.allocate(t.world(), 8, 8)) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            if (t.rank() == 0) w.lock(0);
            t.world().barrier();
            Thread waiter = Thread.ofVirtual()
                    .uncaughtExceptionHandler((_, e) -> failure.set(e))
                    .unstarted(() -> {
                        w.lock(0);
                        w.accumulate(buf(new long[] {1}), 0, Op.SUM);
                        w.unlock(0);
                    });
            if (t.rank() != 0) waiter.start();
            t.world().barrier();
            if (t.rank() == 0) w.unlock(0);
            if (t.rank() != 0) waiter.join();
            if (failure.get() != null) throw new AssertionError("in a virtual thread", failure.get());
            t.world().barrier();
            if (t.rank() == 0) Check.same(t.size() - 1, word(w, 0), "the sum");
        }
    }
}
