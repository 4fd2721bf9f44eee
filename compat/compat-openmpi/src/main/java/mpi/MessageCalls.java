package mpi;

import java.nio.Buffer;
import org.tutti.mpi.Buf;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.PersistentRequest;

/// Messages between two ranks.
class MessageCalls extends CommState {
    /// A send function.
    interface Sender {
        void send(org.tutti.mpi.Communicator comm, Buf buf, int dest, int tag);
    }

    /// A function that starts a send or receive.
    interface Starter {
        org.tutti.mpi.Request start(org.tutti.mpi.Communicator comm, Buf buf, int peer, int tag);
    }

    /// A function that creates a persistent send or receive.
    interface Preparer {
        PersistentRequest prepare(org.tutti.mpi.Communicator comm, Buf buf, int peer, int tag);
    }

    MessageCalls(org.tutti.mpi.Communicator comm, Errhandler errhandler, Attributes attributes) {
        super(comm, errhandler, attributes);
    }

    final void send(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        try {
            open().send(Data.out(buf, count, type), dest, tag);
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Status recv(Object buf, int count, Datatype type, int source, int tag) throws MPIException {
        try {
            return Status.of(open().recv(Data.in(buf, count, type), source, tag));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final void send(Sender way, Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        try {
            way.send(open(), Data.out(buf, count, type), dest, tag);
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Request start(Starter way, Buffer buf, int count, Datatype type, int peer, int tag) throws MPIException {
        Data.checkDirect(buf, count);
        try {
            return request(way.start(open(), Data.out(buf, count, type), peer, tag));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Prequest prepare(Preparer way, Buffer buf, int count, Datatype type, int peer, int tag) throws MPIException {
        Data.checkDirect(buf, count);
        try {
            return persistent(way.prepare(open(), Data.of(buf, count, type), peer, tag));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Status probe(int source, int tag) throws MPIException {
        try {
            return Status.of(open().probe(source, tag));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Status iprobe(int source, int tag) throws MPIException {
        try {
            org.tutti.mpi.Status found = open().iprobe(source, tag);
            return found == null ? null : Status.of(found);
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Status exchange(
            Object out,
            int sends,
            Datatype sendType,
            int dest,
            int sendTag,
            Object in,
            int recvs,
            Datatype recvType,
            int source,
            int recvTag)
            throws MPIException {
        try {
            Buf send = Data.out(out, sends, sendType);
            Buf recv = Data.in(in, recvs, recvType);
            return Status.of(open().sendrecv(send, dest, sendTag, recv, source, recvTag));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    final Status replace(Object buf, int count, Datatype type, int dest, int sendTag, int source, int recvTag)
            throws MPIException {
        try {
            return Status.of(open().sendrecvReplace(Data.in(buf, count, type), dest, sendTag, source, recvTag));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }
}
