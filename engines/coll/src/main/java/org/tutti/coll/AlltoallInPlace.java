package org.tutti.coll;

import org.tutti.spi.Collective;

/// Alltoall in place: in each round ranks meet in pairs and exchange the blocks they have for each other.
///
/// `p·(α + n/p·β)` and a copy of everything; any p, any blocks, of which the two of a pair are equally
/// long. In round k rank r meets k - r modulo p, who meets r: like the rounds of a tournament. A block is
/// exchanged in pieces, so that scratch memory is a small part of it. p = 3: round 0: 1⇄2; round 1: 0⇄1;
/// round 2: 0⇄2.
final class AlltoallInPlace implements Algorithm {
    private static final long MOST_PIECES = 64;

    /// Larger than any element; a power of two, as they are.
    private static final long LARGEST_ELEMENT_BYTES = 64;

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        long longest = 0;
        for (int peer = 0; peer < size; peer++)
            if (peer != rank) longest = Math.max(longest, call.recv.blockBytes(peer));
        long leaving = out.scratch(Math.min(longest, pieceBytes(longest)));
        for (int round = 0; round < size; round++) {
            int peer = (round - rank + size) % size;
            if (peer == rank) continue;
            long place = Schedule.RECV_BUFFER + call.recv.blockOffset(peer);
            long bytes = call.recv.blockBytes(peer);
            long step = pieceBytes(bytes);
            long done = 0;
            do {
                long piece = Math.min(step, bytes - done);
                out.copy(place + done, leaving, piece);
                out.receive(peer, place + done, piece);
                out.send(peer, leaving, piece);
                out.await();
                done += piece;
            } while (done < bytes);
        }
    }

    /// Equal on both sides of a pair, because it follows from the length of their blocks alone; a whole
    /// number of elements, of whatever type.
    private static long pieceBytes(long blockBytes) {
        return Math.max(
                SCRATCH_VECTOR_BYTES, blockBytes / MOST_PIECES + LARGEST_ELEMENT_BYTES & -LARGEST_ELEMENT_BYTES);
    }
}
