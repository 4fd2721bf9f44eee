package org.tutti.train;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Prints a line if a tensor library is still being loaded after a while. The first start unpacks hundreds of
/// megabytes; without the line, a training on a busy machine would be silent for a minute.
final class LoadingNotice {
    /// Longer than a normal start, which takes 1.6 s.
    static final Duration DELAY = Duration.ofSeconds(2);

    private LoadingNotice() {}

    /// Runs `load`. If it has not ended after `delay`, a different thread prints the line.
    static void during(Runnable load, String library, Duration delay, Consumer<String> print) {
        CountDownLatch loaded = new CountDownLatch(1);
        Thread.ofPlatform().daemon().name("tutti-loading").start(() -> {
            try {
                if (loaded.await(delay.toMillis(), TimeUnit.MILLISECONDS)) return;
                print.accept("tutti: loading " + library
                        + "; the first start, or a start on a busy machine, takes up to a minute");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            load.run();
        } finally {
            loaded.countDown();
        }
    }
}
