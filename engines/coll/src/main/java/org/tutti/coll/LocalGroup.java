package org.tutti.coll;

import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;

/// The steps that algorithms between two groups execute within the caller's group: reduce to the leader, and
/// broadcast from the leader. The leader is the first rank of the group.
final class LocalGroup {
    private LocalGroup() {}

    static boolean isLeader(CommPort port) {
        return port.localRank() == 0;
    }

    /// Reduces the `count` elements at `operand` of every rank up a binomial tree, in rank order. Returns the
    /// place of the result, which is valid only at the leader: the operand itself in a group of one rank,
    /// otherwise scratch memory.
    static long reduce(Collective call, long operand, long count, Schedule out) {
        CommPort port = call.port();
        int size = port.localSize();
        int rank = port.localRank();
        int base = port.localBase();
        long bytes = count * call.send.type.bytes();
        long one = out.scratch(bytes);
        long other = out.scratch(bytes);
        long partial = operand;
        int reach = BinomialTree.reach(rank, size);
        for (int distance = 1; distance < reach && rank + distance < size; distance <<= 1) {
            long into = partial == one ? other : one;
            out.receive(base + rank + distance, into, bytes);
            out.await();
            out.reduce(partial, into, count);
            partial = into;
        }
        if (rank != 0) {
            out.send(base + rank - reach, partial, bytes);
            out.await();
        }
        return partial;
    }

    /// Broadcasts the leader's `bytes` at `place` down a binomial tree.
    static void bcast(CommPort port, long place, long bytes, Schedule out) {
        int size = port.localSize();
        int rank = port.localRank();
        int base = port.localBase();
        if (rank != 0) {
            out.receive(base + rank - BinomialTree.reach(rank, size), place, bytes);
            out.await();
        }
        for (int distance = BinomialTree.farthestChild(rank, size); distance > 0; distance >>= 1) {
            out.send(base + rank + distance, place, bytes);
        }
        out.await();
    }

    /// Exchanges `bytes` between the leaders.
    static void exchange(CommPort port, long from, long to, long bytes, Schedule out) {
        out.receive(port.peerBase(), to, bytes);
        out.send(port.peerBase(), from, bytes);
        out.await();
    }
}
