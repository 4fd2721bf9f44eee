package org.tutti.coll.window;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tutti.job.os.SharedMemoryAccess;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;

/// The ranks of a window, and the offsets of the control blocks.
///
/// A rank that requests a lock publishes `state` at the target before it reads the counters of the lock. A rank
/// that changes the counters reads `state` afterwards. At least one of the two therefore sees the other's
/// write, and a waiting rank is woken when its turn comes.
///
/// @param bell wakes a sleeping process
/// @param blocks offset of each rank's [ControlBlock]
public record WindowRanks(CommPort port, SharedMemoryAccess memory, IntConsumer bell, long[] blocks)
        implements Exposures.Counts, TicketLock.Counters {
    int size() {
        return blocks.length;
    }

    int me() {
        return port.rank();
    }

    /// Wakes a sleeping rank. The caller has already published the change for which the rank waits.
    void ring(int rank) {
        bell.accept(port.process(rank));
    }

    /// Increments the counter that `rank` stores for this rank.
    @Override
    public void increment(int rank, boolean completes) {
        long offset = completes ? ControlBlock.completes(size(), me()) : ControlBlock.posts(size(), me());
        memory.addLong(blocks[rank] + offset, 1);
        ring(rank);
    }

    @Override
    public long value(int rank, boolean completes) {
        long offset = completes ? ControlBlock.completes(size(), rank) : ControlBlock.posts(size(), rank);
        return memory.getLongAcquire(blocks[me()] + offset);
    }

    // ---- locks of targets

    @Override
    public long draw(int target, boolean exclusive) {
        long block = blocks[target];
        long ticket = memory.addLong(block + ControlBlock.DRAWN, 1);
        memory.setLongRelease(block + ControlBlock.state(me()), TicketLock.state(ticket, exclusive));
        VarHandle.fullFence();
        return ticket;
    }

    @Override
    public boolean isTurn(int target, long ticket, boolean exclusive) {
        return memory.getLongAcquire(blocks[target] + (exclusive ? ControlBlock.WRITE : ControlBlock.READ)) == ticket;
    }

    @Override
    public void publish(int target, long state) {
        memory.setLong(blocks[target] + ControlBlock.state(me()), state);
    }

    @Override
    public void admit(int target, long ticket) {
        memory.setLongRelease(blocks[target] + ControlBlock.READ, ticket + 1);
        wake(target, ticket + 1, false);
    }

    @Override
    public void release(int target) {
        wake(target, memory.addLong(blocks[target] + ControlBlock.WRITE, 1) + 1, true);
    }

    /// Wakes the rank that waits with this ticket for a lock of this kind.
    private void wake(int target, long ticket, boolean exclusive) {
        VarHandle.fullFence();
        if (memory.getLongAcquire(blocks[target] + ControlBlock.DRAWN) <= ticket) return;
        for (int r = 0; r < size(); r++) if (state(target, r) == TicketLock.state(ticket, exclusive)) ring(r);
    }

    private long state(int target, int rank) {
        return memory.getLongAcquire(blocks[target] + ControlBlock.state(rank));
    }

    /// Returns the ranks that hold the lock, and the ranks with earlier requests, because each of these ranks
    /// must change the counters before the request with `ticket` is granted.
    @Override
    public int[] awaited(int target, long ticket) {
        return IntStream.range(0, size())
                .filter(r -> {
                    long before = TicketLock.ticket(state(target, r));
                    return before >= 0 && before < ticket;
                })
                .toArray();
    }

    @Override
    public String holders(int target, LocalWait.LineTexts lines) {
        int[] holders = IntStream.range(0, size())
                .filter(r -> (state(target, r) & TicketLock.HOLDS) != 0)
                .toArray();
        return ", which is " + (holders.length == 0 ? "being passed on" : "held by " + named(target, holders, lines));
    }

    /// Returns, for example, `ranks 0, 2 at A.java:12`; if the lines differ, `rank 0 at A.java:12, rank 2 at
    /// B.java:3`.
    private String named(int target, int[] holders, LocalWait.LineTexts lines) {
        String[] at = IntStream.of(holders)
                .mapToObj(r -> lines.text(port, r, line(target, r)))
                .map(text -> text.isEmpty() ? "" : " at " + text)
                .toArray(String[]::new);
        if (Arrays.stream(at).distinct().count() == 1) return named(holders) + at[0];
        return IntStream.range(0, at.length)
                .mapToObj(i -> "rank " + holders[i] + at[i])
                .collect(Collectors.joining(", "));
    }

    /// See [org.tutti.spi.WindowPort#lockLine].
    int line(int target, int rank) {
        return (int) memory.getLong(blocks[target] + ControlBlock.line(size(), rank));
    }

    void noteLine(int target, int line) {
        memory.setLong(blocks[target] + ControlBlock.line(size(), me()), line);
    }

    /// Returns, for example, `rank 1` or `ranks 0, 2`.
    static String named(int[] ranks) {
        String list = IntStream.of(ranks)
                .mapToObj(String::valueOf)
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
        return (ranks.length == 1 ? "rank " : "ranks ") + list;
    }
}
