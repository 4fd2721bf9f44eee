package org.tutti.mpi.file;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Access;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Memory;
import org.tutti.spi.WindowPort;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.reduce.WindowReduction;
import org.tutti.spi.type.ElementType;

/// Shared state of a file's ranks, in a window at the first rank: the shared file pointer, and the lock that
/// serializes accesses in atomic mode.
final class FileWindow {
    static final long BYTES = Long.BYTES;
    private static final int HOME = 0;

    private final FileRanks ranks;
    private final WindowPort window;

    /// Serializes the threads of this rank, because a window's lock is held by a rank, not by a thread.
    private final ReentrantLock own = new ReentrantLock();

    FileWindow(FileRanks ranks, WindowPort window) {
        this.ranks = ranks;
        this.window = window;
    }

    /// Adds to the shared pointer. Returns the previous value.
    long add(String operation, long etypes) {
        return combine(operation, etypes, PredefinedReduction.SUM);
    }

    long set(String operation, long etypes) {
        return combine(operation, etypes, WindowReduction.REPLACE);
    }

    long get(String operation) {
        return add(operation, 0);
    }

    private long combine(String operation, long operand, Reduction op) {
        long[] old = new long[1];
        Access a = new Access().fill(operation, Access.Kind.GET_ACCUMULATE, HOME);
        a.bytes = Long.BYTES;
        a.type = ElementType.LONG;
        a.op = op;
        a.origin.at(Memory.ofArray(new long[] {operand}), null);
        a.result.at(Memory.ofArray(old), null);
        window.run(a);
        window.flush(HOME);
        return old[0];
    }

    /// Starts an access. An exclusive access excludes all other accesses; any other access excludes only
    /// exclusive accesses.
    void lock(boolean exclusive) {
        own.lock();
        try {
            @Nullable LocalWait wait = window.lock(HOME, exclusive);
            if (wait != null) ranks.await(wait);
        } catch (RuntimeException | Error e) {
            own.unlock();
            throw e;
        }
    }

    void unlock() {
        try {
            window.unlock(HOME);
        } finally {
            own.unlock();
        }
    }

    void free() {
        ranks.free(window);
    }
}
