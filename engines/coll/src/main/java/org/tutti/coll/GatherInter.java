package org.tutti.coll;

import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;

/// Gather of one group's blocks at a root in the other group: every rank sends one block to the root.
///
/// `r·α + n·β` at the root for r blocks, `α + n/r·β` elsewhere. The lengths of the blocks are known only to the
/// root.
final class GatherInter implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        CommPort port = call.port();
        if (RootSide.isOther(call)) {
            out.send(call.root, Schedule.SEND_BUFFER, call.send.count * call.send.type.bytes());
        } else if (RootSide.isRoot(call)) {
            for (int r = 0; r < port.peerSize(); r++) {
                out.receive(
                        port.peerBase() + r, Schedule.RECV_BUFFER + call.recv.blockOffset(r), call.recv.blockBytes(r));
            }
        }
    }
}
