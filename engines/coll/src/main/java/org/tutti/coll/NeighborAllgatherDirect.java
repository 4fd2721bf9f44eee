package org.tutti.coll;

import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Neighbors;
import org.tutti.spi.Transfer;

/// Neighbor allgather in which each rank sends its block to each destination.
///
/// `d·(α + n·β)` for d neighbors; any topology, any blocks; no scratch. All messages are in transit at the same
/// time, with one wait.
final class NeighborAllgatherDirect implements Algorithm {
    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        Neighbors neighbors = call.neighborhood();
        receive(call, neighbors, out);
        long bytes = call.send.count * call.send.type.bytes();
        for (int destination : neighbors.destinations()) {
            if (destination != Transfer.PROC_NULL) out.send(destination, Schedule.SEND_BUFFER, bytes);
        }
    }

    /// Receives a block from each source; the block of a null process stays unchanged.
    static void receive(Collective call, Neighbors neighbors, Schedule out) {
        int[] sources = neighbors.sources();
        for (int i = 0; i < sources.length; i++) {
            if (sources[i] == Transfer.PROC_NULL) continue;
            out.receive(sources[i], Schedule.RECV_BUFFER + call.recv.blockOffset(i), call.recv.blockBytes(i));
        }
    }
}
