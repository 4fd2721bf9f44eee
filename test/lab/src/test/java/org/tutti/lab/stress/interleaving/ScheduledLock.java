package org.tutti.lab.stress.interleaving;

import java.util.concurrent.locks.ReentrantLock;

/// The progress lock of a rank. Acquiring it is a scheduling point.
final class ScheduledLock extends ReentrantLock {
    private static final long serialVersionUID = 1L;

    private final transient Scheduler scheduler;

    ScheduledLock(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public void lock() {
        scheduler.point();
        while (!super.tryLock()) scheduler.awaitRelease(this);
    }

    @Override
    public boolean tryLock() {
        scheduler.point();
        return super.tryLock();
    }

    @Override
    public void unlock() {
        super.unlock();
        if (!isHeldByCurrentThread()) scheduler.release(this);
    }
}
