package org.tutti.coll;

import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;

/// The role of this rank in a rooted call between two groups. In the root's group, only the root participates.
final class RootSide {
    private RootSide() {}

    static boolean isRoot(Collective call) {
        return call.root == call.port().rank();
    }

    /// Returns whether the root is in the other group.
    static boolean isOther(Collective call) {
        CommPort port = call.port();
        return call.root >= port.peerBase() && call.root < port.peerBase() + port.peerSize();
    }
}
