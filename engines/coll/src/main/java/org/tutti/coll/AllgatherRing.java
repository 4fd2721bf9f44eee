package org.tutti.coll;

import org.tutti.spi.Collective;

/// Allgather in which blocks travel around a ring.
///
/// `(p-1)·α + n(p-1)/p·β`; any p, any blocks; only this rank's block is copied; for long messages, and for two
/// and three ranks. p = 3: step 0: rank r sends block r to r+1; step 1: it sends block r-1, just received.
final class AllgatherRing implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        int right = (rank + 1) % size;
        int left = (rank - 1 + size) % size;
        long own = OwnBlock.place(call);
        long ownBytes = OwnBlock.bytes(call);
        long place = own;
        long bytes = ownBytes;
        for (int step = 0; step < size - 1; step++) {
            int received = (left - step + size) % size;
            out.send(right, place, bytes);
            place = Schedule.RECV_BUFFER + call.recv.blockOffset(received);
            bytes = call.recv.blockBytes(received);
            out.receive(left, place, bytes);
            if (step == 0) out.copy(own, Schedule.RECV_BUFFER + call.recv.blockOffset(rank), ownBytes);
            out.await();
        }
        if (size == 1) out.copy(own, Schedule.RECV_BUFFER + call.recv.blockOffset(0), ownBytes);
    }
}
