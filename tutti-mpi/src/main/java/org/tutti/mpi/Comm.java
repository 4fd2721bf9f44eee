package org.tutti.mpi;

import org.tutti.mpi.spi.CommPort;
import org.tutti.mpi.spi.Engine;

/// A communicator: a group of ranks and a context, so that messages of different communicators never
/// meet.
///
/// Ranks are those of this communicator. A tag is a number from 0 to `tagUpperBound()`; where none is
/// given a send uses 0 and a receive takes any. Typed messages must be received with the type they were
/// sent with. MPI 4.1, chapters 3, 6 and 7.
///
/// `world` and `self` are simply there; communicators from [#split] and [#dup] are [OwnedComm]s and
/// closed by whoever made them.
///
/// Its operations fill a few pages, each a class of its own: [TypedMessages], [NonblockingMessages],
/// [ObjectCalls], [BlockingCollectives], [NonblockingCollectives]; a program sees them all here.
public sealed class Comm extends NonblockingCollectives permits OwnedComm {
    Comm(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    /// One of those that are simply there.
    static Comm of(Mpi mpi, CommPort port) {
        return new Comm(mpi, port);
    }

    // ---- new communicators

    /// A communicator for each `color`, its ranks ordered by `key` and then by rank here. Collective. A
    /// rank that passes [#UNDEFINED] takes part and gets a communicator without ranks, which answers
    /// `size() == 0` and nothing else. MPI 4.1, section 7.4.2.
    public final OwnedComm split(int color, int key) {
        Engine engine = begin("split");
        if (color < 0 && color != UNDEFINED) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG, "split", "color=" + color + " is negative and not UNDEFINED", port);
        }
        CommPort part = engine.split(port, color == UNDEFINED ? -1 : color, key);
        return new OwnedComm(mpi, part == null ? new NoRanks() : part);
    }

    /// The same ranks in a new context: for libraries, whose messages must not meet their user's.
    /// Collective. MPI 4.1, section 7.4.2.
    public final OwnedComm dup() {
        return new OwnedComm(mpi, begin("dup").dup(port));
    }

    @Override
    public String toString() {
        return "Comm (" + port + ")";
    }

    /// The port of a rank that is in none of the parts.
    private static final class NoRanks extends CommPort {
        NoRanks() {
            super(UNDEFINED, 0, "NULL");
        }

        @Override
        public int worldRank(int rank) {
            throw new IndexOutOfBoundsException("rank " + rank + " of a communicator without ranks");
        }
    }
}
