package org.tutti.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Threads that can still make a call: running threads and threads that a timer wakes, but not idle workers of
/// pools.
class OtherThreadsTest {
    private final Set<Thread> before = Set.copyOf(Thread.getAllStackTraces().keySet());
    private final Predicate<Thread> isKnown = before::contains;
    private final OtherThreads others = new OtherThreads(ThreadTime::usedNanos);
    private final List<Runnable> ends = new ArrayList<>();

    @AfterEach
    void end() {
        ends.forEach(Runnable::run);
    }

    private int mayCall() {
        return others.mayCall(isKnown, t -> false).size();
    }

    /// Returns the number of threads that can make a call, after enough rounds for idle threads to be
    /// recognized. Waits for threads that are not idle yet, until the number is `expected`.
    private long mayCall(long expected) {
        long found = -1;
        for (int round = 0; round < 2_000 && found != expected; round++) {
            found = mayCall();
            if (found != expected) LockSupport.parkNanos(1_000_000);
        }
        for (int round = 0; round < 2 * OtherThreads.IDLE_ROUNDS; round++) found = mayCall();
        return found;
    }

    private <E extends ExecutorService> E pool(E pool) {
        ends.add(pool::shutdownNow);
        return pool;
    }

    @Test
    void idleWorkersOfPoolsMakeNoCalls() throws Exception {
        pool(Executors.newFixedThreadPool(2)).submit(() -> 1).get();
        pool(Executors.newCachedThreadPool()).submit(() -> 1).get();
        pool(Executors.newScheduledThreadPool(2)).submit(() -> 1).get();
        pool(new ForkJoinPool(2)).submit(() -> 1).get();
        assertThat(mayCall(0)).isZero();
    }

    @Test
    void aThreadIsIdleOnlyAfterSeveralRounds() throws Exception {
        pool(Executors.newFixedThreadPool(1)).submit(() -> 1).get();
        long rounds = 1;
        while (mayCall() != 0) rounds++;
        assertThat(rounds).isGreaterThanOrEqualTo(OtherThreads.IDLE_ROUNDS);
    }

    @Test
    void aWorkerWithATaskMayCall() throws Exception {
        CountDownLatch isOver = new CountDownLatch(1);
        ends.add(isOver::countDown);
        ExecutorService pool = pool(Executors.newFixedThreadPool(2));
        pool.submit(() -> 1).get();
        pool.submit(() -> {
            isOver.await();
            return 1;
        });
        assertThat(mayCall(1)).isOne();
    }

    @Test
    void aTaskThatIsDueLaterMayCall() throws Exception {
        ScheduledExecutorService pool = pool(Executors.newScheduledThreadPool(2));
        pool.submit(() -> 1).get();
        pool.submit(() -> 1).get();
        pool.schedule(() -> 1, 1, TimeUnit.HOURS);
        assertThat(mayCall(1)).isOne();
    }

    @Test
    void aTimerMayCallWhileItHasATask() {
        Timer timer = new Timer(true);
        ends.add(timer::cancel);
        assertThat(mayCall(0)).isZero();
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {}
                },
                TimeUnit.HOURS.toMillis(1));
        assertThat(mayCall(1)).isOne();
    }

    @Test
    void terminatedVirtualThreadsMakeNoCalls() throws Exception {
        Thread.ofVirtual().start(() -> {}).join();
        assertThat(mayCall(0)).isZero();
    }

    @Test
    void aFactorysOwnCodeMayCall() throws Exception {
        pool(Executors.newFixedThreadPool(
                        1,
                        work -> new Thread(() -> {
                            work.run();
                            assertThat(others).isNotNull(); // this represents program code, which could make a call
                        })))
                .submit(() -> 1)
                .get();
        assertThat(mayCall(1)).isOne();
    }

    @Test
    void workersThatHandATaskToEachOtherAreNeverIdle() {
        ExecutorService a = pool(Executors.newSingleThreadExecutor()), b = pool(Executors.newSingleThreadExecutor());
        a.execute(() -> hand(a, b));
        for (int round = 0; round < 200; round++) {
            assertThat(mayCall()).as("round %s", round).isPositive();
        }
    }

    private static void hand(ExecutorService me, ExecutorService next) {
        if (!next.isShutdown() && !me.isShutdown()) next.execute(() -> hand(next, me));
    }

    @Test
    void withoutProcessorTimesNothingIsIdle() throws Exception {
        pool(Executors.newFixedThreadPool(1)).submit(() -> 1).get();
        OtherThreads blind = new OtherThreads(t -> 0);
        for (int round = 0; round < 10; round++)
            assertThat(blind.mayCall(isKnown, t -> false)).hasSize(1);
    }
}
