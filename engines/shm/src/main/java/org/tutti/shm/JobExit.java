package org.tutti.shm;

import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.progress.Progress;
import org.tutti.shm.segment.Segment;
import org.tutti.spi.Fault;
import org.tutti.spi.JobControl;
import org.tutti.spi.MessageAudit;
import org.tutti.spi.Transfer;

/// Leaving the job, and the report of messages that were not received.
final class JobExit implements JobControl, MessageAudit {
    /// Maximum number of polls for messages before leaving.
    private static final int LAST_POLLS = 10_000;

    private final Segment segment;
    private final Progress progress;
    private final JobFailure failure;
    private final ShmEngine.Ending ending;
    private final int me;

    JobExit(Segment segment, Progress progress, JobFailure failure, ShmEngine.Ending ending, int me) {
        this.segment = segment;
        this.progress = progress;
        this.failure = failure;
        this.ending = ending;
        this.me = me;
    }

    @Override
    public boolean outlives(Transfer send) {
        return send.isDone() || ((ShmTransfer) send).outlives;
    }

    @Override
    public @Nullable String unreceived() {
        // pairs with the fence in leave(): if a sender and a receiver leave at the same time, at least one of
        // the two sees what the other has published
        VarHandle.fullFence();
        progress.lock().lock();
        try {
            for (int i = 0; i < LAST_POLLS && progress.move(); i++) Thread.onSpinWait();
            return progress.unreceived();
        } finally {
            progress.lock().unlock();
        }
    }

    @Override
    public void leave() {
        progress.lock().lock();
        try {
            // write messages to the segment that were sent while there was no space for them
            progress.move();
            progress.leave();
        } finally {
            progress.lock().unlock();
        }
        segment.leave(me);
        VarHandle.fullFence();
        if (!segment.hasSpawned()) return;
        // if two ranks leave, at least one of the two sees here that the other has left; no third rank checks
        // the rings between the two
        progress.lock().lock();
        try {
            progress.abandonRings();
        } finally {
            progress.lock().unlock();
        }
    }

    @Override
    public void abort(int code, String why) {
        ending.abort(me, code, why);
    }

    @Override
    public void fail(Fault why) {
        failure.report(why);
    }

    @Override
    public @Nullable RuntimeException poison() {
        return failure.first();
    }
}
