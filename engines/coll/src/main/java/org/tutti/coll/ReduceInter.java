package org.tutti.coll;

import org.tutti.spi.Collective;

/// Reduction of one group's operands to a root in the other group: up a binomial tree to the group's leader,
/// which sends the result to the root.
///
/// `(1 + ⌈log₂ r⌉)·(α + nβ) + ⌈log₂ r⌉·nγ` for r ranks with operands; any operation, in rank order. Long
/// vectors are processed in slices. Two scratch vectors. r = 3: 1'→0', then 2'→0', then 0'→root.
final class ReduceInter implements Algorithm {
    @Override
    public long sliceElements(Collective call) {
        return SCRATCH_VECTOR_BYTES / call.send.type.bytes();
    }

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        long bytes = count * call.send.type.bytes();
        long at = first * call.send.type.bytes();
        if (RootSide.isRoot(call)) {
            out.receive(call.port().peerBase(), Schedule.RECV_BUFFER + at, bytes);
        } else if (RootSide.isOther(call)) {
            long result = LocalGroup.reduce(call, Schedule.SEND_BUFFER + at, count, out);
            if (LocalGroup.isLeader(call.port())) out.send(call.root, result, bytes);
        }
    }
}
