package org.tutti.coll;

import org.tutti.spi.Collective;

/// Alltoall in which rank r exchanges data with r+1 and r-1, then r+2 and r-2, and so on around the ring.
///
/// `(p-1)·(α + n/p·β)`; any p, any blocks; no scratch. Exchanges with different ranks run at the same time, up
/// to a bound on their total size, so a rank waits only once if all blocks are short. An algorithm with `log p`
/// rounds would send every block several times and wait in every round. p = 3: r sends to r+1 and receives from
/// r-1, then sends to r+2 and receives from r-2.
final class AlltoallPairwise implements Algorithm {
    /// Maximum bytes in transit before a rank waits. Ranks may wait at different points without a deadlock,
    /// because the rank that has made the least progress waits only for ranks that have already started the
    /// same exchanges.
    private static final long WINDOW_BYTES = 256 << 10;

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        long underWay = 0;
        for (int distance = 1; distance < size; distance++) {
            int destination = (rank + distance) % size;
            int source = (rank - distance + size) % size;
            long arriving = call.recv.blockBytes(source);
            long leaving = call.send.blockBytes(destination);
            if (underWay > 0 && underWay + arriving + leaving > WINDOW_BYTES) {
                out.await();
                underWay = 0;
            }
            out.receive(source, Schedule.RECV_BUFFER + call.recv.blockOffset(source), arriving);
            out.send(destination, Schedule.SEND_BUFFER + call.send.blockOffset(destination), leaving);
            underWay += arriving + leaving;
        }
        long own = Schedule.SEND_BUFFER + call.send.blockOffset(rank);
        out.copy(own, Schedule.RECV_BUFFER + call.recv.blockOffset(rank), call.send.blockBytes(rank));
    }
}
