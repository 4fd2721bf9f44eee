package org.tutti.coll;

import org.tutti.spi.Collective;

/// Reduction of a long vector: every rank reduces one part ([RingReduceScatter]), then sends it to the root.
///
/// `2(p-1)·α + 2n(p-1)/p·β + n(p-1)/p·γ` at the root; commutative `op` only; two scratch vectors of n/p. All
/// ranks add at the same time, whereas in a binomial tree most ranks wait. p = 3, root 0: after the ring, rank
/// 0 has part 1, rank 1 part 2, rank 2 part 0; 1 and 2 send one part each to 0.
final class ReduceScatterGather implements Algorithm {
    @Override
    public long sliceElements(Collective call) {
        return RingReduceScatter.sliceElements(call);
    }

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        int width = call.send.type.bytes();
        boolean atRoot = rank == call.root;
        long result = Schedule.RECV_BUFFER + first * width;
        long own = RingReduceScatter.append(call, first, count, atRoot, result, out);
        if (atRoot) {
            for (int distance = 1; distance < size; distance++) {
                int peer = (rank + distance) % size;
                int part = RingReduceScatter.completePart(peer, size);
                long place = result + Algorithm.partStart(count, size, part) * width;
                out.receive(peer, place, RingReduceScatter.partLength(count, size, part) * width);
            }
        } else {
            int part = RingReduceScatter.completePart(rank, size);
            out.send(call.root, own, RingReduceScatter.partLength(count, size, part) * width);
        }
        out.await();
    }
}
