package org.tutti.coll;

import org.tutti.spi.Collective;

/// Scan and exscan in which the range of combined ranks doubles in every round (Hillis and Steele, 1986).
///
/// `⌈log₂ p⌉·(α + nβ + nγ)`, for exscan twice the work; any p, any operation, in rank order; long vectors are
/// processed in slices. In the round with distance d, rank r sends the combination of the d ranks that end with
/// r to rank r + d, and prepends the combination that it receives from r - d. Exscan maintains a second
/// combination, of all lower ranks, in the result; rank 0 has none and leaves `recv` unchanged.
///
/// p = 4: distance 1: 0→1→2→3, so rank 3 has (2·3), rank 2 (1·2); distance 2: 0→2, 1→3: (0·1)·(2·3), 0·(1·2).
final class ScanRecursiveDoubling implements Algorithm {
    @Override
    public long sliceElements(Collective call) {
        return Math.max(1, SCRATCH_VECTOR_BYTES / call.send.type.bytes());
    }

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        boolean exclusive = call.kind == Collective.Kind.EXSCAN;
        long bytes = count * call.send.type.bytes();
        long operand = Schedule.operand(call) + first * call.send.type.bytes();
        long result = Schedule.RECV_BUFFER + first * call.send.type.bytes();
        long arriving = out.scratch(bytes);
        long upToMe = exclusive ? out.scratch(bytes) : result;
        out.copy(operand, upToMe, bytes);
        for (int distance = 1; distance < size; distance <<= 1) {
            boolean receives = rank >= distance;
            boolean isFirst = distance == 1;
            long into = exclusive && isFirst ? result : arriving;
            if (receives) out.receive(rank - distance, into, bytes);
            if (rank + distance < size) out.send(rank + distance, upToMe, bytes);
            out.await();
            if (!receives) continue;
            if (exclusive && !isFirst) out.reduce(into, result, count);
            // an exscan computes only combinations that are sent
            if (!exclusive || rank + 2 * distance < size) out.reduce(into, upToMe, count);
        }
    }
}
