package org.tutti.mpi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.engine.ProgressThread;
import org.tutti.spi.Activity;

/// A request that the progress thread looks after. Whoever waits for it himself meanwhile claims it; the
/// stage is completed by the progress thread either way, and never under a lock.
final class Stage implements ProgressThread.Task {
    private final Request request;
    private final CompletableFuture<Status> future = new CompletableFuture<>();

    // under the monitor

    /// Somebody waits for it.
    private boolean claimed;

    /// What it ended with, a [Status] or a [Throwable]; from then on the request is not looked
    /// at any more, because it may have been started again.
    private @Nullable Object outcome;

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

    /// The request has ended so, and is about to be started again.
    synchronized void keep(@Nullable Object ended) {
        if (outcome == null) outcome = ended;
    }

    @Override
    public synchronized boolean look() {
        if (outcome != null) return true;
        if (claimed || !request.lookNow()) return false;
        outcome = request.outcome();
        return true;
    }

    @Override
    public void fail(Throwable why) {
        keep(why);
    }

    @Override
    public void tell() {
        switch (ended()) {
            case Status status -> future.complete(status);
            case Throwable why -> future.completeExceptionally(why);
            case null, default -> throw new IllegalStateException("a stage that ended without its request");
        }
    }

    private synchronized @Nullable Object ended() {
        return outcome;
    }
}
