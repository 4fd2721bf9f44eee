package org.tutti.mpi;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.topology.Neighborhood;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Neighbors;
import org.tutti.spi.CommPort;

/// A communicator whose ranks have neighbors, with collective operations that exchange data only between
/// neighbors. MPI 4.1, sections 8.6 to 8.8.
///
/// All ranks of the communicator, including ranks without neighbors, must call the operations in the same
/// order. A rank sends to the [#destinations] and receives from the [#sources]; the blocks are in the order of
/// these arrays. On each edge, the sent and the received data must have the same type signature; other
/// properties can differ. A rank may be a neighbor several times, or a neighbor of itself. A buffer also has
/// blocks for neighbors that are [Comm#PROC_NULL]; these blocks are not sent and not changed. No operation is
/// in place. A rank without sources may pass [Buf#NONE] for `recv`, and a rank without destinations may pass
/// [Buf#NONE] for `send`.
///
/// Nonblocking and persistent operations correspond to the operations of [Comm]: blocking, nonblocking and
/// persistent calls do not match each other. A call consists of messages between neighbors, so a rank waits
/// only for neighbors.
public abstract sealed class Topology extends OwnedComm permits Cartesian, Graph, DistGraph {
    final Neighborhood neighborhood;
    private final NeighborCalls describe;

    Topology(Mpi mpi, CommPort port, Neighborhood neighborhood) {
        super(mpi, port);
        this.neighborhood = neighborhood;
        describe = new NeighborCalls(port, neighborhood);
    }

    /// Returns the ranks from which this rank receives in neighborhood collectives. Local. MPI 4.1, section
    /// 8.6.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public final int[] sources() {
        begin("sources");
        return neighborhood.neighbors().sources().clone();
    }

    /// Returns the ranks to which this rank sends in neighborhood collectives. Local. MPI 4.1, section 8.6.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public final int[] destinations() {
        begin("destinations");
        return neighborhood.neighbors().destinations().clone();
    }

    final void checkRank(String operation, int rank) {
        if (rank >= 0 && rank < port.size()) return;
        throw MpiException.argument(
                ErrorClass.ERR_RANK,
                operation,
                "rank=" + rank + " is not a rank of " + port.name() + ", which has ranks 0 to " + (port.size() - 1),
                port);
    }

    // ---- the same data for every neighbor

    /// Sends `send` to every destination, and receives a block from every source into `recv`, in the order of
    /// the sources. Without [Buf#blocks(int...)], all blocks have the same length. With [Buf#blocks(int...)],
    /// `recv` has one block for each source, and block i has the length of the data from `sources()[i]`.
    /// Collective. `MPI_Neighbor_allgather` and `MPI_Neighbor_allgatherv`, MPI 4.1, section 8.6.1.
    ///
    /// @throws MpiException `ERR_COUNT` if the blocks do not fit the sources; `ERR_BUFFER` if a buffer cannot
    ///     be used in this call; `ERR_TOPOLOGY` if this is a graph that is not symmetric
    public final void neighborAllgather(Buf send, Buf recv) {
        EngineCalls engine = begin("neighborAllgather");
        run(engine, describe.allgather(blank(), "neighborAllgather", send, recv), recv);
    }

    /// Begins [#neighborAllgather(Buf, Buf)]. Collective; returns immediately. MPI 4.1, section 8.7.1.
    ///
    /// @throws MpiException as [#neighborAllgather(Buf, Buf)] for an invalid argument; a later failure is
    ///     thrown by the request
    public final Request ineighborAllgather(Buf send, Buf recv) {
        EngineCalls engine = begin("ineighborAllgather");
        return started(engine, describe.allgather(taken(), "ineighborAllgather", send, recv), send, recv);
    }

    /// Prepares [#neighborAllgather(Buf, Buf)]. Collective, blocking. MPI 4.1, section 8.8.1.
    ///
    /// @throws MpiException as [#neighborAllgather(Buf, Buf)] for an invalid argument; a later failure is
    ///     thrown by the request
    public final PersistentRequest neighborAllgatherInit(Buf send, Buf recv) {
        EngineCalls engine = begin("neighborAllgatherInit");
        Collective c = engine.collective();
        return prepared(describe.allgather(c, "neighborAllgatherInit", send, recv), send, recv);
    }

    /// Sends a value to every destination, and returns the values of the sources, in the order of the sources,
    /// in a modifiable list that contains null for [Comm#PROC_NULL]. Two messages are sent to each neighbor.
    /// Collective. MPI 4.1, section 8.6.1.
    ///
    /// @throws MpiException `ERR_TYPE` if the value cannot be sent; `ERR_TOPOLOGY` as [#neighborAllgather(Buf,
    ///     Buf)]
    public final <T extends @Nullable Object> List<T> neighborAllgatherObject(T value) {
        EngineCalls engine = begin("neighborAllgatherObject");
        Neighbors among = describe.neighbors("neighborAllgatherObject");
        return unchecked(together.allgather(engine, "neighborAllgatherObject", among, value));
    }

    // ---- different data for each neighbor

    /// Sends block i of `send` to `destinations()[i]`, and receives a block from every source into `recv`, in
    /// the order of the sources. Without [Buf#blocks(int...)], all blocks have the same length. With
    /// [Buf#blocks(int...)], `send` has one block for each destination, and `recv` has one block for each
    /// source. Collective. `MPI_Neighbor_alltoall` and `MPI_Neighbor_alltoallv`, MPI 4.1, section 8.6.2.
    ///
    /// @throws MpiException as [#neighborAllgather(Buf, Buf)]
    public final void neighborAlltoall(Buf send, Buf recv) {
        EngineCalls engine = begin("neighborAlltoall");
        run(engine, describe.alltoall(blank(), "neighborAlltoall", send, recv), recv);
    }

    /// Begins [#neighborAlltoall(Buf, Buf)]. Collective; returns immediately. MPI 4.1, section 8.7.2.
    ///
    /// @throws MpiException as [#neighborAlltoall(Buf, Buf)] for an invalid argument; a later failure is thrown
    ///     by the request
    public final Request ineighborAlltoall(Buf send, Buf recv) {
        EngineCalls engine = begin("ineighborAlltoall");
        return started(engine, describe.alltoall(taken(), "ineighborAlltoall", send, recv), send, recv);
    }

    /// Prepares [#neighborAlltoall(Buf, Buf)]. Collective, blocking. MPI 4.1, section 8.8.2.
    ///
    /// @throws MpiException as [#neighborAlltoall(Buf, Buf)] for an invalid argument; a later failure is thrown
    ///     by the request
    public final PersistentRequest neighborAlltoallInit(Buf send, Buf recv) {
        EngineCalls engine = begin("neighborAlltoallInit");
        Collective c = engine.collective();
        return prepared(describe.alltoall(c, "neighborAlltoallInit", send, recv), send, recv);
    }

    /// Sends the i-th of `values` to `destinations()[i]`, and returns the values of the sources, in the order
    /// of the sources, in a modifiable list that contains null for [Comm#PROC_NULL]. Two messages are sent to
    /// each neighbor. Collective. MPI 4.1, section 8.6.2.
    ///
    /// @throws MpiException `ERR_COUNT` if `values` does not have one value for each destination, `ERR_TYPE` if
    ///     a value cannot be sent: in these cases, no value was sent, and the neighbors continue to wait;
    ///     `ERR_TOPOLOGY` as [#neighborAllgather(Buf, Buf)]
    public final <T extends @Nullable Object> List<T> neighborAlltoallObject(List<? extends T> values) {
        EngineCalls engine = begin("neighborAlltoallObject");
        Neighbors among = describe.neighbors("neighborAlltoallObject");
        return unchecked(together.alltoall(engine, "neighborAlltoallObject", among, values));
    }

    /// Sends `send[i]` to `destinations()[i]`, and receives `recv[i]` from `sources()[i]`, each with a separate
    /// type and length. For example, a rank sends the faces of its part of a grid, and receives its neighbors'
    /// faces into the ghost cells, without a copy. [Buf#NONE] is an empty buffer. Collective.
    /// `MPI_Neighbor_alltoallw`, MPI 4.1, section 8.6.2.
    ///
    /// @throws MpiException `ERR_COUNT` if `send` or `recv` does not have one buffer for each neighbor;
    ///     `ERR_BUFFER` if a buffer cannot be used in this call; `ERR_TOPOLOGY` as [#neighborAllgather(Buf,
    ///     Buf)]
    public final void neighborAlltoallw(Buf[] send, Buf[] recv) {
        EngineCalls engine = begin("neighborAlltoallw");
        Collective c = describe.alltoallw(blank(), "neighborAlltoallw", send, recv);
        run(engine, c, Collectives.received(c, recv));
    }

    /// Begins [#neighborAlltoallw(Buf\[\], Buf\[\])]. Collective; returns immediately. MPI 4.1, section 8.7.2.
    ///
    /// @throws MpiException as [#neighborAlltoallw(Buf\[\], Buf\[\])] for an invalid argument; a later failure
    ///     is thrown by the request
    public final Request ineighborAlltoallw(Buf[] send, Buf[] recv) {
        EngineCalls engine = begin("ineighborAlltoallw");
        Collective c = describe.alltoallw(taken(), "ineighborAlltoallw", send, recv);
        return started(engine, c, Buf.NONE, Collectives.received(c, recv));
    }

    /// Prepares [#neighborAlltoallw(Buf\[\], Buf\[\])]. Collective, blocking. MPI 4.1, section 8.8.2.
    ///
    /// @throws MpiException as [#neighborAlltoallw(Buf\[\], Buf\[\])] for an invalid argument; a later failure
    ///     is thrown by the request
    public final PersistentRequest neighborAlltoallwInit(Buf[] send, Buf[] recv) {
        EngineCalls engine = begin("neighborAlltoallwInit");
        Collective c = describe.alltoallw(engine.collective(), "neighborAlltoallwInit", send, recv);
        return prepared(c, Collectives.sent(c, send), Collectives.received(c, recv));
    }
}
