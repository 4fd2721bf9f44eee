package org.tutti.mpi.engine;

import org.tutti.spi.CommPort;

/// The port of a rank that is in none of the communicators that a call made: what C calls `MPI_COMM_NULL`.
public final class NullComm extends CommPort {
    private final String why;

    /// @param rank what stands for none
    /// @param why what errors say to whoever uses it
    public NullComm(int rank, String why) {
        super(rank, 0, "NULL");
        this.why = why;
    }

    public String why() {
        return why;
    }

    @Override
    public int worldRank(int rank) {
        throw new IndexOutOfBoundsException("rank " + rank + " of a communicator without ranks");
    }
}
