package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class GlooStallsTest {
    private static final Duration STALL = Duration.ofMillis(40), TIMEOUT = Duration.ofMinutes(10);

    private static final class Memory implements GlooStalls.PublishedWaits {
        private final Map<Integer, Long> waits = new ConcurrentHashMap<>();

        @Override
        public void publish(int rank, long wait) {
            waits.put(rank, wait);
        }

        @Override
        public long published(int rank) {
            return waits.getOrDefault(rank, 0L);
        }
    }

    private final Memory shared = new Memory();
    private final BlockingQueue<String> reports = new LinkedBlockingQueue<>();

    private GlooStalls of(int rank) {
        return new GlooStalls(shared, rank, List.of("a", "a", "b"), STALL, TIMEOUT, reports::add);
    }

    @Test
    void theLowestWaitingRankNamesTheOneThatIsMissing() throws Exception {
        try (GlooStalls first = of(0);
                GlooStalls second = of(1);
                GlooStalls third = of(2)) {
            third.begin("barrier"); // an earlier wait, which has ended
            third.end();
            first.begin("barrier");
            first.end();
            second.begin("barrier");
            second.end();
            first.begin("allreduce");
            second.begin("allreduce");
            assertThat(reports.poll(1, TimeUnit.MINUTES))
                    .matches("tutti: stall: ranks 0, 1 have been waiting for \\d+ s in allreduce at"
                            + " GlooStallsTest.java:\\d+: rank 2 \\(b\\) has not called it; over gloo the wait ends"
                            + " after 600 s|tutti: stall: rank . has been waiting .*"); // a rank may be slow
            first.end();
            second.end();
        }
    }

    @Test
    void aShortWaitIsNotReported() throws Exception {
        try (GlooStalls first = of(0)) {
            for (int k = 0; k < 20; k++) {
                first.begin("allreduce");
                first.end();
                Thread.sleep(5);
            }
        }
        assertThat(reports).isEmpty();
        assertThat(shared.published(0)).isZero();
    }

    @Test
    void theTimeIsThatOfTheLauncher() {
        assertThat(GlooStalls.time(null)).isEqualTo(Duration.ofSeconds(10));
        assertThat(GlooStalls.time("2.5")).isEqualTo(Duration.ofMillis(2500));
        assertThat(GlooStalls.time("0")).isEqualTo(Duration.ZERO);
    }
}
