package org.tutti.futures;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Options of a submission.
///
/// @param chunk number of tasks in a message; 0 for automatic
/// @param window maximum number of unfinished tasks and unread results; 0 for automatic
/// @param idempotent whether tasks may run twice
/// @param progress name of the tasks in the progress lines on stderr; null for no such lines
record TaskOptions(
        long seed,
        int chunk,
        int window,
        boolean unordered,
        long timeoutNanos,
        boolean idempotent,
        @Nullable String progress) {
    private static final Duration LONGEST = Duration.ofDays(36_500);

    static TaskOptions defaults(long seed) {
        return new TaskOptions(seed, 0, 0, false, 0, false, null);
    }

    TaskOptions seed(long value) {
        return new TaskOptions(value, chunk, window, unordered, timeoutNanos, idempotent, progress);
    }

    TaskOptions chunk(int tasks) {
        if (tasks < 1) throw new IllegalArgumentException("withChunkSize: tasks=" + tasks + " is less than 1");
        return new TaskOptions(seed, tasks, window, unordered, timeoutNanos, idempotent, progress);
    }

    TaskOptions window(int tasks) {
        if (tasks < 1) throw new IllegalArgumentException("withWindow: tasks=" + tasks + " is less than 1");
        return new TaskOptions(seed, chunk, tasks, unordered, timeoutNanos, idempotent, progress);
    }

    TaskOptions inAnyOrder() {
        return new TaskOptions(seed, chunk, window, true, timeoutNanos, idempotent, progress);
    }

    TaskOptions inOrderOneByOne() {
        return new TaskOptions(seed, 1, window, false, timeoutNanos, idempotent, progress);
    }

    TaskOptions timeout(Duration limit) {
        Objects.requireNonNull(limit, "withTimeout: the limit is null");
        if (limit.isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("withTimeout: limit=" + limit + " is not a valid time for a task");
        }
        // System.nanoTime() plus the limit must fit into a long
        Duration capped = limit.compareTo(LONGEST) < 0 ? limit : LONGEST;
        return new TaskOptions(seed, chunk, window, unordered, capped.toNanos(), idempotent, progress);
    }

    TaskOptions mayRunTwice() {
        return new TaskOptions(seed, chunk, window, unordered, timeoutNanos, true, progress);
    }

    TaskOptions progress(String label) {
        return new TaskOptions(seed, chunk, window, unordered, timeoutNanos, idempotent, label);
    }
}
