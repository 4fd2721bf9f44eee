package org.tutti.lab.stress.count;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Consumer;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;
import org.tutti.mpi.Window;

/// A program of two ranks in threads, which counts the calls of rank 0. Rank 0 never waits in a counted call:
/// it sends before rank 1 receives, receives messages that have already arrived, and is the last rank to make a
/// collective call.
///
/// A [CountingLoader] defines this class.
public final class CountedCalls implements Consumer<Consumer<CallCount>> {
    /// Number of operations before the first count. After the first 512 operations, the flight recorder walks
    /// the stack only for new kinds of operations, and at most for one operation in 1,024. This number is large
    /// enough for two walks for each kind of call, so that no walk happens in a counted call.
    private static final int WARM_UP = 24 * 1024;

    private static final int BATCH = 64;

    /// Number of calls of each kind that are not counted, and number of the following calls, which are counted.
    private static final int UNCOUNTED = 100, COUNTED = 40;

    /// A count is ignored if it results from fewer than one call in `RARE`. For example, a sleeping rank wakes
    /// every 100 ms, and a call at that time need not wake it.
    private static final int RARE = 10;

    @FunctionalInterface
    private interface Call {
        void run();
    }

    private static final Call NONE = () -> {};

    /// When rank 1 makes the call.
    private enum Other {
        /// Before rank 0; the call has returned.
        BEFORE,
        /// Before rank 0; rank 1 sleeps in the call.
        ASLEEP,
        /// After rank 0.
        AFTER
    }

    private final CyclicBarrier gate = new CyclicBarrier(2);
    private final Thread[] threads = new Thread[2];

    @Override
    public void accept(Consumer<CallCount> result) {
        Tutti.local(2, mpi -> run(mpi, result));
    }

    private void run(Mpi mpi, Consumer<CallCount> result) throws Exception {
        Comm w = mpi.world();
        int me = w.rank();
        threads[me] = Thread.currentThread();
        byte[] bytes = new byte[8];
        double[] x = {1}, y = {0}, both = new double[2];
        Buf b = buf(bytes), bx = buf(x), by = buf(y), bBoth = buf(both);
        for (int i = 0; i < WARM_UP; i += BATCH) {
            for (int k = 0; k < BATCH; k++) {
                if (me == 0) w.send(b, 1);
                else w.recv(b, 0);
            }
            w.barrier();
        }
        Rank rank = new Rank(me, result);
        rank.count("send 8 B", () -> w.send(b, 1), Other.AFTER, () -> w.recv(b, 0));
        rank.count("recv 8 B, arrived", () -> w.recv(b, 1), Other.BEFORE, () -> w.send(b, 0));
        rank.count("isend 8 B, await", () -> w.isend(b, 1).await(), Other.AFTER, () -> w.recv(b, 0));
        rank.count("irecv 8 B, await, arrived", () -> w.irecv(b, 1).await(), Other.BEFORE, () -> w.send(b, 0));
        rank.count("sendObject", () -> w.sendObject(42, 1), Other.AFTER, () -> w.recvObject(Integer.class, 0));
        rank.count(
                "recvObject, arrived", () -> w.recvObject(Integer.class, 1), Other.BEFORE, () -> w.sendObject(42, 0));
        rank.collective("barrier, last", w::barrier);
        rank.collective("bcast 8 B, root", () -> w.bcast(b, 0));
        rank.count("bcast 8 B, not root", () -> w.bcast(b, 1), Other.BEFORE, () -> w.bcast(b, 1));
        rank.collective("allreduce 8 B, last", () -> w.allreduce(bx, by, Op.SUM));
        rank.collective("allreduce of a scalar, last", () -> w.allreduce(1.0, Op.SUM));
        rank.collective("allgather 8 B, last", () -> w.allgather(bx, bBoth));
        rank.count("iprobe, no message", () -> w.iprobe(1, 5), Other.AFTER, NONE);
        try (Window window = Window.allocate(w, 64)) {
            window.lockAll();
            rank.count("put 8 B, flush", () -> put(window, b), Other.AFTER, NONE);
            window.unlockAll();
        }
    }

    private static void put(Window window, Buf b) {
        window.put(b, 1);
        window.flush(1);
    }

    private final class Rank {
        private final int me;
        private final Consumer<CallCount> result;

        Rank(int me, Consumer<CallCount> result) {
            this.me = me;
            this.result = result;
        }

        void collective(String name, Call call) throws Exception {
            count(name, call, Other.ASLEEP, call);
        }

        void count(String name, Call call, Other when, Call other) throws Exception {
            List<CallCount> counts = new ArrayList<>();
            for (int i = 0; i < UNCOUNTED + COUNTED; i++) {
                if (me == 1) {
                    if (when == Other.BEFORE) other.run();
                    gate.await();
                    if (when == Other.ASLEEP) other.run();
                    gate.await();
                    if (when == Other.AFTER) other.run();
                    continue;
                }
                gate.await();
                boolean isCounted = i >= UNCOUNTED;
                if (when == Other.ASLEEP && isCounted) awaitSleep(threads[1]);
                if (isCounted) MethodCounter.start();
                call.run();
                if (isCounted) counts.add(MethodCounter.stop(name));
                gate.await();
            }
            if (me == 0) result.accept(smallest(counts));
        }
    }

    /// Returns the smallest count, without rare counts.
    private static CallCount smallest(List<CallCount> counts) {
        Map<Integer, List<CallCount>> byTotal = new TreeMap<>();
        for (CallCount c : counts)
            byTotal.computeIfAbsent(c.total(), _ -> new ArrayList<>()).add(c);
        return byTotal.values().stream()
                .filter(same -> same.size() * RARE >= counts.size())
                .findFirst()
                .orElseThrow(() -> new AssertionError("each number of methods is rare: " + byTotal.keySet()))
                .getFirst();
    }

    /// Waits until the thread sleeps in a call. Ranks in threads sleep in `Object.wait` with a timeout.
    private static void awaitSleep(Thread thread) throws InterruptedException {
        while (!isAsleep(thread)) {
            if (Thread.interrupted()) throw new InterruptedException("the other rank has failed");
            Thread.yield();
        }
    }

    private static boolean isAsleep(Thread thread) {
        if (thread.getState() != Thread.State.TIMED_WAITING) return false;
        StackTraceElement[] frames = thread.getStackTrace();
        return frames.length > 0 && frames[0].getClassName().equals(Object.class.getName());
    }
}
