package org.tutti.coll;

import org.tutti.spi.Collective;

/// Reduction up a binomial tree.
///
/// `⌈log₂ p⌉·(α + nβ + nγ)`; any p, any operation; for short vectors and noncommutative operations. Vectors
/// longer than a slice flow through the tree in slices, so all levels work at the same time. Two scratch
/// vectors.
///
/// A commutative operation is reduced towards the root, with ranks counted from the root. A noncommutative
/// operation is reduced in rank order towards rank 0, which sends the result to the root. p = 4, root 0: 1→0
/// and 3→2: 0 holds (0·1), 2 holds (2·3); 2→0: 0 holds ((0·1)·(2·3)).
final class ReduceBinomial implements Algorithm {
    @Override
    public long sliceElements(Collective call) {
        return Math.max(1, SCRATCH_VECTOR_BYTES / call.send.type.bytes());
    }

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int top = call.reduction().isCommutative() ? call.root : 0;
        int rank = (call.port().rank() - top + size) % size;
        boolean isRoot = call.port().rank() == call.root;
        long bytes = count * call.send.type.bytes();
        long result = Schedule.RECV_BUFFER + first * call.send.type.bytes();
        long one = out.scratch(bytes);
        long other = out.scratch(bytes);

        int reach = BinomialTree.reach(rank, size);
        long partial = Schedule.operand(call) + first * call.send.type.bytes();
        for (int distance = 1; distance < reach && rank + distance < size; distance <<= 1) {
            boolean last = rank == 0 && distance == BinomialTree.farthestChild(0, size);
            // The last operand is combined directly in the result buffer, unless this buffer contains this
            // rank's operand.
            long into = last && isRoot && !call.inPlace ? result : partial == one ? other : one;
            out.receive((rank + distance + top) % size, into, bytes);
            out.await();
            out.reduce(partial, into, count);
            partial = into;
        }

        if (rank != 0) {
            out.send((rank - reach + top) % size, partial, bytes);
            out.await();
            if (isRoot) out.receive(top, result, bytes);
        } else if (isRoot) {
            out.copy(partial, result, bytes);
        } else {
            out.send(call.root, partial, bytes);
        }
        out.await();
    }
}
