package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Reports of running tasks, the actual end of cancelled tasks, and functions that capture functions.
class TaskReportTest {
    private static final int HANG_SECONDS = 100;

    private static int talk(int n) {
        for (int i = 0; i < n; i++) CurrentTask.report("line " + i);
        return n;
    }

    @Test
    void reportsArriveInOrderBeforeTheResult() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            List<String> heard = Collections.synchronizedList(new ArrayList<>());
            RankFuture<Integer> task =
                    pool.submit(n -> talk(n), 1000, (text, rank) -> heard.add(rank >= 1 ? text : "no rank"));
            assertThat(task.get()).isEqualTo(1000);
            assertThat(heard)
                    .isEqualTo(
                            IntStream.range(0, 1000).mapToObj(i -> "line " + i).toList());
            assertThat(pool.submit(n -> talk(n), 3).get()).isEqualTo(3);
            assertThat(pool.map(n -> talk(n), List.of(2, 3)).toList()).containsExactly(2, 3);
        }
        assertThatThrownBy(() -> CurrentTask.report("x")).hasMessageStartingWith("report: this thread runs no task");
    }

    @Test
    void aFailingReportHandlerDoesNotEndThePool() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            List<Throwable> uncaught = Collections.synchronizedList(new ArrayList<>());
            Thread.setDefaultUncaughtExceptionHandler((_, e) -> uncaught.add(e));
            RankFuture<Integer> task = pool.submit(n -> talk(n), 2, (text, _) -> {
                if (text.equals("line 0")) throw new IllegalStateException(text);
                throw new AssertionError(text);
            });
            assertThat(task.get()).isEqualTo(2);
            assertThat(uncaught).extracting(Throwable::getMessage).containsExactly("line 0", "line 1");
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(null);
        }
    }

    private static int talkOn() {
        while (!CurrentTask.isCancelled()) {
            CurrentTask.report("");
            LockSupport.parkNanos(200_000);
        }
        return 0;
    }

    @Test
    @Timeout(HANG_SECONDS)
    void aTaskThatReportsWithoutEndHoldsNoResultBack() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            CountDownLatch started = new CountDownLatch(1);
            RankFuture<Integer> talker = pool.submit(_ -> talkOn(), 0, (_, _) -> {
                started.countDown();
                LockSupport.parkNanos(1_000_000); // so that a further report is always queued
            });
            assertThat(started.await(HANG_SECONDS, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 3; i++) {
                assertThat(pool.map(x -> x + 1, List.of(i)).toList()).containsExactly(i + 1);
            }
            talker.cancel(true);
        }
    }

    private static int stubborn(int millis) {
        CurrentTask.report("begun");
        long end = System.nanoTime() + millis * 1_000_000L;
        while (System.nanoTime() < end) Thread.onSpinWait();
        return millis;
    }

    @Test
    void onEndOfACancelledTaskWaitsForItsWorker() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            CountDownLatch started = new CountDownLatch(1), ended = new CountDownLatch(1);
            RankFuture<Integer> task = pool.submit(n -> stubborn(n), 300, (_, _) -> started.countDown());
            assertThat(started.await(HANG_SECONDS, TimeUnit.SECONDS)).isTrue();
            task.onEnd().thenRun(ended::countDown);
            assertThat(task.cancel(true)).isTrue();
            assertThat(ended.getCount()).isOne();
            assertThatThrownBy(task::get).isInstanceOf(CancellationException.class);
            assertThat(ended.await(HANG_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aFunctionCapturesFunctions() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            SharedValue<int[]> table = pool.share(new int[] {10, 20, 30});
            RankFunction<Integer, Integer> inspect = i -> table.get()[i];
            RankFunction<Integer, Integer> twice = i -> 2 * inspect.apply(i);
            Object[] values = {"a", null};
            assertThat(pool.map(i -> twice.apply(i) + 1 + values.length, IntStream.range(0, 3))
                            .toList())
                    .containsExactly(23, 43, 63);
            RankFunction<Integer, Object> noLambda = new RankFunction<>() {
                @Override
                public Object apply(Integer x) {
                    return x;
                }
            };
            assertThatThrownBy(() -> pool.submit(i -> noLambda.apply(i), 1))
                    .isInstanceOf(TaskRefusedException.class)
                    .hasMessageContaining("is not a lambda, a method reference or a record");
        }
    }
}
