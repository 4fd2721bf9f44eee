package org.tutti.coll;

import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;

/// Allreduce between two groups: each group reduces to its leader, the leaders exchange the results, and each
/// leader broadcasts the received result.
///
/// `(1 + 2⌈log₂ g⌉)·(α + nβ) + ⌈log₂ g⌉·nγ` for g ranks in the larger group; any operation, in rank order. Long
/// vectors are processed in slices. Two scratch vectors. Example with the groups {0, 1} and {0'}: 1→0; 0⇄0';
/// 0→1.
final class AllreduceInter implements Algorithm {
    @Override
    public long sliceElements(Collective call) {
        return Math.max(1, SCRATCH_VECTOR_BYTES / call.send.type.bytes());
    }

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        CommPort port = call.port();
        long bytes = count * call.send.type.bytes();
        long at = first * call.send.type.bytes();
        long partial = LocalGroup.reduce(call, Schedule.SEND_BUFFER + at, count, out);
        long result = Schedule.RECV_BUFFER + at;
        if (LocalGroup.isLeader(port)) LocalGroup.exchange(port, partial, result, bytes, out);
        LocalGroup.bcast(port, result, bytes, out);
    }
}
