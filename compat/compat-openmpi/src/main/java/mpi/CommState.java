package mpi;

import java.nio.Buffer;
import org.tutti.mpi.Buf;
import org.tutti.mpi.CommRequest;
import org.tutti.mpi.MpiException;

/// The state of a communicator: Tutti's communicator, the error handler and the attributes. Each class in the
/// chain of subclasses adds the calls of one chapter of the MPI standard.
class CommState {
    /// Null before `Init`, for a null communicator, and while the duplication is pending.
    private org.tutti.mpi.Communicator comm;

    Errhandler errhandler;
    final Attributes attributes;

    /// The pending duplication.
    private CommRequest<?> coming;

    CommState(org.tutti.mpi.Communicator comm, Errhandler errhandler, Attributes attributes) {
        this.comm = comm == null || comm.size() == 0 ? null : comm;
        this.errhandler = errhandler;
        this.attributes = attributes;
    }

    void become(org.tutti.mpi.Communicator made) {
        comm = made;
    }

    void setPending(CommRequest<?> made) {
        coming = made;
    }

    boolean isNull() {
        return comm == null && coming == null && (LifeCycle.isInitialized() || this != MPI.COMM_WORLD.state);
    }

    final org.tutti.mpi.Communicator open() throws MPIException {
        org.tutti.mpi.Communicator c = comm;
        return c != null && !LifeCycle.isFinalized() ? c : find();
    }

    /// Returns the communicator, for operations that need one group.
    final org.tutti.mpi.Comm oneGroup() throws MPIException {
        org.tutti.mpi.Communicator c = open();
        if (c instanceof org.tutti.mpi.Comm one) return one;
        throw Failures.of(MPI.ERR_COMM, "MPI_ERR_COMM: " + c.name() + " is an intercommunicator", errhandler);
    }

    private org.tutti.mpi.Communicator find() throws MPIException {
        LifeCycle.mpi();
        if (coming == null) throw Failures.of(MPI.ERR_COMM, "MPI_ERR_COMM: the communicator is null", errhandler);
        try {
            comm = coming.awaitComm();
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
        coming = null;
        return comm;
    }

    final void close() throws MPIException {
        org.tutti.mpi.Communicator c = open();
        try {
            switch (c) {
                case org.tutti.mpi.OwnedComm owned -> owned.close();
                case org.tutti.mpi.Intercomm both -> both.close();
                default ->
                    throw Failures.of(MPI.ERR_COMM, "MPI_ERR_COMM: " + c.name() + " is not to be freed", errhandler);
            }
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
        comm = null;
        attributes.clear();
    }

    final void disconnect() throws MPIException {
        org.tutti.mpi.Communicator c = open();
        try {
            c.barrier();
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
        close();
    }

    final MPIException failed(RuntimeException e) {
        return Failures.of(e, errhandler);
    }

    final Request request(org.tutti.mpi.Request started) {
        return new Request(started, errhandler);
    }

    final Prequest persistent(org.tutti.mpi.PersistentRequest made) {
        return new Prequest(made, errhandler);
    }

    /// Returns the number of blocks in a buffer with one block for each rank; in an intercommunicator, each rank
    /// of the remote group.
    static int peers(org.tutti.mpi.Communicator c) {
        return c instanceof org.tutti.mpi.Intercomm inter ? inter.remoteSize() : c.size();
    }

    /// Converts the root to Tutti's numbering.
    static int root(org.tutti.mpi.Communicator c, int root) {
        return root == MPI.ROOT && c.isInter() ? org.tutti.mpi.Comm.ROOT : root;
    }

    static boolean isRoot(org.tutti.mpi.Communicator c, int root) {
        return c.isInter() ? root == MPI.ROOT : root == c.rank();
    }

    /// Returns whether this rank is in the root's group of a call between two groups. In the root's group, only
    /// the root participates, and it either sends or receives.
    static boolean takesNoPart(org.tutti.mpi.Communicator c, int root) {
        return c.isInter() && (root == MPI.ROOT || root == MPI.PROC_NULL);
    }

    /// Returns the send buffer of a call that receives into `target`; a copy if `data` is `target`.
    static Buf source(Object data, int count, Datatype type, Object target) throws MPIException {
        Buf buf = Data.of(data, count, type);
        return data == target && count > 0 ? Data.copy(buf) : buf;
    }

    static void checkDirect(Buffer one, int count, Buffer other, int otherCount) {
        Data.checkDirect(one, count);
        Data.checkDirect(other, otherCount);
    }
}
