package org.tutti.coll;

import org.tutti.spi.Collective;

/// Allreduce of a long vector: every rank reduces one part ([RingReduceScatter]), then the sums travel around
/// the ring (Patarasuk and Yuan, 2009).
///
/// `2(p-1)·α + 2n(p-1)/p·β + n(p-1)/p·γ`, the minimum volume; commutative `op` only; two scratch vectors of
/// n/p; for short vectors recursive doubling has fewer rounds. The sum of each part is completed on one rank,
/// and then copied to all other ranks, so all ranks get the same bits. p = 3: after the first ring, rank 0 has
/// the sum of part 1, rank 1 of part 2, rank 2 of part 0. Second ring, step 0: rank r sends part r+1, receives
/// part r; step 1: r sends part r, receives part r-1.
final class AllreduceRing implements Algorithm {
    @Override
    public long sliceElements(Collective call) {
        return RingReduceScatter.sliceElements(call);
    }

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int width = call.send.type.bytes();
        long result = Schedule.RECV_BUFFER + first * width;
        RingReduceScatter.append(call, first, count, true, result, out);
        int size = call.port().size();
        int rank = call.port().rank();
        int right = (rank + 1) % size;
        int left = (rank - 1 + size) % size;
        for (int step = 0; step < size - 1; step++) {
            int sent = (rank + 1 - step + size) % size;
            int received = (rank - step + size) % size;
            long place = result + Algorithm.partStart(count, size, received) * width;
            out.receive(left, place, RingReduceScatter.partLength(count, size, received) * width);
            place = result + Algorithm.partStart(count, size, sent) * width;
            out.send(right, place, RingReduceScatter.partLength(count, size, sent) * width);
            out.await();
        }
    }
}
