package org.tutti.coll;

import org.tutti.spi.Collective;

/// Broadcast down a binomial tree: in every round, each rank that has the data sends all of it to a rank that
/// does not have it.
///
/// `⌈log₂ p⌉·(α + nβ)`; any p; for short messages and for two ranks. Ranks are counted from the root: rank v
/// receives from the rank whose number is v with the lowest set bit cleared. p = 6, root 0: 0 sends to 4, 2 and
/// 1; then 4 sends to 5, 2 to 3.
final class BcastBinomial implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int root = call.root;
        int rank = (call.port().rank() - root + size) % size;
        long place = Schedule.RECV_BUFFER + first * call.send.type.bytes();
        long bytes = count * call.send.type.bytes();

        int reach = BinomialTree.reach(rank, size);
        if (rank != 0) {
            out.receive((rank - reach + root) % size, place, bytes);
            out.await();
        }
        // The farthest child is served first, because the longest path starts there.
        for (int distance = BinomialTree.farthestChild(rank, size); distance > 0; distance >>= 1) {
            out.send((rank + distance + root) % size, place, bytes);
        }
        out.await();
    }
}
