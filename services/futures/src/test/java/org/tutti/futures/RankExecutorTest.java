package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class RankExecutorTest {
    record Square(int n) implements RankCallable<Integer> {
        @Override
        public Integer call() {
            if (n < 0) throw new IllegalArgumentException(n + " is negative");
            return n * n;
        }
    }

    record Sleep(long millis) implements RankCallable<Integer> {
        @Override
        public Integer call() throws InterruptedException {
            Thread.sleep(millis);
            return 0;
        }
    }

    @Test
    void aLambdaOfItsOwnSubmitIsATask() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            int k = 6;
            assertThat(pool.asExecutorService().submit(() -> 7 * k).get()).isEqualTo(42);
            ExecutorService any = pool.asExecutorService();
            assertThat(any.submit((RankCallable<Integer>) () -> 7 * k).get()).isEqualTo(42);
            assertThat(any.submit(new Square(3)).get()).isEqualTo(9);
            assertThatThrownBy(() -> any.submit(new Square(-3)).get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(TaskFailedException.class);
        }
    }

    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // the call throws
    void tasksOfThisProcessOnlyAreRefused() {
        try (RankPool pool = RankPool.threads(1)) {
            ExecutorService any = pool.asExecutorService();
            Callable<Integer> plain = () -> 42;
            assertThatThrownBy(() -> any.submit(plain))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasCauseInstanceOf(TaskRefusedException.class)
                    .hasMessageStartingWith(
                            "submit: a Callable of this process, which other ranks cannot resolve; pass a"
                                    + " RankCallable, as in submit((RankCallable<Integer>) () -> 42)");
            assertThatThrownBy(() -> any.execute(() -> {}))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageStartingWith("execute: a Runnable of this process");
            assertThatThrownBy(() -> CompletableFuture.supplyAsync(() -> 42, any))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThatThrownBy(() -> any.invokeAll(List.of(new Square(1), plain)))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageStartingWith("invokeAll: ");
        }
    }

    @Test
    void invokeAllWaitsForAllAndCancelsAtTheTimeout() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            ExecutorService any = pool.asExecutorService();
            List<Integer> squares = new ArrayList<>();
            for (Future<Integer> f : any.invokeAll(List.of(new Square(1), new Square(2), new Square(3)))) {
                assertThat(f.isDone()).isTrue();
                squares.add(f.get());
            }
            assertThat(squares).containsExactly(1, 4, 9);
            List<Future<Integer>> late = any.invokeAll(List.of(new Sleep(Long.MAX_VALUE)), 50, TimeUnit.MILLISECONDS);
            assertThat(late.getFirst().isCancelled()).isTrue();
            assertThatThrownBy(() -> late.getFirst().get()).isInstanceOf(CancellationException.class);
            assertThat(any.submit(new Square(5)).get()).isEqualTo(25);
        }
    }

    @Test
    void invokeAnyReturnsTheFirstSuccess() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            ExecutorService any = pool.asExecutorService();
            assertThat(any.invokeAny(List.of(new Square(-1), new Square(2), new Square(-3))))
                    .isEqualTo(4);
            assertThatThrownBy(() -> any.invokeAny(List.of(new Square(-1), new Square(-2))))
                    .isInstanceOf(ExecutionException.class);
            assertThatThrownBy(() -> any.invokeAny(List.of(new Sleep(Long.MAX_VALUE)), 50, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            assertThatThrownBy(() -> any.invokeAny(List.<Square>of())).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void shutDownItTakesNoMoreAndThePoolGoesOn() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            ExecutorService any = pool.asExecutorService();
            Future<Integer> running = any.submit(new Sleep(100));
            any.shutdown();
            assertThatThrownBy(() -> any.submit(new Square(1))).isInstanceOf(RejectedExecutionException.class);
            assertThat(any.awaitTermination(100, TimeUnit.SECONDS)).isTrue();
            assertThat(any.isTerminated()).isTrue();
            assertThat(running.get()).isZero();
            ExecutorService other = pool.asExecutorService();
            Future<Integer> endless = other.submit(new Sleep(Long.MAX_VALUE));
            assertThat(other.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(other.shutdownNow()).isEmpty();
            assertThat(endless.isCancelled()).isTrue();
            assertThat(other.awaitTermination(100, TimeUnit.SECONDS)).isTrue();
            assertThat(pool.submit(new Square(2)).get()).isEqualTo(4);
        }
    }

    @Test
    void anIdempotentTaskRunsOnce() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            assertThat(pool.idempotent().map(x -> x * x, List.of(1, 2)).toList())
                    .containsExactly(1, 4);
            int sum = pool.idempotent().reduce(x -> x, List.of(1, 2), (a, b) -> a + b);
            assertThat(sum).isEqualTo(3);
        }
    }

    /// After termination, every accepted task has ended.
    @Test
    void aTaskThatMeetsTheShutdownIsRefusedOrCancelled() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            for (int i = 0; i < 100; i++) {
                RankExecutor executor = pool.asExecutorService();
                CyclicBarrier start = new CyclicBarrier(2);
                CompletableFuture<RankFuture<Integer>> given = new CompletableFuture<>();
                Thread giver = Thread.ofPlatform().start(() -> {
                    try {
                        start.await();
                        given.complete(executor.submit(new Sleep(20_000)));
                    } catch (Exception e) {
                        given.completeExceptionally(e);
                    }
                });
                start.await();
                for (int spin = i % 40 * 50; spin > 0; spin--) Thread.onSpinWait();
                executor.shutdownNow();
                assertThat(executor.awaitTermination(15, TimeUnit.SECONDS)).isTrue();
                giver.join();
                if (given.isCompletedExceptionally()) {
                    assertThatThrownBy(given::get).hasCauseInstanceOf(RejectedExecutionException.class);
                } else {
                    assertThat(given.get().isDone())
                            .as("round %d: the executor has ended", i)
                            .isTrue();
                }
            }
        }
    }
}
