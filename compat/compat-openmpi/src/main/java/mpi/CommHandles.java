package mpi;

import java.util.Map;
import org.tutti.mpi.CommRequest;
import org.tutti.mpi.MpiException;

/// Creates communicators, which inherit the error handler; duplicates have copies of the attributes, too.
final class CommHandles extends CollectiveCalls {
    /// The request of [#idup], if this communicator was created by it; otherwise null.
    Request duplication;

    CommHandles(org.tutti.mpi.Communicator comm, Errhandler errhandler, Attributes attributes) {
        super(comm, errhandler, attributes);
    }

    /// Returns a handle whose communicator `Init` sets.
    static CommHandles later() {
        return new CommHandles(null, MPI.ERRORS_ARE_FATAL, new Attributes(Attributes.Kind.COMMUNICATOR));
    }

    /// Returns the null handle.
    static CommHandles none() {
        return new CommHandles(null, MPI.COMM_WORLD.state.errhandler, new Attributes(Attributes.Kind.COMMUNICATOR));
    }

    /// A function that creates a communicator.
    interface Maker {
        org.tutti.mpi.Communicator make(org.tutti.mpi.Comm parent);
    }

    CommHandles made(Maker maker) throws MPIException {
        try {
            return new CommHandles(maker.make(oneGroup()), errhandler, new Attributes(Attributes.Kind.COMMUNICATOR));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    CommHandles dup(Info info) throws MPIException {
        try {
            org.tutti.mpi.Communicator c = open();
            Map<String, String> hints = info == null ? c.info() : Info.map(info);
            org.tutti.mpi.Communicator copy = switch (c) {
                case org.tutti.mpi.Comm one -> one.dup(hints);
                case org.tutti.mpi.Intercomm both -> both.dup(hints);
            };
            return new CommHandles(copy, errhandler, attributes.copy());
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    CommHandles cloned() {
        try {
            return dup(null);
        } catch (MPIException e) {
            throw new IllegalStateException(e);
        }
    }

    CommHandles idup() throws MPIException {
        try {
            CommRequest<?> request = switch (open()) {
                case org.tutti.mpi.Comm one -> one.idup();
                case org.tutti.mpi.Intercomm both -> both.idup();
            };
            CommHandles made = new CommHandles(null, errhandler, attributes.copy());
            made.setPending(request);
            made.duplication = new Request(request, errhandler);
            return made;
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    /// Connects two groups. The two leaders are members of this communicator.
    CommHandles connect(CommState local, int localLeader, int remoteLeader, int tag) throws MPIException {
        org.tutti.mpi.Communicator peer = isNull() ? null : open();
        try {
            org.tutti.mpi.Communicator made = local.oneGroup().intercomm(localLeader, peer, remoteLeader, tag);
            return new CommHandles(made, local.errhandler, new Attributes(Attributes.Kind.COMMUNICATOR));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }
}
