package mpi;

import java.nio.Buffer;
import org.tutti.mpi.MpiException;

/// A message that was matched by a probe, to be received once. It is null before the probe and after the
/// receive.
public final class Message {
    private org.tutti.mpi.Message message;
    private Errhandler errhandler;

    public Message() {}

    public boolean isNull() {
        return message == null;
    }

    public boolean isNoProc() {
        return message != null && message.status().source() == MPI.PROC_NULL;
    }

    public Status mProbe(int source, int tag, Comm comm) throws MPIException {
        try {
            return take(comm.state.open().mprobe(source, tag), comm);
        } catch (MpiException | Mistake e) {
            throw comm.state.failed(e);
        }
    }

    /// Returns null if no message has arrived.
    public Status imProbe(int source, int tag, Comm comm) throws MPIException {
        try {
            org.tutti.mpi.Message found = comm.state.open().improbe(source, tag);
            return found == null ? null : take(found, comm);
        } catch (MpiException | Mistake e) {
            throw comm.state.failed(e);
        }
    }

    private Status take(org.tutti.mpi.Message found, Comm comm) {
        message = found;
        errhandler = comm.state.errhandler;
        return Status.of(found.status());
    }

    public Status mRecv(Object buf, int count, Datatype type) throws MPIException {
        org.tutti.mpi.Message m = give();
        try {
            return Status.of(m.recv(Data.in(buf, count, type)));
        } catch (MpiException | Mistake e) {
            throw Failures.of(e, errhandler);
        }
    }

    public Request imRecv(Buffer buf, int count, Datatype type) throws MPIException {
        Data.checkDirect(buf, count);
        org.tutti.mpi.Message m = give();
        try {
            return new Request(m.irecv(Data.in(buf, count, type)), errhandler);
        } catch (MpiException | Mistake e) {
            throw Failures.of(e, errhandler);
        }
    }

    private org.tutti.mpi.Message give() throws MPIException {
        org.tutti.mpi.Message m = message;
        if (m == null) throw Failures.of(MPI.ERR_REQUEST, "MPI_ERR_REQUEST: the message is null, or was received");
        message = null;
        return m;
    }
}
