package org.tutti.futures;

import org.jspecify.annotations.Nullable;

/// Result of sending a shared value. Sending a value that cannot be encoded fails immediately. If a worker
/// cannot decode it, the tasks that need the value report the error.
final class ShareEnd implements TaskBatch.Sink {
    @Nullable
    RuntimeException failure;

    TaskBatch batch(int kind, long id, @Nullable Object value) {
        return new TaskBatch(new PoolJob(kind, id, null, 0, 0, false, new long[0], "share", "", null), this, 0, value);
    }

    @Override
    public void done(long task, @Nullable Object value) {}

    @Override
    public void failed(long task, RuntimeException why) {
        failure = why;
    }

    @Override
    public void cancelled(long task) {}
}
