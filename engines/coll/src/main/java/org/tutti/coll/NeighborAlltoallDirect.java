package org.tutti.coll;

import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Neighbors;
import org.tutti.spi.Transfer;

/// Neighbor alltoall in which each rank sends one block to each destination.
///
/// `d·(α + n/d·β)` for d neighbors; any topology, any blocks, including blocks with separate types; no scratch.
/// All messages are in transit at the same time, with one wait. If two ranks are neighbors more than once,
/// their messages match in order: on a ring of two ranks, each rank first sends to the right, and first
/// receives from the left.
final class NeighborAlltoallDirect implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        Neighbors neighbors = call.neighborhood();
        NeighborAllgatherDirect.receive(call, neighbors, out);
        int[] destinations = neighbors.destinations();
        for (int i : neighbors.sendOrder()) {
            if (destinations[i] == Transfer.PROC_NULL) continue;
            out.send(destinations[i], Schedule.SEND_BUFFER + call.send.blockOffset(i), call.send.blockBytes(i));
        }
    }
}
