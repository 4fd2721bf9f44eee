package org.tutti.coll.window;

import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.tutti.job.os.Words;
import org.tutti.spi.CommPort;

/// The ranks of a window, and where the words of each lie.
///
/// @param bell wakes a process that sleeps
/// @param blocks where the [ControlBlock] of each rank begins
public record WindowRanks(CommPort port, Words memory, IntConsumer bell, long[] blocks) implements Exposures.Counts {
    int size() {
        return blocks.length;
    }

    int me() {
        return port.rank();
    }

    /// Wakes a rank that sleeps; what for has been published before.
    void ring(int rank) {
        bell.accept(port.process(rank));
    }

    /// One more in a rank's word for this one.
    @Override
    public void tell(int rank, boolean completes) {
        long words = completes ? ControlBlock.completes(size(), me()) : ControlBlock.posts(size(), me());
        memory.addLong(blocks[rank] + words, 1);
        ring(rank);
    }

    @Override
    public long told(int rank, boolean completes) {
        long words = completes ? ControlBlock.completes(size(), rank) : ControlBlock.posts(size(), rank);
        return memory.getLongAcquire(blocks[me()] + words);
    }

    /// `rank 1`, `ranks 0, 2`.
    static String named(int[] ranks) {
        String list = IntStream.of(ranks)
                .mapToObj(String::valueOf)
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
        return (ranks.length == 1 ? "rank " : "ranks ") + list;
    }
}
