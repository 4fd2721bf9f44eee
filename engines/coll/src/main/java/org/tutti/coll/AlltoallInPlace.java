package org.tutti.coll;

import org.tutti.spi.Collective;

/// Alltoall in place: in each round, the ranks of each pair exchange one block in each direction.
///
/// `p·(α + n/p·β)` and a copy of all data; any p, any blocks, as long as the two blocks of a pair have equal
/// lengths. In round k, ranks r and k - r modulo p form a pair, as in a tournament. Scratch memory holds one
/// piece: a block of up to 256 KiB is one piece; a longer block is divided into pieces of 256 KiB or, if this
/// is more, of about a 64th of the block. p = 3: round 0: 1⇄2; round 1: 0⇄1; round 2: 0⇄2.
final class AlltoallInPlace implements Algorithm {
    private static final long MOST_PIECES = 64;

    /// An upper bound of all element sizes; a power of two, like these sizes.
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

    /// Returns the size of a piece: a whole number of elements of any type. The two ranks of a pair get the
    /// same size, because it depends only on the length of the blocks.
    private static long pieceBytes(long blockBytes) {
        return Math.max(
                SCRATCH_VECTOR_BYTES, blockBytes / MOST_PIECES + LARGEST_ELEMENT_BYTES & -LARGEST_ELEMENT_BYTES);
    }
}
