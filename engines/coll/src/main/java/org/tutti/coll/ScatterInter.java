package org.tutti.coll;

import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;

/// Scatter of a root's blocks to the other group: the root sends one block to each rank.
///
/// `r·α + n·β` at the root for r blocks, `α + n/r·β` elsewhere. The lengths of the blocks are known only to the
/// root.
final class ScatterInter implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        CommPort port = call.port();
        if (RootSide.isOther(call)) {
            out.receive(call.root, Schedule.RECV_BUFFER, call.recv.count * call.recv.type.bytes());
        } else if (RootSide.isRoot(call)) {
            for (int r = 0; r < port.peerSize(); r++) {
                long block = Schedule.SEND_BUFFER + call.send.blockOffset(r);
                out.send(port.peerBase() + r, block, call.send.blockBytes(r));
            }
        }
    }
}
