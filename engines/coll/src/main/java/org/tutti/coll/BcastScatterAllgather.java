package org.tutti.coll;

import org.tutti.spi.Collective;

/// Broadcast of a long message: the root scatters p parts down a binomial tree, then the parts travel around a
/// ring (van de Geijn; Thakur, Rabenseifner and Gropp, 2005).
///
/// `(⌈log₂ p⌉ + p-1)·α + 2n(p-1)/p·β`; any p; for long messages, where the binomial tree would send n bytes log
/// p times. After the scatter, an inner rank of the tree holds the parts of its complete subtree. The ring does
/// not send these parts to that rank again, so the root receives no data.
///
/// p = 4, root 0: 0 sends parts 2,3 to rank 2 and part 1 to rank 1; 2 sends part 3 to 3. Ring, step 0: 0→1 part
/// 0, 1→2 part 1, 2→3 part 2 (3→0 is not sent: 0 has part 3); step 1: 0→1 part 3, 1→2 part 0, 2→3 part 1; step
/// 2: 0→1 part 2, 2→3 part 0 (1→2 is not sent: 2 has part 3).
final class BcastScatterAllgather implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int root = call.root;
        int rank = (call.port().rank() - root + size) % size;
        int width = call.send.type.bytes();
        long base = Schedule.RECV_BUFFER + first * width;

        if (rank != 0) {
            int reach = BinomialTree.reach(rank, size);
            parts(
                    out,
                    false,
                    (rank - reach + root) % size,
                    base,
                    width,
                    count,
                    size,
                    rank,
                    BinomialTree.extent(rank, size));
            out.await();
        }
        for (int distance = BinomialTree.farthestChild(rank, size); distance > 0; distance >>= 1) {
            int child = rank + distance;
            parts(out, true, (child + root) % size, base, width, count, size, child, BinomialTree.extent(child, size));
        }
        out.await();

        int right = (rank + 1) % size;
        int left = (rank - 1 + size) % size;
        for (int step = 0; step < size - 1; step++) {
            int outgoing = (rank - step + size) % size;
            int incoming = (left - step + size) % size;
            if (!holds(rank, incoming, size))
                parts(out, false, (left + root) % size, base, width, count, size, incoming, 1);
            if (!holds(right, outgoing, size))
                parts(out, true, (right + root) % size, base, width, count, size, outgoing, 1);
            out.await();
        }
    }

    /// Returns whether `rank` has part `part` after the scatter.
    private static boolean holds(int rank, int part, int size) {
        return part >= rank && part < rank + BinomialTree.extent(rank, size);
    }

    private static void parts(
            Schedule out, boolean sent, int peer, long base, int width, long count, int size, int part, int parts) {
        long start = Algorithm.partStart(count, size, part) * width;
        long bytes = Algorithm.partStart(count, size, part + parts) * width - start;
        if (sent) out.send(peer, base + start, bytes);
        else out.receive(peer, base + start, bytes);
    }
}
