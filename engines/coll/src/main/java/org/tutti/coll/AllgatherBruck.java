package org.tutti.coll;

import org.tutti.spi.Collective;

/// Allgather in which the number of blocks per rank doubles in every round (Bruck and others, 1997).
///
/// `⌈log₂ p⌉·α + n(p-1)/p·β` and a copy of all data; any p, any blocks; for short messages. One scratch vector
/// holds all blocks in the order r, r+1, …, because blocks need not be adjacent in `recv`.
///
/// p = 5: round 0: rank r sends block r to r-1 and receives block r+1; round 1: it sends blocks r, r+1 to r-2
/// and receives r+2, r+3; round 2: it sends block r to r-4 and receives r+4, the last missing block.
final class AllgatherBruck implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        long own = OwnBlock.place(call);
        long packed = out.scratch(bytes(call, rank, size));
        out.copy(own, packed, OwnBlock.bytes(call));

        long held = OwnBlock.bytes(call);
        for (int have = 1; have < size; have <<= 1) {
            int more = Math.min(have, size - have);
            int source = (rank + have) % size;
            long arriving = bytes(call, source, more);
            out.receive(source, packed + held, arriving);
            out.send((rank - have + size) % size, packed, bytes(call, rank, more));
            out.await();
            held += arriving;
        }

        for (int i = 0; i < size; i++) {
            int block = (rank + i) % size;
            long length = call.recv.blockBytes(block);
            // in place, this rank's block needs no copy
            if (i > 0 || !call.inPlace) out.copy(packed, Schedule.RECV_BUFFER + call.recv.blockOffset(block), length);
            packed += length;
        }
    }

    /// Returns the total length of the `blocks` blocks that start at `block`, wrapping around.
    private static long bytes(Collective call, int block, int blocks) {
        int size = call.port().size();
        long sum = 0;
        for (int i = 0; i < blocks; i++) sum += call.recv.blockBytes((block + i) % size);
        return sum;
    }
}
