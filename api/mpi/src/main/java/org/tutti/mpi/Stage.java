package org.tutti.mpi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.engine.ProgressThread;
import org.tutti.spi.Activity;

/// A request that the progress thread tests. A thread that waits for the request claims it for the duration of
/// the wait. The stage is never completed under a lock. It is completed by the progress thread; if the request
/// is complete when `toStage` is called, by the caller of `toStage`; and if the request is pending when the
/// [Mpi] is closed, by the thread that closes the [Mpi].
final class Stage implements ProgressThread.Task {
    private final Request request;
    private final CompletableFuture<Status> future = new CompletableFuture<>();

    // the following fields are guarded by the monitor of this object

    /// Whether a thread is waiting for the request.
    private boolean claimed;

    /// The result, a [Status] or a [Throwable]. Once it is set, the request is not tested any more, because it
    /// may have been started again.
    private @Nullable Object outcome;

    Stage(Request request) {
        this.request = request;
    }

    CompletionStage<Status> stage() {
        return future.minimalCompletionStage();
    }

    /// Reserves the request for the caller until [#release]. Returns the current activity.
    synchronized @Nullable Activity claim() {
        Activity a = request.awaited();
        claimed = a != null;
        return a;
    }

    synchronized void release() {
        claimed = false;
    }

    /// Polls the request, for `test` and similar methods.
    synchronized boolean pollNow() {
        return request.pollNow();
    }

    synchronized boolean isFinished() {
        return request.isOver();
    }

    /// Stores the result of the request, which is about to be started again.
    synchronized void keep(@Nullable Object ended) {
        if (outcome == null) outcome = ended;
    }

    @Override
    public synchronized boolean poll() {
        if (outcome != null) return true;
        if (claimed || !request.pollNow()) return false;
        outcome = request.outcome();
        return true;
    }

    @Override
    public void fail(Throwable why) {
        keep(why);
    }

    @Override
    public void notifyCompletion() {
        switch (ended()) {
            case Status status -> future.complete(status);
            case Throwable why -> future.completeExceptionally(why);
            case null, default -> throw new IllegalStateException("a stage ended without a request");
        }
    }

    private synchronized @Nullable Object ended() {
        return outcome;
    }
}
