package org.tutti.lab.stress.interleaving;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;

/// A platform on which ranks sleep and wake each other through the scheduler.
final class ScheduledPlatform implements OsPlatform {
    private final Scheduler scheduler;

    ScheduledPlatform(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public String name() {
        return "scheduled";
    }

    @Override
    public boolean usable() {
        return true;
    }

    @Override
    public JobFile createFile(String label, long bytes) throws IOException {
        throw new IOException("a scheduled job needs no file");
    }

    @Override
    public void prepare() {}

    @Override
    public boolean canSleep() {
        return true;
    }

    @Override
    public boolean canWake() {
        return true;
    }

    @Override
    public void sleep(MemorySegment memory, long offset, int expected, long nanos) {
        // like the system, compares and falls asleep in one step
        if (memory.get(JAVA_INT, offset) == expected) scheduler.sleep(offset);
    }

    @Override
    public void wake(MemorySegment memory, long offset) {
        scheduler.wake(offset);
    }

    @Override
    public void dieWithParent(long parentPid) {}

    @Override
    public boolean canBind() {
        return false;
    }

    @Override
    public void bindThread(BitSet cpus) throws IOException {
        throw new IOException("a scheduled job is not bound to cpus");
    }
}
