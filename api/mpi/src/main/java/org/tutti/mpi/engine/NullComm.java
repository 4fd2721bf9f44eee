package org.tutti.mpi.engine;

import org.tutti.spi.CommPort;

/// The port of a rank for which a call has created no communicator. In C, this is `MPI_COMM_NULL`.
public final class NullComm extends CommPort {
    private final String why;

    /// @param rank the number for an undefined rank
    /// @param why the reason that errors state if the communicator is used
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
