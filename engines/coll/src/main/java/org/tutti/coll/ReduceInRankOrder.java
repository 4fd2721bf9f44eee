package org.tutti.coll;

import org.tutti.spi.Collective;

/// Reduce and allreduce with a result bitwise equal to that of a loop over the ranks: rank r combines
/// the r-th part of the vector, operand by operand, and sends the result to the root or to all ranks.
///
/// `2(p-1)·α + 2n(p-1)/p·β + n(p-1)/p·γ` with two waits. In a reduce, the second exchange, of the results, costs
/// less, because only the root receives them. Any p, any operation. Long vectors are divided into slices. p = 3:
/// rank 1 sends part 0 to 0 and part 2 to 2, receives part 1 from ranks 0 and 2, computes `(a0 op a1) op a2`,
/// and sends that.
final class ReduceInRankOrder implements Algorithm {
    @Override
    public long sliceElements(Collective call) {
        return SCRATCH_VECTOR_BYTES / call.send.type.bytes();
    }

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        int width = call.send.type.bytes();
        long operand = Schedule.operand(call) + first * width;
        long own = Algorithm.partStart(count, size, rank) * width;
        long ownBytes = Algorithm.partStart(count, size, rank + 1) * width - own;
        long all = out.scratch(ownBytes * size);
        for (int distance = 1; distance < size; distance++) {
            int source = (rank - distance + size) % size;
            int destination = (rank + distance) % size;
            long from = Algorithm.partStart(count, size, destination) * width;
            long to = Algorithm.partStart(count, size, destination + 1) * width;
            out.receive(source, all + source * ownBytes, ownBytes);
            out.send(destination, operand + from, to - from);
        }
        out.copy(operand + own, all + rank * ownBytes, ownBytes);
        out.await();
        for (int r = 1; r < size; r++) out.reduce(all + (r - 1) * ownBytes, all + r * ownBytes, ownBytes / width);
        distribute(call, first, count, all + (size - 1) * ownBytes, out);
    }

    private static void distribute(Collective call, long first, long count, long combined, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        int width = call.send.type.bytes();
        boolean toAll = call.kind == Collective.Kind.ALLREDUCE;
        long result = Schedule.RECV_BUFFER + first * width;
        long own = Algorithm.partStart(count, size, rank) * width;
        long ownBytes = Algorithm.partStart(count, size, rank + 1) * width - own;
        for (int distance = 1; distance < size; distance++) {
            int source = (rank - distance + size) % size;
            int destination = (rank + distance) % size;
            long from = Algorithm.partStart(count, size, source) * width;
            long to = Algorithm.partStart(count, size, source + 1) * width;
            if (toAll || rank == call.root) out.receive(source, result + from, to - from);
            if (toAll || destination == call.root) out.send(destination, combined, ownBytes);
        }
        if (toAll || rank == call.root) out.copy(combined, result + own, ownBytes);
        out.await();
    }
}
