package org.tutti.coll.window;

/// The int64 fields that each rank of a window has in addition to the window's memory; all ranks access these
/// fields. n is the number of ranks; array indices are ranks of the window.
///
///     0        8        16        24           32       40   64          64 + 8·n   64 + 16·n      64 + 24·n
///     |  drawn  |  read  |  write  | accumulate | closed |    |  state[n]  | posts[n] | completes[n] | lines[n]
///
///     drawn, read, write, state   [TicketLock]
///     accumulate                  [AccumulateLocks]
///     posts, completes            [Exposures]
///     lines                       source line of each rank's lock request, see [org.tutti.spi.WindowPort#lockLine]
///     closed                      number of ranks that have closed the window
public final class ControlBlock {
    static final long DRAWN = 0, READ = 8, WRITE = 16, ACCUMULATE = 24;

    /// The offset of `closed`. The engine uses this field to detect when the memory can be freed.
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
