package org.tutti.shm;

import org.tutti.spi.CreationKey;

/// Generates the context ids of communicators that this process creates. The first process of a new
/// communicator's group generates the id. With 64 bits, no id is used twice in the job.
///
///     63             34 33               2 1    0
///     | process + 1    | number of the id  | lane |      see ShmPort for the lanes
final class ContextIds {
    static final long WORLD = 1L << ShmPort.LANE_BITS, SELF = 2L << ShmPort.LANE_BITS;

    /// The context in which processes request a connection.
    static final long CONNECTION = 4L << ShmPort.LANE_BITS;

    private final int process;
    private long drawn;

    ContextIds(int process) {
        this.process = process;
    }

    /// Returns the context for the messages by which processes create a communicator without a parent. The
    /// highest bit distinguishes this context from contexts of communicators; the next bit is set if the key is
    /// a name that the program has chosen, and clear if the key was generated.
    static long of(CreationKey key) {
        long named = 1L << 62, bits = key.isName() ? key.number() & named - 1 | named : drawn(key);
        return Long.MIN_VALUE | bits & -1L << ShmPort.LANE_BITS;
    }

    private static long drawn(CreationKey key) {
        return ((key.process() + 1L) << 32 | key.number()) << ShmPort.LANE_BITS;
    }

    synchronized long draw() {
        return ((process + 1L) << 32 | ++drawn) << ShmPort.LANE_BITS;
    }
}
