package org.tutti.mpi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.spi.Activity;

/// A request that the progress thread looks after. Whoever waits for it himself meanwhile claims it; the
/// stage is completed by the progress thread either way, and never under a lock.
final class Stage implements ProgressThread.Task {
    private final Request request;
    private final CompletableFuture<Status> future = new CompletableFuture<>();

    /// Somebody waits for it; under the monitor.
    private boolean claimed;

    private @Nullable RuntimeException failure;

    Stage(Request request) {
        this.request = request;
    }

    CompletionStage<Status> stage() {
        return future.minimalCompletionStage();
    }

    /// From now on, until [#release], only the caller touches the request. What is under way.
    synchronized @Nullable Activity claim() {
        Activity a = request.awaited();
        claimed = a != null;
        return a;
    }

    synchronized void release() {
        claimed = false;
    }

    /// For test and the like.
    synchronized boolean lookNow() {
        return request.lookNow();
    }

    synchronized boolean isFinished() {
        return request.isOver();
    }

    @Override
    public synchronized boolean look() {
        return !claimed && request.lookNow();
    }

    @Override
    public void fail(RuntimeException why) {
        failure = why;
    }

    @Override
    public void tell() {
        RuntimeException why = failure == null ? request.failure() : failure;
        if (why == null) future.complete(request.status());
        else future.completeExceptionally(why);
    }
}
