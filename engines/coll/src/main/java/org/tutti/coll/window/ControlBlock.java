package org.tutti.coll.window;

/// What each rank has for a window beside its memory: int64 words, which all ranks use. n is the number of ranks,
/// and those of an array are the window's.
///
///     0        8        16        24           32       40   64          64 + 8·n   64 + 16·n      64 + 24·n
///     |  drawn  |  read  |  write  | accumulate | closed |    |  state[n]  | posts[n] | completes[n] | lines[n]
///
///     drawn, read, write, state   [TicketLock]
///     accumulate                  [AccumulateLocks]
///     posts, completes            [Exposures]
///     lines                       where each rank has asked for the lock here, see [org.tutti.spi.WindowPort#lockLine]
///     closed                      how many ranks have closed the window
public final class ControlBlock {
    static final long DRAWN = 0, READ = 8, WRITE = 16, ACCUMULATE = 24;

    /// For the engine, which gives memory back by it.
    public static final long CLOSED = 32;

    private static final long ARRAYS = 64;

    private ControlBlock() {}

    public static long bytes(int ranks) {
        return ARRAYS + 4L * Long.BYTES * ranks;
    }

    static long state(int rank) {
        return ARRAYS + (long) Long.BYTES * rank;
    }

    static long posts(int ranks, int rank) {
        return state(ranks + rank);
    }

    static long completes(int ranks, int rank) {
        return state(2 * ranks + rank);
    }

    static long line(int ranks, int rank) {
        return state(3 * ranks + rank);
    }
}
