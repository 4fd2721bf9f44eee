package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoadingNoticeTest {
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

    @Test
    void aSlowLoadIsReported() {
        LoadingNotice.during(
                () -> {
                    try {
                        assertThat(lines.poll(60, TimeUnit.SECONDS))
                                .isEqualTo("tutti: loading libtorch; the first start, or a start on a busy machine,"
                                        + " takes up to a minute");
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                "libtorch",
                Duration.ofMillis(1),
                lines::add);
        assertThat(lines).isEmpty();
    }

    @Test
    void aFastOrFailedLoadIsNot() throws InterruptedException {
        Duration delay = Duration.ofMillis(300);
        LoadingNotice.during(() -> {}, "libtorch", delay, lines::add);
        assertThatThrownBy(() -> LoadingNotice.during(
                        () -> {
                            throw new TrainingException("missing");
                        },
                        "libtorch",
                        delay,
                        lines::add))
                .hasMessage("missing");
        Thread.sleep(2 * delay.toMillis());
        assertThat(lines).isEmpty();
    }
}
