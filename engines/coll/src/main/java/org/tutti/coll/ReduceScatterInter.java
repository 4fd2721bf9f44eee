package org.tutti.coll;

import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;

/// Reduce-scatter between two groups: each group reduces to its leader, the leaders exchange the results, and
/// each leader distributes the received result in blocks of the local group.
///
/// `(1 + ⌈log₂ g⌉)·(α + nβ) + ⌈log₂ g⌉·nγ`, and g - 1 messages from the leader; any operation, in rank order.
/// Long vectors are processed in slices; from each slice, a rank gets only the part that falls into its block.
/// Three scratch vectors.
final class ReduceScatterInter implements Algorithm {
    @Override
    public long sliceElements(Collective call) {
        return SCRATCH_VECTOR_BYTES / call.send.type.bytes();
    }

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        CommPort port = call.port();
        long bytes = count * call.send.type.bytes();
        long at = first * call.send.type.bytes();
        long partial = LocalGroup.reduce(call, Schedule.SEND_BUFFER + at, count, out);
        if (!LocalGroup.isLeader(port)) {
            long mine = part(call, port.localRank(), at, bytes);
            if (mine > 0) out.receive(port.localBase(), own(call, port.localRank(), at), mine);
            return;
        }
        long result = out.scratch(bytes);
        LocalGroup.exchange(port, partial, result, bytes, out);
        for (int r = 1; r < port.localSize(); r++) {
            long his = part(call, r, at, bytes);
            long from = result + Math.max(call.recv.blockOffset(r) - at, 0);
            if (his > 0) out.send(port.localBase() + r, from, his);
        }
        long mine = part(call, 0, at, bytes);
        if (mine > 0) out.copy(result + Math.max(call.recv.blockOffset(0) - at, 0), own(call, 0, at), mine);
    }

    /// Returns how many bytes of a slice belong to the block of rank `r`. The slice has `bytes` bytes and
    /// starts at offset `at`.
    private static long part(Collective call, int r, long at, long bytes) {
        long begin = Math.max(call.recv.blockOffset(r), at);
        long end = Math.min(call.recv.blockOffset(r) + call.recv.blockBytes(r), at + bytes);
        return Math.max(end - begin, 0);
    }

    /// Returns the place, in the result of rank `r`, at which the slice's part of the block of rank `r` begins.
    private static long own(Collective call, int r, long at) {
        return Schedule.RECV_BUFFER + Math.max(at - call.recv.blockOffset(r), 0);
    }
}
