package mpi;

import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;

/// A communicator with two groups.
public final class Intercomm extends Comm {
    Intercomm(CommHandles state) {
        super(state);
    }

    private org.tutti.mpi.Intercomm both() throws MPIException {
        return (org.tutti.mpi.Intercomm) state.open();
    }

    @Override
    public Intercomm dup() throws MPIException {
        return new Intercomm(state.dup(null));
    }

    @Override
    public Intercomm dupWithInfo(Info info) throws MPIException {
        return new Intercomm(state.dup(info));
    }

    @Override
    public Intercomm iDup() throws MPIException {
        return new Intercomm(state.idup());
    }

    @Override
    public Intercomm clone() {
        return new Intercomm(state.cloned());
    }

    /// Returns a null communicator if this world was not spawned.
    public static Intercomm getParent() throws MPIException {
        Mpi mpi = LifeCycle.mpi();
        return new Intercomm(new CommHandles(
                mpi.parent(), MPI.COMM_WORLD.state.errhandler, new Attributes(Attributes.Kind.COMMUNICATOR)));
    }

    public int getRemoteSize() throws MPIException {
        return both().remoteSize();
    }

    public Group getRemoteGroup() throws MPIException {
        return new Group(both().remoteGroup());
    }

    public Intracomm merge(boolean high) throws MPIException {
        try {
            return new Intracomm(new CommHandles(
                    both().merge(high), state.errhandler, new Attributes(Attributes.Kind.COMMUNICATOR)));
        } catch (MpiException | Mistake e) {
            throw state.failed(e);
        }
    }
}
