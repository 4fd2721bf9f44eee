package org.tutti.coll;

import org.tutti.spi.Collective;

/// Scatter in which the root sends one block to each rank.
///
/// `(p-1)·α + n(p-1)/p·β` at the root, `α + n/p·β` elsewhere; any p. This is the only algorithm for scatter:
/// the lengths of the blocks are known only to the root, so no other rank could forward blocks. p = 3, root 1:
/// 1→2, 1→0; 1 copies one block.
final class ScatterLinear implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int root = call.root;
        if (call.port().rank() != root) {
            out.receive(root, Schedule.RECV_BUFFER, call.recv.blockBytes(root));
            return;
        }
        // Send in the order root + 1, root + 2, …: scatters with different roots then do not all start with
        // rank 0.
        for (int distance = 1; distance < size; distance++) {
            int peer = (root + distance) % size;
            out.send(peer, Schedule.SEND_BUFFER + call.send.blockOffset(peer), call.send.blockBytes(peer));
        }
        // In place, the root's block is not moved.
        if (call.inPlace) return;
        long own = Schedule.SEND_BUFFER + call.send.blockOffset(root);
        out.copy(own, Schedule.RECV_BUFFER, call.send.blockBytes(root));
    }
}
