package org.tutti.coll;

import org.tutti.spi.Collective;

/// Barrier in which every rank hears, directly or not, of every other rank (Hensgen, Finkel and Manber, 1988).
///
/// `⌈log₂ p⌉·α`; any p. In round k rank r tells r + 2ᵏ and hears from r - 2ᵏ. p = 3: round 0: 0→1→2→0, so
/// each knows of itself and the one below; round 1 (distance 2): 0→2→1→0, so each knows of all three.
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
