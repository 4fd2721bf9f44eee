package org.tutti.mpi;

import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;

/// Complete when something of this rank's own is: what lay in a buffer was sent on, a file was read.
final class LocalRequest extends Request {
    /// What is to be complete.
    interface Work {
        /// Whether it is; makes progress, never waits.
        boolean isDone();

        /// Waits for it, or makes progress and returns.
        void await();

        /// Of what is complete; or throws what it failed with.
        default Status status() {
            return Status.empty();
        }
    }

    private final Work work;

    LocalRequest(Mpi mpi, String operation, CommPort port, Buf shown, Work work) {
        super(mpi, shown, Buf.NONE);
        this.work = work;
        // stands for the work, which no engine looks after
        Transfer sign = mpi.engine(operation).transfer();
        sign.operation = operation;
        sign.comm = port;
        begin(sign);
    }

    @Override
    boolean lookNow() {
        Activity sign = awaited();
        if (sign == null) return true;
        mpi.engine(sign.operation);
        if (!work.isDone()) return false;
        finish(sign);
        return true;
    }

    @Override
    void awaitNow(String operation) {
        while (!lookNow()) work.await();
    }

    @Override
    boolean waitsForProgram() {
        return true;
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
        // the sign is nobody's
    }

    @Override
    public String toString() {
        Activity sign = awaited();
        return sign == null ? super.toString() : sign.operation + "(" + shown() + ")";
    }
}
