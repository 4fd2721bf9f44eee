package org.tutti.junit;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// At the time limit, interrupts the thread that runs a test. When this thread is interrupted while it waits for
/// the ranks, it ends the ranks.
final class TimeLimit implements AutoCloseable {
    private final Thread test = Thread.currentThread();
    private final @Nullable Thread watch;
    private final Runnable before;
    private boolean closed;
    private boolean over;

    /// @param seconds 0 for no limit
    /// @param before runs at the limit, before the interrupt, while each rank is still at the position at which
    ///     the limit was reached
    TimeLimit(int seconds, Runnable before) {
        this.before = before;
        watch = seconds == 0 || isDebugged()
                ? null
                : Thread.ofPlatform()
                        .daemon()
                        .name("tutti-junit-limit")
                        .start(() -> await(Duration.ofSeconds(seconds)));
    }

    private void await(Duration limit) {
        try {
            Thread.sleep(limit);
        } catch (InterruptedException e) {
            return; // the limit was closed
        }
        end();
    }

    private synchronized void end() {
        if (closed) return;
        before.run();
        over = true;
        test.interrupt();
    }

    /// Returns whether this JVM was started for a debugger, which may stop the ranks for any time.
    private static boolean isDebugged() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .anyMatch(o -> o.startsWith("-agentlib:jdwp") || o.startsWith("-Xrunjdwp"));
    }

    /// Returns whether the limit was exceeded, and clears the interrupt that it caused.
    synchronized boolean isOver() {
        if (over) Thread.interrupted();
        return over;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (watch != null) watch.interrupt();
    }
}
