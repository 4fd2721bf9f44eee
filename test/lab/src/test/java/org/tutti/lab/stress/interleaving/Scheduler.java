package org.tutti.lab.stress.interleaving;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Runs several threads, one at a time. At each scheduling point, which is an access to the job's memory or the
/// acquisition of a lock, a seeded random source selects the next thread.
///
/// A schedule has a few long stalls: a thread stops at a point, and the other threads continue for up to
/// thousands of points. Between stalls, threads switch rarely, often or at every point, depending on the seed.
/// A thread that waits for a lock or sleeps yields to a different thread. If all threads wait, the sleep of one
/// thread times out. If this does not lead to progress, the schedule hangs.
///
/// The same seed and threads always result in the same schedule.
final class Scheduler {
    /// Ends a thread when the schedule has already failed.
    static final class Abandoned extends Error {
        private static final long serialVersionUID = 1L;

        Abandoned() {
            super("the schedule has failed", null, false, false);
        }
    }

    private enum State {
        READY,
        /// The thread waits until the lock is released.
        WAITING,
        /// The thread sleeps until the key is woken or the sleep times out.
        SLEEPING,
        FINISHED
    }

    private static final int MOST_STALLS = 6;

    /// Logarithm, to base 2, of the maximum number of points in a stall.
    private static final int LONGEST_STALL_BITS = 18;

    /// The number of consecutive timeouts without progress after which the schedule is considered to hang.
    private static final int MAX_TIMEOUTS_WITHOUT_PROGRESS = 500;

    private static final long MOST_POINTS = 3_000_000;

    private final List<Worker> workers = new ArrayList<>();
    private SplittableRandom random = new SplittableRandom(0);
    private Thread caller = Thread.currentThread();

    private @Nullable Worker running;
    private volatile boolean over;
    private long points;
    private long nextDecision;
    private long nextSwitch;
    private int timeouts;
    private long[] stalls = {};
    private int stallsDone;

    /// The mean number of points between two switches, or 0 for no switches.
    private int switchOneOf;

    /// The maximum number of points of one thread before another thread runs.
    private int slice;

    private boolean abandoned;
    private @Nullable Throwable failure;

    private final class Worker {
        final Thread thread;
        State state = State.FINISHED;
        volatile boolean turn;
        volatile @Nullable Runnable body;

        /// The object that the thread waits for or sleeps on.
        @Nullable
        Object on;

        long stalledUntil;

        Worker(int index) {
            thread = Thread.ofPlatform().daemon().name("interleaved-" + index).unstarted(this::work);
        }

        private void work() {
            for (; ; ) {
                awaitTurn();
                Runnable r = body;
                if (r == null) return;
                try {
                    r.run();
                } catch (Abandoned e) {
                    // a different thread has failed
                } catch (Throwable t) {
                    fail(t);
                }
                body = null;
                state = State.FINISHED;
                Worker next = choose();
                if (next == null) {
                    running = null;
                    over = true;
                    LockSupport.unpark(caller);
                } else {
                    hand(next);
                }
            }
        }

        void awaitTurn() {
            while (!turn) LockSupport.park(Scheduler.this);
            turn = false;
        }
    }

    /// Runs each body in a separate thread, until all have ended. Throws the first exception of a body, or an
    /// error if the schedule hangs.
    ///
    /// @return the number of scheduling points
    long run(List<Runnable> bodies, long seed) throws Throwable {
        begin(bodies, seed);
        Worker first = choose();
        if (first == null) return 0;
        hand(first);
        while (!over) LockSupport.park(this);
        Throwable f = failure;
        if (f == null) return points;
        stop();
        throw f;
    }

    private void begin(List<Runnable> bodies, long seed) {
        caller = Thread.currentThread();
        random = new SplittableRandom(seed);
        over = false;
        points = 0;
        timeouts = 0;
        abandoned = false;
        failure = null;
        running = null;
        while (workers.size() < bodies.size()) {
            Worker w = new Worker(workers.size());
            workers.add(w);
            w.thread.start();
        }
        for (int i = 0; i < bodies.size(); i++) {
            Worker w = workers.get(i);
            w.body = bodies.get(i);
            w.state = State.READY;
            w.stalledUntil = 0;
        }
        // depends only on the seed, not on the previous schedule
        long length = 500L << random.nextInt(6);
        stalls = random.longs(random.nextInt(MOST_STALLS + 1), 1, length)
                .sorted()
                .toArray();
        stallsDone = 0;
        switchOneOf = switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> 500;
            case 2 -> 60;
            default -> 8;
        };
        slice = 100 << random.nextInt(5);
        decideNext();
    }

    /// Ends the threads. The scheduler can then be used again.
    void stop() {
        for (Worker w : workers) {
            w.body = null;
            w.turn = true;
            LockSupport.unpark(w.thread);
        }
        workers.clear();
    }

    /// A scheduling point. Without effect in unscheduled threads.
    void point() {
        Worker w = running;
        if (w == null || Thread.currentThread() != w.thread) return;
        if (abandoned) throw new Abandoned();
        if (++points >= nextDecision) decide(w);
    }

    private void decide(Worker w) {
        if (points >= MOST_POINTS) {
            fail(new AssertionError("does not end within " + MOST_POINTS + " points\n" + stacks()));
            throw new Abandoned();
        }
        if (stallsDone < stalls.length && points >= stalls[stallsDone]) {
            stallsDone++;
            w.stalledUntil = points + random.nextInt(16) + (1L << random.nextInt(4, LONGEST_STALL_BITS));
        }
        decideNext();
        leave(w);
    }

    private void decideNext() {
        nextSwitch = points + (switchOneOf == 0 ? slice : Math.min(slice, 1 + random.nextInt(2 * switchOneOf)));
        nextDecision = Math.min(nextSwitch, MOST_POINTS);
        if (stallsDone < stalls.length) nextDecision = Math.min(nextDecision, stalls[stallsDone]);
    }

    /// Selects the next thread, and switches to it unless it is `w`.
    private void leave(Worker w) {
        Worker next = choose();
        if (next == w) return;
        if (next == null) throw new IllegalStateException("no thread is left to continue");
        hand(next);
        w.awaitTurn();
        if (abandoned) throw new Abandoned();
    }

    private void hand(Worker next) {
        running = next;
        next.turn = true;
        LockSupport.unpark(next.thread);
    }

    /// Selects the next thread. Returns null when all threads have ended.
    private @Nullable Worker choose() {
        for (; ; ) {
            int candidates = 0;
            Worker earliest = null;
            for (Worker w : workers) {
                if (w.state == State.FINISHED || !abandoned && w.state != State.READY) continue;
                if (w.stalledUntil <= points || abandoned) candidates++;
                if (earliest == null || w.stalledUntil < earliest.stalledUntil) earliest = w;
            }
            if (candidates > 0) {
                int which = random.nextInt(candidates);
                for (Worker w : workers) {
                    if (w.state == State.FINISHED || !abandoned && w.state != State.READY) continue;
                    if ((w.stalledUntil <= points || abandoned) && which-- == 0) return w;
                }
            }
            if (earliest != null) {
                earliest.stalledUntil = 0;
                return earliest;
            }
            if (abandoned) return null;
            Worker sleeper = oneOf(State.SLEEPING);
            if (sleeper == null && oneOf(State.WAITING) == null) return null;
            if (sleeper == null || ++timeouts > MAX_TIMEOUTS_WITHOUT_PROGRESS) {
                fail(new AssertionError("hangs: no thread can continue\n" + stacks()));
                continue;
            }
            sleeper.state = State.READY;
        }
    }

    private @Nullable Worker oneOf(State state) {
        List<Worker> all = workers.stream().filter(w -> w.state == state).toList();
        return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    }

    private void fail(Throwable why) {
        if (failure == null) failure = why;
        abandoned = true;
    }

    /// Records progress, so that the preceding timeouts no longer count as a hang.
    void progress() {
        timeouts = 0;
    }

    /// The running thread waits until `key` is released.
    void awaitRelease(Object key) {
        pause(State.WAITING, key);
    }

    /// Allows the threads to continue that wait for `key`.
    void release(Object key) {
        for (Worker w : workers) if (w.state == State.WAITING && w.on == key) w.state = State.READY;
    }

    /// The running thread sleeps until `key` is woken or the sleep times out.
    void sleep(Object key) {
        pause(State.SLEEPING, key);
    }

    void wake(Object key) {
        for (Worker w : workers) if (w.state == State.SLEEPING && key.equals(w.on)) w.state = State.READY;
    }

    private void pause(State state, Object key) {
        Worker w = running;
        if (w == null || Thread.currentThread() != w.thread) throw new IllegalStateException("not a scheduled thread");
        if (abandoned) throw new Abandoned();
        w.state = state;
        w.on = key;
        Worker next = choose();
        if (next != w) {
            if (next == null) throw new IllegalStateException("no thread is left to continue");
            hand(next);
            w.awaitTurn();
        }
        w.on = null;
        if (abandoned) throw new Abandoned();
    }

    /// Returns the state and the stack of each thread.
    private String stacks() {
        StringBuilder text = new StringBuilder();
        for (Worker w : workers) {
            text.append(w.thread.getName()).append(' ').append(w.state);
            if (w.stalledUntil > points) text.append(", stalled");
            text.append('\n');
            Arrays.stream(w.thread.getStackTrace())
                    .filter(f -> f.getClassName().startsWith("org.tutti.")
                            && !f.getClassName().startsWith("org.tutti.lab.stress.interleaving.S"))
                    .limit(14)
                    .forEach(f -> text.append("    ").append(f).append('\n'));
        }
        return text.toString();
    }
}
