package org.tutti.coll;

import org.tutti.spi.Collective;

/// Gather in which every rank sends one block to the root.
///
/// `(p-1)·α + n(p-1)/p·β` at the root, `α + n/p·β` elsewhere; any p. This is the only algorithm for gather: the
/// lengths of the blocks are known only to the root, so no other rank could forward blocks, or choose an
/// algorithm by length. p = 3, root 1: 0→1, 2→1; 1 copies one block.
final class GatherLinear implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        int root = call.root;
        if (rank != root) {
            out.send(root, OwnBlock.place(call), OwnBlock.bytes(call));
            return;
        }
        // Receive in the order root + 1, root + 2, …: gathers with different roots then do not all start with
        // rank 0.
        for (int distance = 1; distance < size; distance++) {
            int peer = (root + distance) % size;
            out.receive(peer, Schedule.RECV_BUFFER + call.recv.blockOffset(peer), call.recv.blockBytes(peer));
        }
        out.copy(OwnBlock.place(call), Schedule.RECV_BUFFER + call.recv.blockOffset(root), OwnBlock.bytes(call));
    }
}
