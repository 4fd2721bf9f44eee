package org.tutti.bench;

/// Background load: threads that never pause. The operating system schedules threads, not processes, so each of
/// these threads uses as much processor time as a busy process. The threads end with this process.
public final class BusyThreads implements AutoCloseable {
    private volatile boolean goesOn = true;

    private BusyThreads() {}

    /// Starts `count` threads; 0 is allowed.
    public static BusyThreads start(int count) {
        BusyThreads all = new BusyThreads();
        for (int i = 0; i < count; i++) {
            Thread.ofPlatform().daemon().name("tutti-busy-" + i).start(all::work);
        }
        return all;
    }

    private void work() {
        while (goesOn) Thread.onSpinWait();
    }

    @Override
    public void close() {
        goesOn = false;
    }
}
