package org.tutti.mpi;

import java.util.Optional;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;

/// The chapter of [Comm] on what a communicator is to the caller: rank, size, name, and the constants that
/// stand for a rank, a tag or a color. Local. MPI 4.1, sections 7.4.1 and 7.8.
public abstract sealed class CommAccessors extends CommHandle permits BlockingPointToPoint {
    /// Any sender, as the source of a receive.
    public static final int ANY_SOURCE = Transfer.ANY_SOURCE;

    /// Any tag, in a receive.
    public static final int ANY_TAG = Transfer.ANY_TAG;

    /// Nobody, as a destination or a source: the operation completes at once and moves nothing (MPI 4.1,
    /// 3.11).
    public static final int PROC_NULL = Transfer.PROC_NULL;

    /// The caller itself, as the root of a collective operation between two groups; the other ranks of its
    /// group pass [#PROC_NULL] there, those of the remote group its rank (MPI 4.1, section 6.2.3).
    public static final int ROOT = -3;

    /// The color of a rank that wants to be in no part of a split.
    public static final int UNDEFINED = -32766;

    CommAccessors(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    /// Returns the caller's rank, from 0 to `size() - 1`; of an intercommunicator, in the local group. Local.
    /// `MPI_Comm_rank`, MPI 4.1, section 7.4.1.
    public final int rank() {
        return port.localRank();
    }

    /// Returns the number of ranks; of an intercommunicator, in the local group. 0 for a communicator without
    /// ranks, which [Comm#split(int, int)] and the like give to who is in none. Local. `MPI_Comm_size`, MPI
    /// 4.1, section 7.4.1.
    public final int size() {
        return port.localSize();
    }

    /// Returns what errors call it. Local. `MPI_Comm_get_name`, MPI 4.1, section 7.8.
    public final String name() {
        return port.name();
    }

    /// Returns what the job has failed with, for who waits for something beside MPI that other ranks have a part
    /// in: a library between devices, a file. Empty while it has not failed. Never waits. Local.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final Optional<MpiException> failure() {
        EngineCalls engine = begin("failure");
        try {
            engine.move();
            return Optional.empty();
        } catch (MpiException e) {
            return Optional.of(e);
        }
    }

    /// Returns the largest tag; at least 32767. Local. `MPI_TAG_UB`, MPI 4.1, section 9.1.2.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    public final int tagUpperBound() {
        return mpi.engine("tagUpperBound").info().tagUpperBound();
    }
}
