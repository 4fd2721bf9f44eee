package org.tutti.coll;

import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// Alltoall, alltoallw and allgather between two groups: each rank exchanges data with every rank of the other
/// group once.
///
/// `m·α + n·β` for m ranks in the larger group and n bytes that a rank sends or receives; no scratch. In round
/// i, rank r of either group sends to r+i and receives from r-i of the other group, modulo m, if such a rank
/// exists. Ranks may be in different rounds: a rank waits only when the data in transit reaches a bound.
/// Example with the groups {0, 1} and {0'}: 0⇄0', 1 is idle; then 1→0', 0'→1.
final class AlltoallInter implements Algorithm {
    /// Maximum bytes in transit before a rank waits, as in [AlltoallPairwise].
    private static final long WINDOW_BYTES = 256 << 10;

    @Override
    public void plan(Collective call, long first, long count, Schedule out) {
        CommPort port = call.port();
        int rank = port.localRank();
        int rounds = Math.max(port.localSize(), port.peerSize());
        boolean same = call.kind == Kind.ALLGATHER;
        long underWay = 0;
        for (int i = 0; i < rounds; i++) {
            int destination = (rank + i) % rounds;
            int source = (rank - i + rounds) % rounds;
            boolean sends = destination < port.peerSize();
            boolean receives = source < port.peerSize();
            long leaving =
                    sends ? same ? call.send.count * call.send.type.bytes() : call.send.blockBytes(destination) : 0;
            long arriving = receives ? call.recv.blockBytes(source) : 0;
            if (underWay > 0 && underWay + arriving + leaving > WINDOW_BYTES) {
                out.await();
                underWay = 0;
            }
            if (receives) {
                out.receive(port.peerBase() + source, Schedule.RECV_BUFFER + call.recv.blockOffset(source), arriving);
            }
            if (sends) {
                long block = same ? 0 : call.send.blockOffset(destination);
                out.send(port.peerBase() + destination, Schedule.SEND_BUFFER + block, leaving);
            }
            underWay += arriving + leaving;
        }
    }
}
