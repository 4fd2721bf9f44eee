package org.tutti.coll;

import org.tutti.spi.Collective;

/// Reduce-scatter in which every rank sends to each other rank the block of the operand for that rank, and
/// combines the received blocks in rank order.
///
/// `(p-1)·α + n(p-1)/p·(β + γ)`: the volume and work per rank of a ring, with one wait instead of p-1; any p,
/// any blocks, any operation. Long operands are divided into slices, each with a part of every block; scratch
/// memory holds p-1 parts. p = 3: rank 1 sends block 0 to 0 and block 2 to 2, receives block 1 from ranks 0 and
/// 2, and combines 0·1·2.
///
/// In a call in place, the result overwrites the operand, which is needed until the last slice. Therefore this
/// rank's block is first combined at its position in the operand, and is moved to the start of the buffer after
/// the last slice.
final class ReduceScatterPairwise implements Algorithm {
    /// Maximum total size of the parts that a rank receives for one slice.
    private static final long SLICE_BYTES = 4 * SCRATCH_VECTOR_BYTES;

    /// Returns the number of elements per slice. It is chosen such that p times the longest part in a slice is
    /// at most about [#SLICE_BYTES]. Depends only on the blocks, which are equal on all ranks.
    @Override
    public long sliceElements(Collective call) {
        int size = call.port().size();
        long longest = 0;
        for (int r = 0; r < size; r++) longest = Math.max(longest, call.recv.blockBytes(r));
        long slices = Math.ceilDiv(longest, Math.max(call.send.type.bytes(), SLICE_BYTES / size));
        return Math.ceilDiv(call.send.count, Math.max(1, slices));
    }

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        int width = call.send.type.bytes();
        long sliceElements = Math.max(1, sliceElements(call));
        int slices = Math.toIntExact(Math.max(1, Math.ceilDiv(call.send.count, sliceElements)));
        int slice = Math.toIntExact(first / sliceElements);
        long operand = Schedule.operand(call);
        long ownElements = call.recv.blockBytes(rank) / width;
        long start = Algorithm.partStart(ownElements, slices, slice);
        long length = Algorithm.partStart(ownElements, slices, slice + 1) - start;
        long own = operand + call.recv.blockOffset(rank) + start * width;
        long result = call.inPlace ? own : Schedule.RECV_BUFFER + start * width;

        long partBytes = length * width;
        long arrived = out.scratch(partBytes * (size - 1));
        for (int distance = 1; distance < size; distance++) {
            int source = (rank - distance + size) % size;
            int destination = (rank + distance) % size;
            out.receive(source, place(arrived, source, rank, partBytes), partBytes);
            long elements = call.recv.blockBytes(destination) / width;
            long from = Algorithm.partStart(elements, slices, slice);
            long to = Algorithm.partStart(elements, slices, slice + 1);
            out.send(destination, operand + call.recv.blockOffset(destination) + from * width, (to - from) * width);
        }
        out.await();

        // inout[i] = in[i] op inout[i]: `in` is the combination so far, `inout` the part of the next rank
        long partial = rank == 0 ? own : place(arrived, 0, rank, partBytes);
        for (int r = 1; r < size; r++) {
            long next = r == rank ? ownCopy(call, own, result, partBytes, out) : place(arrived, r, rank, partBytes);
            out.reduce(partial, next, length);
            partial = next;
        }
        out.copy(partial, result, partBytes);
        if (call.inPlace && first + count >= call.send.count) {
            out.copy(operand + call.recv.blockOffset(rank), Schedule.RECV_BUFFER, call.recv.blockBytes(rank));
        }
    }

    /// Copies this rank's part of the operand to `result`, where the reduction may overwrite it. Returns
    /// `result`.
    private static long ownCopy(Collective call, long own, long result, long bytes, Schedule out) {
        out.copy(own, result, bytes);
        return result;
    }

    private static long place(long arrived, int source, int rank, long partBytes) {
        return arrived + (source < rank ? source : source - 1) * partBytes;
    }
}
