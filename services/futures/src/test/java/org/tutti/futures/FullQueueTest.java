package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// If the queue is full, a thread that submits a task waits, and continues when a queued task starts.
@Tag("ci")
class FullQueueTest {
    private static final int TASKS = 70_000, MOST_QUEUED = 1 << 16;
    private static final Semaphore PERMITS = new Semaphore(0);

    private static int permitted(int n) throws InterruptedException {
        PERMITS.acquire();
        return n;
    }

    @Test
    @Timeout(100)
    void submitContinuesWhenTheNextTaskStarts() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            AtomicInteger given = new AtomicInteger();
            Thread submitter = Thread.ofPlatform().daemon().start(() -> {
                for (int i = 0; i < TASKS; i++) {
                    pool.submit(n -> permitted(n), i);
                    given.incrementAndGet();
                }
            });
            while (given.get() < MOST_QUEUED || submitter.getState() != Thread.State.TIMED_WAITING) Thread.sleep(1);
            int full = given.get();
            assertThat(full).isLessThan(TASKS);
            PERMITS.release();
            while (given.get() == full) Thread.sleep(1);
            PERMITS.release(TASKS);
            submitter.join();
            pool.awaitAll();
            assertThat(given).hasValue(TASKS);
        }
    }
}
