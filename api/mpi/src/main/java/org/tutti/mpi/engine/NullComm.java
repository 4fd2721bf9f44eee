package org.tutti.mpi.engine;

import org.tutti.spi.CommPort;

/// The port that a rank receives if a call, such as a split, has created no communicator for this rank. In C,
/// this is `MPI_COMM_NULL`.
public final class NullComm extends CommPort {
    private final String why;

    /// @param rank `UNDEFINED`, which the port returns as the rank
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
