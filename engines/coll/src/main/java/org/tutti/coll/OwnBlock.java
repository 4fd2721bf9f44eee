package org.tutti.coll;

import org.tutti.spi.Collective;

/// The block that this rank contributes to a gather or allgather: in `send`, or in place in `recv`.
final class OwnBlock {
    private OwnBlock() {}

    static long place(Collective call) {
        return call.inPlace
                ? Schedule.RECV_BUFFER + call.recv.blockOffset(call.port().rank())
                : Schedule.SEND_BUFFER;
    }

    static long bytes(Collective call) {
        return call.inPlace ? call.recv.blockBytes(call.port().rank()) : call.send.count * call.send.type.size();
    }
}
