package org.tutti.coll;

import org.tutti.spi.Collective;

/// Scan and exscan with a result bitwise equal to that of a loop over the ranks: each rank receives the
/// combination of all lower ranks, adds its operand, and sends the result to the next rank.
///
/// `(p-1)·(α + nβ + nγ)`; any p, any operation; long vectors are divided into slices. p = 3: rank 0 sends `a0`
/// to 1, which computes `a0 op a1` and sends it to 2.
final class ScanChain implements Algorithm {
    @Override
    public long sliceElements(Collective call) {
        return SCRATCH_VECTOR_BYTES / call.send.type.bytes();
    }

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        long bytes = count * call.send.type.bytes();
        long at = first * call.send.type.bytes();
        long result = Schedule.RECV_BUFFER + at;
        long below = out.scratch(bytes);
        long upToMe = out.scratch(bytes);
        out.copy(Schedule.operand(call) + at, upToMe, bytes);
        if (rank > 0) {
            out.receive(rank - 1, below, bytes);
            out.await();
            out.reduce(below, upToMe, count);
        }
        if (rank < size - 1) out.send(rank + 1, upToMe, bytes);
        if (call.kind == Collective.Kind.SCAN) out.copy(upToMe, result, bytes);
        else if (rank > 0) out.copy(below, result, bytes);
        out.await();
    }
}
