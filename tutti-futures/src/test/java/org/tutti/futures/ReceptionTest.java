package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Threads that wait for results receive answers themselves.
@Timeout(value = 120)
class ReceptionTest {
    private static final int ROUNDS = 2_000;

    @Test
    void whatGetHasReturnedIsTheFuturesResultAtOnce() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            for (int i = 0; i < ROUNDS; i++) {
                RankFuture<Integer> f = pool.submit(x -> x, i);
                assertThat(f.get()).isEqualTo(i);
                assertThat(f.isDone()).isTrue();
                assertThat(f.state()).isEqualTo(Future.State.SUCCESS);
                assertThat(f.resultNow()).isEqualTo(i);
                assertThat(f.getNow(-1)).isEqualTo(i);
                assertThat(f.get(0, TimeUnit.SECONDS)).isEqualTo(i);
                assertThat(f.complete(-1)).isFalse();
                assertThat(f.completeExceptionally(new IllegalStateException())).isFalse();
                assertThat(f.cancel(true)).isFalse();
                assertThat(f.completeAsync(() -> -1, Runnable::run).join()).isEqualTo(i);
            }
        }
    }

    /// Those that `get` itself runs, as any `CompletableFuture` does, are on the thread that called it.
    @Test
    void dependentsRunOnNoThreadOfThePool() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            Thread me = Thread.currentThread();
            for (int i = 0; i < ROUNDS; i++) {
                RankFuture<Integer> f = pool.submit(x -> x, i);
                CompletableFuture<Thread> ranOn = CompletableFuture.allOf(f).thenApply(_ -> Thread.currentThread());
                f.get();
                Thread thread = ranOn.join();
                assertThat(thread == me || thread.isVirtual()).as("%s", thread).isTrue();
            }
        }
    }

    @Test
    void ofTheAnswerAndAnotherEndOneCounts() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            for (int i = 0; i < ROUNDS; i++) {
                RankFuture<Integer> f = pool.submit(x -> x, 1);
                int way = i % 3;
                Thread other = Thread.ofPlatform().start(() -> {
                    if (way == 0) f.complete(2);
                    else if (way == 1) f.cancel(true);
                    else f.obtrudeValue(3);
                });
                int got;
                try {
                    got = f.get();
                } catch (CancellationException e) {
                    got = 0;
                }
                other.join();
                if (way == 0) assertThat(f.get()).isEqualTo(got).isBetween(1, 2);
                else if (way == 1 && got == 1) assertThat(f.get()).isEqualTo(1);
                else if (way == 1) assertThat(f.isCancelled()).isTrue();
                else assertThat(f.get()).isEqualTo(3);
            }
            pool.awaitAll();
        }
    }

    @Test
    void severalThreadsWaitAtOnce() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            AtomicInteger right = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int base = t * ROUNDS;
                threads.add((t == 0 ? Thread.ofVirtual() : Thread.ofPlatform()).start(() -> {
                    for (int i = base; i < base + ROUNDS; i++) {
                        if (pool.submit(x -> x, i).join() == i) right.incrementAndGet();
                    }
                }));
            }
            assertThat(pool.chunk(1).map(x -> x, IntStream.range(0, ROUNDS)).toList())
                    .hasSize(ROUNDS);
            for (Thread t : threads) t.join();
            assertThat(right.get()).isEqualTo(4 * ROUNDS);
        }
    }

    /// The pool's own thread has left answers to somebody who now does something else.
    @Test
    void whoDoesNotWaitGetsItsAnswers() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            for (int i = 0; i < ROUNDS; i++) {
                pool.submit(x -> x, i).get();
                if (i % 10 != 0) continue;
                CountDownLatch came = new CountDownLatch(1);
                pool.submit(x -> x, i).thenRun(came::countDown);
                came.await();
            }
        }
    }

    @Test
    void getIsInterrupted() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            RankFuture<Integer> f = pool.submit(
                    x -> {
                        while (!CurrentTask.cancelled()) Thread.onSpinWait();
                        return x;
                    },
                    1);
            Thread.currentThread().interrupt();
            assertThatThrownBy(f::get).isInstanceOf(InterruptedException.class);
            f.cancel(true);
        }
    }
}
