package org.tutti.coll;

import org.tutti.spi.Collective;

/// Allreduce in which pairs at distance 1, 2, 4, … exchange all combined data.
///
/// `⌊log₂ p⌋·(α + nβ + nγ)`, two more rounds if p is not a power of two; any operation; for short vectors, and
/// for all noncommutative operations. One scratch vector.
///
/// Each rank holds the combination of a contiguous range of ranks and exchanges it with the owner of the
/// adjacent range; both ranks put the operand of the lower range first. Operands therefore stay in rank order,
/// and the two ranks get the same bits. With p = 2ᵏ + m, the first 2m ranks start as m pairs: the even rank of
/// a pair sends its operand to the odd rank, and receives the result at the end.
///
/// p = 6: 0→1, 2→3; now 1 has (0·1), 3 has (2·3), and 4 and 5 have one operand each. 1⇄3, 4⇄5; then 1⇄4 and 3⇄5
/// combine (0·1·2·3) with (4·5). 1→0, 3→2.
final class AllreduceRecursiveDoubling implements Algorithm {
    @Override
    public long sliceElements(Collective call) {
        return Math.max(1, SCRATCH_VECTOR_BYTES / call.send.type.bytes());
    }

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        long bytes = count * call.send.type.bytes();
        long operand = Schedule.operand(call) + first * call.send.type.bytes();
        long result = Schedule.RECV_BUFFER + first * call.send.type.bytes();
        int power = Integer.highestOneBit(size);
        int extra = size - power;
        boolean paired = rank < 2 * extra;

        if (paired && rank % 2 == 0) {
            out.send(rank + 1, operand, bytes);
            out.await();
            out.receive(rank + 1, result, bytes);
            return;
        }

        int group = paired ? rank / 2 : rank - extra;
        // If the partner's rank is higher, the sum is computed in the buffer that holds the received data, and
        // the two buffers swap roles. The first buffer is chosen so that the sum is in the result buffer after
        // the last swap.
        int changes = Integer.bitCount(power - 1) - Integer.bitCount(group);
        long scratch = out.scratch(bytes);
        long partial = changes % 2 == 0 ? result : scratch;
        long arriving = changes % 2 == 0 ? scratch : result;
        out.copy(operand, partial, bytes);

        if (paired) {
            out.receive(rank - 1, arriving, bytes);
            out.await();
            out.reduce(arriving, partial, count);
        }
        for (int distance = 1; distance < power; distance <<= 1) {
            int partnerGroup = group ^ distance;
            int partner = partnerGroup < extra ? 2 * partnerGroup + 1 : partnerGroup + extra;
            out.receive(partner, arriving, bytes);
            out.send(partner, partial, bytes);
            out.await();
            if (partner < rank) {
                out.reduce(arriving, partial, count);
            } else {
                out.reduce(partial, arriving, count);
                long swap = partial;
                partial = arriving;
                arriving = swap;
            }
        }
        if (paired) out.send(rank - 1, result, bytes);
        out.await();
    }
}
