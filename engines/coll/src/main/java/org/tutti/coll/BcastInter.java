package org.tutti.coll;

import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;

/// Broadcast between two groups: the root gives the data to the other group's leader, who gives it to its
/// group down a binomial tree.
///
/// `(1 + ⌈log₂ r⌉)·(α + nβ)` for r ranks in the other group. Those who are with the root do nothing. r =
/// 3, the root is 1 of its group: 1→0'; 0'→2' and 1'.
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
