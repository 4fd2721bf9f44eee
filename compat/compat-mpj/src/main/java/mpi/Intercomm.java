package mpi;

import org.tutti.mpi.MpiException;

/// A communicator with two groups: messages are sent to ranks of the remote group.
public class Intercomm extends Comm {
    private final org.tutti.mpi.Intercomm both;
    private final Group remote;

    Intercomm(org.tutti.mpi.Intercomm both) {
        super(both);
        this.both = both;
        remote = new Group(both.remoteGroup());
    }

    /// Returns the number of processes in the remote group.
    public int Remote_size() throws MPIException {
        return both.remoteSize();
    }

    /// Returns the remote group.
    public Group Remote_group() throws MPIException {
        return remote;
    }

    /// Merges both groups into one; the ranks of the group that passes `high` are last.
    public Intracomm Merge(boolean high) throws MPIException {
        try {
            return new Intracomm(both.merge(high));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns a communicator with the same groups, in a new context.
    @Override
    public Object clone() throws MPIException {
        try {
            return new Intercomm(both.dup());
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }
}
