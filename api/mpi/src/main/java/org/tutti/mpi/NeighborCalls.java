package org.tutti.mpi;

import org.tutti.mpi.topology.Neighborhood;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.Collective.Neighbors;
import org.tutti.spi.CommPort;

/// Describes the calls between a rank and its neighbors, as [Collectives] does for calls among all ranks.
final class NeighborCalls {
    private static final String SOURCES = "sources", DESTINATIONS = "destinations";

    private final CommPort port;
    private final Neighborhood neighborhood;
    private final int sources;
    private final int destinations;
    private final CollectiveChecks check;

    NeighborCalls(CommPort port, Neighborhood neighborhood) {
        this.port = port;
        this.neighborhood = neighborhood;
        Neighbors neighbors = neighborhood.neighbors();
        sources = neighbors.sources().length;
        destinations = neighbors.destinations().length;
        check = new CollectiveChecks(port);
    }

    /// Returns the neighbors. Throws if communication between neighbors is impossible.
    Neighbors neighbors(String operation) {
        String problem = neighborhood.problem();
        if (problem != null) throw MpiException.argument(ErrorClass.ERR_TOPOLOGY, operation, problem, port);
        return neighborhood.neighbors();
    }

    private Collective filled(Collective c, String operation, Kind kind) {
        Neighbors among = neighbors(operation);
        c.fill(operation, port, kind, 0);
        c.neighbors = among;
        return c;
    }

    Collective allgather(Collective c, String operation, Buf send, Buf recv) {
        sends(operation, send);
        long each = receives(operation, recv);
        disjoint(operation, send, recv);
        filled(c, operation, Kind.NEIGHBOR_ALLGATHER);
        c.send.count = send.wireCount();
        return between(c, send, recv, each);
    }

    Collective alltoall(Collective c, String operation, Buf send, Buf recv) {
        sends(operation, send);
        long each = receives(operation, recv);
        disjoint(operation, send, recv);
        long eachSent = destinations == 0 ? 0 : check.each(operation, "send", send, destinations, DESTINATIONS);
        filled(c, operation, Kind.NEIGHBOR_ALLTOALL);
        c.send.count = eachSent * send.units();
        c.send.blocks = destinations == 0 ? null : send.wireBlocks();
        return between(c, send, recv, each);
    }

    private Collective between(Collective c, Buf send, Buf recv, long each) {
        c.send.memory = send.toMemory(c.send);
        c.recv.memory = recv.toMemory(c.recv);
        c.send.type = send.datatype().elements().basic();
        c.recv.count = each * recv.units();
        c.recv.type = recv.datatype().elements().basic();
        c.recv.blocks = sources == 0 ? null : recv.wireBlocks();
        return c;
    }

    Collective alltoallw(Collective c, String operation, Buf[] send, Buf[] recv) {
        check.partsToReceive(operation, recv, sources, SOURCES);
        check.parts(operation, "send", send, destinations, DESTINATIONS);
        filled(c, operation, Kind.NEIGHBOR_ALLTOALLW);
        Neighbors neighbors = neighborhood.neighbors();
        c.send.parts = Collectives.parts(send, neighbors.destinations());
        c.recv.parts = Collectives.parts(recv, neighbors.sources());
        return c;
    }

    private void sends(String operation, Buf send) {
        if (send == Buf.IN_PLACE) throw noPlace(operation, "send");
        if (destinations > 0) check.data(operation, "send", send);
    }

    /// Returns the number of elements of each block that a neighbor sends; 0 if the buffer describes the
    /// blocks.
    private long receives(String operation, Buf recv) {
        if (recv == Buf.IN_PLACE) throw noPlace(operation, "recv");
        if (sources == 0) return 0;
        check.target(operation, "recv", recv);
        return check.each(operation, "recv", recv, sources, SOURCES);
    }

    private void disjoint(String operation, Buf send, Buf recv) {
        if (sources > 0 && destinations > 0) check.disjoint(operation, send, recv, recv.sizeBytes());
    }

    private MpiException noPlace(String operation, String name) {
        return MpiException.argument(
                ErrorClass.ERR_BUFFER,
                operation,
                name + " is IN_PLACE, which neighborhood collectives do not support; pass a buffer",
                port);
    }
}
