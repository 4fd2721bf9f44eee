package org.tutti.bench;

/// Other work on the machine: threads that never pause. The system shares its cores among threads, so each takes
/// as much as a busy process would, and none outlives this one.
public final class BusyThreads implements AutoCloseable {
    private volatile boolean goesOn = true;

    private BusyThreads() {}

    /// Starts so many, perhaps none.
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
