package org.tutti.mpi;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Transfer;

/// A request that an event on this rank completes: a buffer's content has been sent, a file has been read, or
/// work of the program is complete.
final class LocalRequest extends Request {
    /// The work to complete.
    interface Work {
        /// Polls the engine once, without waiting. Returns whether the work is complete.
        boolean isDone();

        /// Waits until the work is complete. May also return earlier, after polling the engine once.
        void await();

        /// Returns the status of the completed work, or throws the failure of the work.
        default Status status() {
            return Status.empty();
        }

        /// Called when the program cancels the request before the work is complete.
        default void cancel() {}
    }

    /// Work of the program, which a generalized request represents.
    private static final class Own implements Work, LocalWait {
        private final Mpi mpi;
        private final CompletableFuture<Status> stage;
        private final Runnable onCancel;

        Own(Mpi mpi, CompletableFuture<Status> stage, Runnable onCancel) {
            this.mpi = mpi;
            this.stage = stage;
            this.onCancel = onCancel;
        }

        @Override
        public boolean isDone() {
            return stage.isDone();
        }

        @Override
        public void await() {
            mpi.engine(operation()).await(this);
        }

        @Override
        @SuppressWarnings("NullAway") // the program may complete the stage with null
        public Status status() {
            try {
                Status status = stage.join();
                return status == null ? Status.empty() : status;
            } catch (CancellationException e) {
                return Status.ofCancelled();
            } catch (CompletionException e) {
                switch (e.getCause()) {
                    case CancellationException _ -> {
                        return Status.ofCancelled();
                    }
                    case RuntimeException why -> throw why;
                    case Error why -> throw why;
                    case null, default -> throw e;
                }
            }
        }

        @Override
        public void cancel() {
            onCancel.run();
        }

        @Override
        public String operation() {
            return "await";
        }

        @Override
        public String what() {
            return "await of a generalized request";
        }

        @Override
        public boolean isOver() {
            return isDone();
        }

        @Override
        public boolean completesByMessages() {
            return false;
        }

        @Override
        public boolean isCompletedExternally() {
            return true;
        }
    }

    /// Returns a request that is complete when `stage` is complete.
    static LocalRequest of(Mpi mpi, CompletionStage<Status> stage, Runnable onCancel) {
        Own own = new Own(mpi, stage.toCompletableFuture(), onCancel);
        return new LocalRequest(mpi, "request", mpi.where(), Buf.NONE, own);
    }

    private final Work work;

    LocalRequest(Mpi mpi, String operation, CommPort port, Buf shown, Work work) {
        super(mpi, shown, Buf.NONE);
        this.work = work;
        // the work is represented by a transfer that is never passed to an engine
        Transfer sign = mpi.engine(operation).transfer();
        sign.operation = operation;
        sign.comm = port;
        begin(sign);
    }

    @Override
    boolean pollNow() {
        Activity sign = awaited();
        if (sign == null) return true;
        mpi.engine(sign.operation);
        if (!work.isDone()) return false;
        finish(sign);
        return true;
    }

    @Override
    void awaitNow(String operation) {
        while (!pollNow()) work.await();
    }

    @Override
    boolean waitsForProgram() {
        return true;
    }

    /// Returns true, because a file access completes without an action of any rank, and work of the program may
    /// complete in the same way.
    @Override
    boolean isCompletedExternally() {
        return true;
    }

    @Override
    void cancelNow() {
        if (!isOver() && !work.isDone()) work.cancel();
    }

    @Override
    boolean isUnfinished(EngineCalls engine) {
        return !isOver() && !work.isDone();
    }

    @Override
    String shown() {
        String text = super.shown();
        return text.equals(Buf.NONE.toString()) ? "" : text;
    }

    @Override
    Status statusOf(Transfer sign) {
        return work.status();
    }

    @Override
    void release(Activity a) {
        // the transfer that represents the work is not reused
    }

    @Override
    public String toString() {
        Activity sign = awaited();
        return sign == null ? super.toString() : sign.operation + "(" + shown() + ")";
    }
}
