package org.tutti.coll;

import org.tutti.spi.Collective;

/// Scatter in which the root sends every rank its block.
///
/// `(p-1)·α + n(p-1)/p·β` at the root, `α + n/p·β` elsewhere; any p. The only scatter: the root alone
/// knows the blocks' lengths, so nobody else could forward them. p = 3, root 1: 1→2, 1→0; 1 copies its
/// own.
final class ScatterLinear implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int root = call.root;
        if (call.port().rank() != root) {
            out.receive(root, Schedule.RECV_BUFFER, call.recv.blockBytes(root));
            return;
        }
        // Beginning after the root, so that successive scatters do not all serve rank 0 first.
        for (int distance = 1; distance < size; distance++) {
            int peer = (root + distance) % size;
            out.send(peer, Schedule.SEND_BUFFER + call.send.blockOffset(peer), call.send.blockBytes(peer));
        }
        // In place, the root's own block stays where it is.
        if (call.inPlace) return;
        long own = Schedule.SEND_BUFFER + call.send.blockOffset(root);
        out.copy(own, Schedule.RECV_BUFFER, call.send.blockBytes(root));
    }
}
