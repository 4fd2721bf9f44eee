package org.tutti.mpi;

import org.tutti.spi.CommPort;

/// The port of a rank that is in none of the communicators that a call made: what C calls `MPI_COMM_NULL`.
final class NullComm extends CommPort {
    private final String why;

    /// @param why what errors say to whoever uses it
    NullComm(String why) {
        super(Comm.UNDEFINED, 0, "NULL");
        this.why = why;
    }

    String why() {
        return why;
    }

    @Override
    public int worldRank(int rank) {
        throw new IndexOutOfBoundsException("rank " + rank + " of a communicator without ranks");
    }
}
