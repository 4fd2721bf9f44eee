package mpi;

import org.tutti.mpi.MpiException;

/// Two groups of processes: messages go to the ranks of the other one.
public class Intercomm extends Comm {
    private final org.tutti.mpi.Intercomm both;
    private final Group remote;

    Intercomm(org.tutti.mpi.Intercomm both) {
        super(both);
        this.both = both;
        remote = new Group(both.remoteGroup());
    }

    /// Returns how many processes the other group has.
    public int Remote_size() throws MPIException {
        return both.remoteSize();
    }

    /// Returns the processes of the other group.
    public Group Remote_group() throws MPIException {
        return remote;
    }

    /// Makes one group of both; the ranks of the one that says `high` come last.
    public Intracomm Merge(boolean high) throws MPIException {
        try {
            return new Intracomm(both.merge(high));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns a communicator of the same groups, in which messages do not meet those here.
    @Override
    public Object clone() throws MPIException {
        try {
            return new Intercomm(both.dup());
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }
}
