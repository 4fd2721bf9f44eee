package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Polling and sleeping threads that wait for the same result, and dependent stages: each is notified.
@Timeout(60)
class RankFutureTest {
    private static final int TASKS = 3000;

    @Test
    void allWaitingThreadsGetTheResult() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            for (int i = 0; i < TASKS; i++) {
                RankFuture<Integer> future = pool.submit(x -> x + 1, i);
                FutureTask<Integer> other = new FutureTask<>(future::get);
                if (i % 10 == 0) Thread.ofPlatform().start(other);
                else if (i % 10 == 1) Thread.startVirtualThread(other);
                CompletableFuture<Thread> dependent =
                        i % 3 == 0 ? future.thenApply(_ -> Thread.currentThread()) : new CompletableFuture<>();
                assertThat(i % 2 == 0 ? future.join() : future.get()).isEqualTo(i + 1);
                assertThat(future.isDone()).isTrue();
                assertThat(future.resultNow()).isEqualTo(i + 1);
                future.onEnd().toCompletableFuture().get();
                if (i % 10 < 2) assertThat(other.get()).isEqualTo(i + 1);
                if (i % 3 == 0) assertThat(dependent.get().getName()).isNotEqualTo("tutti-pool");
            }
        }
    }

    /// Tests time limits shorter and longer than the polling phase of a wait.
    @Test
    void aTimeIsKeptHoweverShort() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            RankFuture<Integer> future = pool.submit(RankFutureTest::sleep, 100_000);
            for (long nanos : new long[] {-1, 0, 1, 50_000, 5_000_000}) {
                assertThatThrownBy(() -> future.get(nanos, TimeUnit.NANOSECONDS))
                        .isInstanceOf(TimeoutException.class);
            }
            future.cancel(true);
            assertThatThrownBy(future::join).isInstanceOf(CancellationException.class);
            future.onEnd().toCompletableFuture().get();
        }
    }

    private static int sleep(int millis) throws InterruptedException {
        Thread.sleep(millis);
        return millis;
    }

    /// A thread waits while a second thread cancels.
    @Test
    void waitingThreadsAreNotifiedOfACancel() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            for (int i = 0; i < 300; i++) {
                RankFuture<Integer> future = pool.submit(x -> x, i);
                Thread canceller = Thread.ofPlatform().start(() -> future.cancel(true));
                List<Object> heard = new ArrayList<>();
                try {
                    heard.add(future.get());
                } catch (CancellationException e) {
                    heard.add(e);
                }
                canceller.join();
                assertThat(heard).hasSize(1);
                future.onEnd().toCompletableFuture().get();
            }
        }
    }

    @Test
    void aWaitingThreadIsInterruptible() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            RankFuture<Integer> future = pool.submit(RankFutureTest::sleep, 100_000);
            Thread.currentThread().interrupt();
            assertThatThrownBy(future::get).isInstanceOf(InterruptedException.class);
            future.cancel(true);
            RankFuture<Integer> failed = pool.submit(x -> 1 / x, 0);
            assertThatThrownBy(failed::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(TaskFailedException.class);
        }
    }
}
