package org.tutti.inspect;

import java.util.BitSet;
import org.tutti.spi.CallSignature;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;

/// Describes waiting activities, and determines the ranks of the world that could end the wait.
final class WaitText {
    private WaitText() {}

    /// Describes a message, for example as `recv(source=1, tag=7) on WORLD`.
    static String what(Transfer t) {
        String where = " on " + t.port().name();
        String tag = t.lane == Transfer.Lane.PARTITIONED
                ? ", in partitions"
                : ", tag=" + (t.tag == Transfer.ANY_TAG ? "any" : t.tag);
        if (t.kind == Transfer.Kind.SEND) {
            return t.operation + "(dest=" + (t.peer - t.port().peerBase()) + tag + ", " + t.lengthBytes + " bytes)"
                    + where;
        }
        return t.operation + "(source="
                + (t.peer == Transfer.ANY_SOURCE ? "any" : t.peer - t.port().peerBase()) + tag + ")" + where;
    }

    /// Describes a collective call, for example as `bcast(4 INT, root=1) on WORLD, call 7`.
    static String what(Collective c) {
        String call = CallSignature.describe(CallSignature.a(c), CallSignature.b(c), c.port());
        return c.operation + call.substring(call.indexOf('(')) + " on "
                + c.port().name() + ", call " + c.number();
    }

    /// Adds the ranks that can act so that the message is transferred. At least one of these must act.
    static void addWakers(Transfer t, BitSet wakers) {
        CommPort port = t.port();
        if (t.peer >= 0) add(port, t.peer, wakers);
        else for (int r = 0; r < port.peerSize(); r++) add(port, port.peerBase() + r, wakers);
    }

    /// Adds a rank of the port, unless the rank is in a different world: a wait for such a rank can end
    /// independently of this world.
    static void add(CommPort port, int rank, BitSet ranks) {
        int inWorld = port.worldRank(rank);
        if (inWorld >= 0) ranks.set(inWorld);
    }

    /// Returns all ranks of the port in this world, except this rank.
    static BitSet others(CommPort port) {
        BitSet others = new BitSet();
        for (int r = 0; r < port.size(); r++) if (r != port.rank()) add(port, r, others);
        return others;
    }

    /// Returns the ranks that must enter this call before it can end on this rank, with any algorithm (MPI 4.1,
    /// section 6.1); empty if these ranks depend on more than the kind and the root, if the call has no data, or
    /// if it is between two groups.
    static BitSet needs(Collective c) {
        CommPort port = c.port();
        if (c.inter || CallSignature.b(c) == 0 && c.kind != Collective.Kind.BARRIER) return new BitSet();
        return switch (c.kind) {
            case BARRIER, ALLREDUCE, ALLGATHER, ALLTOALL, REDUCE_SCATTER -> others(port);
            case REDUCE -> port.rank() == c.root ? others(port) : new BitSet();
            case BCAST -> {
                BitSet root = new BitSet();
                if (port.rank() != c.root) add(port, c.root, root);
                yield root;
            }
            case SCAN, EXSCAN -> {
                BitSet lower = new BitSet();
                for (int r = 0; r < port.rank(); r++) add(port, r, lower);
                yield lower;
            }
            case GATHER, SCATTER, ALLTOALLW, NEIGHBOR_ALLGATHER, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLW -> new BitSet();
        };
    }
}
