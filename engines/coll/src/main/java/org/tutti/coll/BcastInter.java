package org.tutti.coll;

import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;

/// Broadcast between two groups: the root sends the data to the other group's leader, which broadcasts it down
/// a binomial tree.
///
/// `(1 + ⌈log₂ r⌉)·(α + nβ)` for r ranks in the other group. In the root's group, all ranks except the root are
/// idle. Example with r = 3, where the root is rank 1 of one group: 1→0'; 0'→2' and 1'.
final class BcastInter implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        CommPort port = call.port();
        long place = Schedule.RECV_BUFFER + first * call.send.type.bytes();
        long bytes = count * call.send.type.bytes();
        if (RootSide.isRoot(call)) {
            out.send(port.peerBase(), place, bytes);
        } else if (RootSide.isOther(call)) {
            if (LocalGroup.isLeader(port)) {
                out.receive(call.root, place, bytes);
                out.await();
            }
            LocalGroup.bcast(port, place, bytes, out);
        }
    }
}
