package org.tutti.futures;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How tasks are given.
///
/// @param chunk tasks in a message; 0 for what pays
/// @param window tasks under way or not taken; 0 for what pays
/// @param idempotent whether tasks may run twice
/// @param progress what the lines on stderr call the tasks; null for none
record Options(
        long seed,
        int chunk,
        int window,
        boolean unordered,
        long timeoutNanos,
        boolean idempotent,
        @Nullable String progress) {
    static Options usual(long seed) {
        return new Options(seed, 0, 0, false, 0, false, null);
    }

    Options seed(long value) {
        return new Options(value, chunk, window, unordered, timeoutNanos, idempotent, progress);
    }

    Options chunk(int tasks) {
        if (tasks < 1) throw new IllegalArgumentException("chunk: tasks=" + tasks + " is less than 1");
        return new Options(seed, tasks, window, unordered, timeoutNanos, idempotent, progress);
    }

    Options window(int tasks) {
        if (tasks < 1) throw new IllegalArgumentException("window: tasks=" + tasks + " is less than 1");
        return new Options(seed, chunk, tasks, unordered, timeoutNanos, idempotent, progress);
    }

    Options inAnyOrder() {
        return new Options(seed, chunk, window, true, timeoutNanos, idempotent, progress);
    }

    Options inOrderOneByOne() {
        return new Options(seed, 1, window, false, timeoutNanos, idempotent, progress);
    }

    Options timeout(Duration limit) {
        if (limit.isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("timeout: limit=" + limit + " is no time that a task could take");
        }
        return new Options(seed, chunk, window, unordered, limit.toNanos(), idempotent, progress);
    }

    Options mayRunTwice() {
        return new Options(seed, chunk, window, unordered, timeoutNanos, true, progress);
    }

    Options progress(String what) {
        return new Options(seed, chunk, window, unordered, timeoutNanos, idempotent, what);
    }
}
