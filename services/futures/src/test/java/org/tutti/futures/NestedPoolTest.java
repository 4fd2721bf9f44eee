package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A task can submit tasks to a different pool, but not to a pool in which a task waits for it.
@Timeout(value = 30)
class NestedPoolTest {
    private static RankPool outer;
    private static RankPool inner;

    private static int sumOfSquares(int n) {
        try (RankPool own = RankPool.threads(2)) {
            int sum = own.map(x -> x * x, IntStream.range(0, n)).stream()
                    .mapToInt(x -> x)
                    .sum();
            own.share(new int[1]).close();
            return sum + own.submit(() -> 0).join();
        }
    }

    @Test
    void aTaskMayOpenAPoolAndGiveItTasks() {
        try (RankPool pool = RankPool.threads(2)) {
            assertThat(pool.map(n -> sumOfSquares(n), List.of(1, 2, 3)).toList())
                    .containsExactly(0, 1, 5);
        }
    }

    @Test
    void aTaskMayUseAPoolThatAnotherOneUsesToo() {
        try (RankPool a = RankPool.threads(2);
                RankPool b = RankPool.threads(1)) {
            inner = b;
            assertThat(a.map(n -> inner.submit(m -> m + 1, n).get(), IntStream.range(0, 20))
                            .toList())
                    .isEqualTo(IntStream.range(1, 21).boxed().toList());
        }
    }

    @Test
    void aTaskGivesNoTasksToAPoolThatWaitsForIt() {
        String text = "submit: called by a task, which would wait for a worker that is waiting for the task";
        try (RankPool a = RankPool.threads(1);
                RankPool b = RankPool.threads(1)) {
            outer = a;
            inner = b;
            assertThatThrownBy(() -> a.submit(() -> outer.submit(() -> 1).get()).get())
                    .hasMessageContaining(text);
            assertThatThrownBy(() -> a.submit(() -> inner.submit(
                                            () -> outer.submit(() -> 1).get())
                                    .get())
                            .get())
                    .hasMessageContaining(text);
        }
    }

    @Test
    void aTaskDoesNotCaptureAPool() {
        String text =
                "submit: the function uses a pool (RankPool), and a task cannot submit tasks to it; return the results"
                        + " and submit the new tasks where the pool was opened (RankPool.completionService), or open"
                        + " RankPool.threads(n) in the task";
        try (RankPool pool = RankPool.threads(1)) {
            assertThatThrownBy(() -> pool.submit(x -> pool.submit(y -> y, x).get(), 1))
                    .isInstanceOf(TaskRefusedException.class)
                    .hasMessageStartingWith(text);
            RankCompletionService<Integer> open = pool.completionService();
            assertThatThrownBy(() -> pool.submit(x -> open.submit(y -> y, x).get(), 1))
                    .hasMessageContaining("uses a pool (RankCompletionService)");
        }
    }

    @Test
    void aTaskThatServesAnotherPoolIsATaskAgainAfterwards() {
        try (RankPool pool = RankPool.threads(2)) {
            List<String> all = pool.callOnAll(
                    (workers, base) -> {
                        Integer sum = RankPool.call(
                                workers, 0, own -> own.submit(x -> x + 1, base).get());
                        return sum + " " + CurrentTask.number();
                    },
                    41);
            assertThat(all).containsExactly("42 0", "null 1");
        }
    }
}
