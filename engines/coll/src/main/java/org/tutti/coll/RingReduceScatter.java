package org.tutti.coll;

import org.tutti.spi.Collective;

/// The first half of ring reductions: the vector is divided into p parts, and each part travels once around the
/// ring, where every rank adds its operand. `(p-1)·α + n(p-1)/p·(β + γ)`.
///
/// p = 3: step 0: rank r sends part r of the operand to r+1; step 1: r adds its operand to part r-1 and sends
/// the sum to r+1; then rank r has the complete sum of part r+1.
final class RingReduceScatter {
    private RingReduceScatter() {}

    /// Returns the maximum number of elements for [#append]. This bounds the size of the scratch vectors, each
    /// of which holds one part.
    static long sliceElements(Collective call) {
        return Math.max(1, Algorithm.SCRATCH_VECTOR_BYTES / call.send.type.bytes())
                * call.port().size();
    }

    /// Returns the part that is complete on `rank` after the ring.
    static int completePart(int rank, int size) {
        return (rank + 1) % size;
    }

    /// Appends the instructions of the ring. Returns the place of the complete part: if `toResult`, in the
    /// vector that begins at `result`, otherwise in scratch memory. With one rank, copies the operand to
    /// `result`.
    static long append(Collective call, long first, long count, boolean toResult, long result, Schedule out) {
        int size = call.port().size();
        int rank = call.port().rank();
        int width = call.send.type.bytes();
        int right = (rank + 1) % size;
        int left = (rank - 1 + size) % size;
        long operand = Schedule.operand(call) + first * width;
        if (size == 1) {
            out.copy(operand, result, count * width);
            return result;
        }
        long partBytes = Algorithm.partStart(count, size, 1) * width; // part 0 is the longest
        long arriving = out.scratch(partBytes);
        long leaving = out.scratch(partBytes);

        long carried = operand + Algorithm.partStart(count, size, rank) * width;
        for (int step = 0; step < size - 1; step++) {
            int sent = (rank - step + size) % size;
            int received = (left - step + size) % size;
            long start = Algorithm.partStart(count, size, received);
            long length = Algorithm.partStart(count, size, received + 1) - start;
            // The local operand is always the first operand and the arriving sum the second, even in a call in
            // place, so that the bits of the result do not depend on the buffers.
            long into = step == size - 2 && toResult && !call.inPlace ? result + start * width : arriving;
            out.receive(left, into, length * width);
            out.send(right, carried, partLength(count, size, sent) * width);
            out.await();
            out.reduce(operand + start * width, into, length);
            carried = into;
            arriving = leaving;
            leaving = into;
        }
        if (!toResult) return carried;
        int complete = completePart(rank, size);
        long place = result + Algorithm.partStart(count, size, complete) * width;
        out.copy(carried, place, partLength(count, size, complete) * width);
        return place;
    }

    static long partLength(long count, int size, int part) {
        return Algorithm.partStart(count, size, part + 1) - Algorithm.partStart(count, size, part);
    }
}
