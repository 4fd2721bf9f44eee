package org.tutti.coll;

import org.tutti.spi.Collective;

/// Barrier in which every rank receives a signal, directly or indirectly, from every other rank (Hensgen,
/// Finkel and Manber, 1988).
///
/// `⌈log₂ p⌉·α`; any p. In round k, rank r signals r + 2ᵏ and receives from r - 2ᵏ. p = 3: round 0: 0→1→2→0, so
/// each rank has the signals of two ranks; round 1 (distance 2): 0→2→1→0, so each rank has all three.
final class BarrierDissemination implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        int rank = call.port().rank();
        int size = call.port().size();
        for (long distance = 1; distance < size; distance <<= 1) {
            out.receive((int) ((rank - distance + size) % size), Schedule.RECV_BUFFER, 0);
            out.send((int) ((rank + distance) % size), Schedule.RECV_BUFFER, 0);
            out.await();
        }
    }
}
