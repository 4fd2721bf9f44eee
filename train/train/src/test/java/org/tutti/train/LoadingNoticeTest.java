package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoadingNoticeTest {
    @Test
    void aSlowLoadIsReportedOnce() throws InterruptedException {
        LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
        try (LoadingNotice notice = LoadingNotice.after(Duration.ofMillis(1), "libtorch", lines::add)) {
            assertThat(lines.poll(60, TimeUnit.SECONDS))
                    .isEqualTo("tutti: loading libtorch; the first start, or a start on a busy machine, takes up to a"
                            + " minute");
        }
        assertThat(lines).isEmpty();
    }

    @Test
    void aFastLoadIsNot() throws InterruptedException {
        LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
        LoadingNotice.after(Duration.ofMinutes(10), "libtorch", lines::add).close();
        Thread ended = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("tutti-loading"))
                .findFirst()
                .orElse(Thread.currentThread());
        if (ended != Thread.currentThread()) ended.join(60_000);
        assertThat(lines).isEmpty();
    }
}
