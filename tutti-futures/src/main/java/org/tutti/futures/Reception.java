package org.tutti.futures;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Message;
import org.tutti.mpi.MpiException;

/// Who receives the answers of workers: the pool's own thread, or a thread that waits for one of them and would
/// have to be woken by it.
///
///     attend:  improbe ─▶ take, until its own is there, or nothing has come for a moment
///     receive: probe, sleeps ─▶ improbe ─▶ take; away while others take them
///
/// One thread at a time has the role. It takes a message and handles it before the next one is taken, since
/// answers of a worker are known by their order.
final class Reception {
    /// So long after the last answer a waiting thread looks for another one: about what it costs to be woken twice.
    private static final long LOOK_NANOS = 60_000;

    /// So long the pool's thread leaves answers to those who have taken some, until it looks again.
    private static final long AWAY_NANOS = 500_000;

    /// Between two looks at the clock.
    private static final int CLOCK_ROUNDS = 16;

    /// After waits that were longer, most next ones do not look at all.
    private static final int MOST_SKIPPED = 31;

    private final Comm comm;
    private final Dispatcher dispatcher;
    private final WorkerDeaths deaths;
    private final Thread receiver;
    private final ReentrantLock role = new ReentrantLock();

    /// Threads that wait and do not look.
    private final AtomicInteger sleepers = new AtomicInteger();

    /// How often somebody has got what it was looking for. With the role to be written, as the two below.
    private volatile int attended;

    private int inVain;
    private int skipped;

    private volatile boolean isAway;

    /// No answers but the last ones will come, which are the receiver's. Under this object's monitor to be
    /// written, as the next one.
    private volatile boolean closed;

    /// Futures that have not ended and whose users want reports, which come on the receiver's thread alone.
    private volatile int reporters;

    Reception(Comm comm, Dispatcher dispatcher, WorkerDeaths deaths) {
        this.comm = comm;
        this.dispatcher = dispatcher;
        this.deaths = deaths;
        receiver = Thread.ofPlatform().daemon().name("tutti-pool").unstarted(this::receive);
    }

    void start() {
        receiver.start();
    }

    // ---- who waits for an answer

    /// Takes answers until `isOver`, for a moment: whoever calls this looks afterwards whether it is, and sleeps if
    /// not. Not for virtual threads, which must not spin.
    void attend(BooleanSupplier isOver) {
        if (closed || Thread.currentThread().isVirtual() || role.isHeldByCurrentThread() || !role.tryLock()) return;
        try {
            if (skipped < Math.min(inVain, MOST_SKIPPED)) {
                skipped++;
                return;
            }
            skipped = 0;
            if (look(isOver)) {
                inVain /= 2;
                int times = attended + 1;
                attended = times;
            } else {
                inVain = Math.min(2 * inVain + 1, MOST_SKIPPED);
            }
        } finally {
            role.unlock();
        }
        if (sleepers.get() > 0) wakeReceiver();
    }

    /// False when nothing has come for too long.
    private boolean look(BooleanSupplier isOver) {
        long since = System.nanoTime();
        try {
            for (int round = 1; !isOver.getAsBoolean(); round++) {
                if (isReceivers() || Thread.currentThread().isInterrupted()) return false;
                Message message = next();
                if (message != null) {
                    dispatcher.take(message);
                    since = System.nanoTime();
                    continue;
                }
                if (round % CLOCK_ROUNDS == 0 && System.nanoTime() - since > LOOK_NANOS) return false;
                Thread.yield();
            }
            return true;
        } catch (RuntimeException | Error e) {
            dispatcher.fails(e);
            return true;
        }
    }

    private boolean isReceivers() {
        return closed || reporters > 0;
    }

    private synchronized @Nullable Message next() {
        return isReceivers() ? null : comm.improbe(Comm.ANY_SOURCE, Wire.ANSWER);
    }

    /// One more future, or one less, whose user wants reports.
    synchronized void addReporters(int more) {
        reporters += more;
    }

    /// The calling thread sleeps until somebody else has taken an answer.
    void sleeps() {
        sleepers.incrementAndGet();
        wakeReceiver();
    }

    void woke() {
        sleepers.decrementAndGet();
    }

    private void wakeReceiver() {
        if (isAway) LockSupport.unpark(receiver);
    }

    /// Whoever looks, stops; the last answers are the receiver's.
    synchronized void close() {
        closed = true;
    }

    // ---- the pool's own thread

    private void receive() {
        try {
            while (dispatcher.hasWorkers()) {
                if (deaths.areNew()) losses();
                else if (sleepUntilAnswer() && !takeAll()) stayAway();
            }
        } catch (RuntimeException | Error e) {
            dispatcher.fails(e);
        }
        dispatcher.receiverEnds();
    }

    /// False when a worker has died instead.
    private boolean sleepUntilAnswer() {
        try {
            comm.probe(Comm.ANY_SOURCE, Wire.ANSWER);
            return true;
        } catch (MpiException e) {
            if (!WorkerDeaths.isDeath(e)) throw e;
            return false;
        }
    }

    /// False when another thread has the role.
    private boolean takeAll() {
        if (!role.tryLock()) return false;
        try {
            for (Message m; (m = comm.improbe(Comm.ANY_SOURCE, Wire.ANSWER)) != null; ) {
                dispatcher.take(m);
                if (!dispatcher.hasWorkers()) break;
            }
            return true;
        } finally {
            role.unlock();
        }
    }

    private void losses() {
        role.lock();
        try {
            dispatcher.loseDead();
        } finally {
            role.unlock();
        }
    }

    private void stayAway() {
        isAway = true;
        int seen;
        do {
            seen = attended;
            if (sleepers.get() == 0 || role.isLocked()) LockSupport.parkNanos(this, AWAY_NANOS);
        } while (attended != seen && sleepers.get() == 0 && !closed);
        isAway = false;
    }
}
