package mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.ObjectRequest;

/// Processes that exchange messages. A buffer is an array of a primitive type, or an `Object[]` with
/// [MPI#OBJECT], or an [mpjbuf.Buffer] with [MPI#PACKED]; `offset` counts elements of the array, `count`
/// elements of the type.
public class Comm {
    /// The mode of a send.
    private enum Mode {
        STANDARD,
        BUFFERED,
        SYNCHRONOUS,
        READY
    }

    public Group group;

    /// The underlying communicator; null for [MPI#COMM_NULL].
    private final org.tutti.mpi.@Nullable Communicator tuttis;

    private final int rank;
    private final int size;

    /// @param tuttis null, or a communicator without ranks, if this process is not a member
    Comm(org.tutti.mpi.@Nullable Communicator tuttis) {
        boolean isIn = tuttis != null && tuttis.size() > 0;
        this.tuttis = isIn ? tuttis : null;
        rank = isIn ? tuttis.rank() : MpjNumbers.UNDEFINED;
        size = isIn ? tuttis.size() : 0;
        group = isIn ? new Group(tuttis.group()) : new Group(org.tutti.mpi.Group.EMPTY);
    }

    org.tutti.mpi.Communicator tuttis(String operation) {
        if (tuttis != null) return tuttis;
        throw new MPIException(operation + ": this process is not in the communicator");
    }

    /// Returns whether the communicator has a grid. If it has, calls accept the rank -1 like [MPI#PROC_NULL],
    /// because [Cartcomm#Shift] returns -1 outside of the grid.
    boolean isGrid() {
        return false;
    }

    /// Returns whether this process is a member.
    final boolean isIn() {
        return tuttis != null;
    }

    // ---- group and rank

    /// Returns the number of processes; for an intercommunicator, of the local group.
    public int Size() throws MPIException {
        return size;
    }

    /// Returns the rank of this process; -1 if it has none.
    public int Rank() throws MPIException {
        return rank;
    }

    /// Returns the group of processes; for an intercommunicator, the local group.
    public Group Group() throws MPIException {
        return group;
    }

    /// Returns whether this is an intercommunicator.
    public boolean Test_inter() throws MPIException {
        return tuttis("Test_inter").isInter();
    }

    /// Returns [MPI#IDENT], [MPI#CONGRUENT], [MPI#SIMILAR] or [MPI#UNEQUAL].
    public static int Compare(Comm first, Comm second) throws MPIException {
        try {
            return number(first.tuttis("Compare").compare(second.tuttis("Compare")));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    static int number(Comparison c) {
        return switch (c) {
            case IDENT -> MPI.IDENT;
            case CONGRUENT -> MPI.CONGRUENT;
            case SIMILAR -> MPI.SIMILAR;
            case UNEQUAL -> MPI.UNEQUAL;
        };
    }

    /// Returns [MPI#GRAPH], [MPI#CART] or [MPI#UNDEFINED].
    public int Topo_test() throws MPIException {
        return MpjNumbers.UNDEFINED;
    }

    /// Returns this object. Subclasses return a communicator with the same groups, in a new context.
    @Override
    public Object clone() throws MPIException {
        return this;
    }

    /// Has no effect.
    public void Free() throws MPIException {}

    /// Ends the job with this code.
    public void Abort(int code) throws MPIException {
        MPI.job("Abort").abort(code);
    }

    /// Returns the value of an attribute; `key` is [MPI#TAG_UB], [MPI#HOST] or [MPI#IO].
    public Object Attr_get(int key) throws MPIException {
        if (key == MPI.TAG_UB) return tuttis("Attr_get").tagUpperBound();
        if (key == MPI.HOST) return MpjNumbers.PROC_NULL;
        if (key == MPI.IO) return MpjNumbers.ANY;
        throw noAttribute("Attr_get", key);
    }

    /// Always throws, because no attribute can be deleted.
    public void Attr_delete(int key) throws MPIException {
        throw noAttribute("Attr_delete", key);
    }

    private static MPIException noAttribute(String operation, int key) {
        return new MPIException(operation + ": no attribute " + key + " that a program has set");
    }

    /// Creates a communicator with two groups. Both leaders are members of this communicator; `local` contains
    /// the caller's group. `localLeader` is a rank of `local`, `remoteLeader` of this communicator.
    public Intercomm Create_intercomm(Comm local, int localLeader, int remoteLeader, int tag) throws MPIException {
        if (!(local.tuttis("Create_intercomm") instanceof org.tutti.mpi.Comm one)) {
            throw new MPIException("Create_intercomm: the local communicator is an intercommunicator");
        }
        try {
            return new Intercomm(one.intercomm(localLeader, tuttis, remoteLeader, tag));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    // ---- messages

    /// Sends; returns when the buffer may be changed.
    public void Send(Object buf, int offset, int count, Datatype type, int dest, int tag) throws MPIException {
        send("Send", Mode.STANDARD, buf, offset, count, type, dest, tag);
    }

    /// Sends from the buffer of [MPI#Buffer_attach], without waiting for the receiver.
    public void Bsend(Object buf, int offset, int count, Datatype type, int dest, int tag) throws MPIException {
        send("Bsend", Mode.BUFFERED, buf, offset, count, type, dest, tag);
    }

    /// Sends; returns when the receiver has started to receive.
    public void Ssend(Object buf, int offset, int count, Datatype type, int dest, int tag) throws MPIException {
        send("Ssend", Mode.SYNCHRONOUS, buf, offset, count, type, dest, tag);
    }

    /// Sends a message for which the receiver has already posted a receive.
    public void Rsend(Object buf, int offset, int count, Datatype type, int dest, int tag) throws MPIException {
        send("Rsend", Mode.READY, buf, offset, count, type, dest, tag);
    }

    private void send(
            String operation, Mode mode, Object buf, int offset, int count, Datatype type, int dest, int tag) {
        org.tutti.mpi.Communicator c = tuttis(operation);
        int to = MpjNumbers.dest(operation, dest, isGrid());
        try {
            if (MpjData.isObject(operation, type)) {
                byte[] objects = MpjObjects.bytes(operation, buf, offset, count, type);
                switch (mode) {
                    case STANDARD, READY -> c.sendObject(objects, to, tag);
                    case BUFFERED -> c.bsendObject(objects, to, tag);
                    case SYNCHRONOUS -> c.ssendObject(objects, to, tag);
                }
                return;
            }
            Buf data = MpjData.toSend(operation, buf, offset, count, type);
            switch (mode) {
                case STANDARD -> c.send(data, to, tag);
                case BUFFERED -> c.bsend(data, to, tag);
                case SYNCHRONOUS -> c.ssend(data, to, tag);
                case READY -> c.rsend(data, to, tag);
            }
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Receives; [MPI#ANY_SOURCE] and [MPI#ANY_TAG] match any message.
    public Status Recv(Object buf, int offset, int count, Datatype type, int source, int tag) throws MPIException {
        org.tutti.mpi.Communicator c = tuttis("Recv");
        int from = MpjNumbers.source("Recv", source, isGrid());
        int with = MpjNumbers.tag("Recv", tag);
        try {
            if (MpjData.isObject("Recv", type))
                return new Request(c.irecvObject(byte[].class, from, with), receipt("Recv", buf, offset, count, type))
                        .Wait();
            org.tutti.mpi.Status s = c.recv(MpjData.toReceive("Recv", buf, offset, count, type), from, with);
            MpjData.received(buf, offset, s.sizeBytes());
            return Status.of(s, type);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    private static Request.Receipt receipt(String operation, Object buf, int offset, int count, Datatype type) {
        MpjData.check(operation, buf, count, type);
        return new Request.Receipt(operation, buf, offset, count, type);
    }

    /// Starts [#Send] of a copy, so the buffer may be changed immediately.
    public Request Isend(Object buf, int offset, int count, Datatype type, int dest, int tag) throws MPIException {
        return begin("Isend", Mode.STANDARD, buf, offset, count, type, dest, tag);
    }

    /// Starts [#Bsend].
    public Request Ibsend(Object buf, int offset, int count, Datatype type, int dest, int tag) throws MPIException {
        return begin("Ibsend", Mode.BUFFERED, buf, offset, count, type, dest, tag);
    }

    /// Starts [#Ssend] of a copy, so the buffer may be changed immediately.
    public Request Issend(Object buf, int offset, int count, Datatype type, int dest, int tag) throws MPIException {
        return begin("Issend", Mode.SYNCHRONOUS, buf, offset, count, type, dest, tag);
    }

    /// Starts [#Rsend] of a copy, so the buffer may be changed immediately.
    public Request Irsend(Object buf, int offset, int count, Datatype type, int dest, int tag) throws MPIException {
        return begin("Irsend", Mode.READY, buf, offset, count, type, dest, tag);
    }

    private Request begin(
            String operation, Mode mode, Object buf, int offset, int count, Datatype type, int dest, int tag) {
        org.tutti.mpi.Communicator c = tuttis(operation);
        int to = MpjNumbers.dest(operation, dest, isGrid());
        try {
            if (MpjData.isObject(operation, type)) {
                byte[] objects = MpjObjects.bytes(operation, buf, offset, count, type);
                return switch (mode) {
                    case STANDARD, READY -> new Request(MpjSends.started(c.isendObject(objects, to, tag)));
                    case SYNCHRONOUS -> new Request(MpjSends.started(c.issendObject(objects, to, tag)));
                    case BUFFERED -> {
                        c.bsendObject(objects, to, tag);
                        yield new Request();
                    }
                };
            }
            if (mode == Mode.BUFFERED) {
                Buf data = MpjData.toSend(operation, buf, offset, count, type);
                return new Request(MpjSends.started(c.ibsend(data, to, tag)));
            }
            Buf copy = MpjData.copied(operation, buf, offset, count, type);
            return new Request(MpjSends.started(
                    switch (mode) {
                        case STANDARD, BUFFERED -> c.isend(copy, to, tag);
                        case SYNCHRONOUS -> c.issend(copy, to, tag);
                        case READY -> c.irsend(copy, to, tag);
                    }));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Starts [#Recv]; the buffer is filled when completion is reported.
    public Request Irecv(Object buf, int offset, int count, Datatype type, int source, int tag) throws MPIException {
        return irecv("Irecv", buf, offset, count, type, source, tag);
    }

    private Request irecv(String operation, Object buf, int offset, int count, Datatype type, int source, int tag) {
        org.tutti.mpi.Communicator c = tuttis(operation);
        int from = MpjNumbers.source(operation, source, isGrid());
        int with = MpjNumbers.tag(operation, tag);
        Request.Receipt receipt = receipt(operation, buf, offset, count, type);
        try {
            if (type.isObject()) {
                ObjectRequest<byte[]> request = c.irecvObject(byte[].class, from, with);
                return new Request(request, receipt);
            }
            return new Request(c.irecv(MpjData.toReceive(operation, buf, offset, count, type), from, with), receipt);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Creates a request that starts [#Isend] at each start.
    public Prequest Send_init(Object buf, int offset, int count, Datatype type, int dest, int tag) throws MPIException {
        return new Prequest("Send_init", () -> Isend(buf, offset, count, type, dest, tag));
    }

    /// Creates a request that starts [#Ibsend] at each start.
    public Prequest Bsend_init(Object buf, int offset, int count, Datatype type, int dest, int tag)
            throws MPIException {
        return new Prequest("Bsend_init", () -> Ibsend(buf, offset, count, type, dest, tag));
    }

    /// Creates a request that starts [#Issend] at each start.
    public Prequest Ssend_init(Object buf, int offset, int count, Datatype type, int dest, int tag)
            throws MPIException {
        return new Prequest("Ssend_init", () -> Issend(buf, offset, count, type, dest, tag));
    }

    /// Creates a request that starts [#Irsend] at each start.
    public Prequest Rsend_init(Object buf, int offset, int count, Datatype type, int dest, int tag)
            throws MPIException {
        return new Prequest("Rsend_init", () -> Irsend(buf, offset, count, type, dest, tag));
    }

    /// Creates a request that starts [#Irecv] at each start.
    public Prequest Recv_init(Object buf, int offset, int count, Datatype type, int source, int tag)
            throws MPIException {
        return new Prequest("Recv_init", () -> Irecv(buf, offset, count, type, source, tag));
    }

    /// Sends and receives at the same time.
    public Status Sendrecv(
            Object sendbuf,
            int sendoffset,
            int sendcount,
            Datatype sendtype,
            int dest,
            int sendtag,
            Object recvbuf,
            int recvoffset,
            int recvcount,
            Datatype recvtype,
            int source,
            int recvtag)
            throws MPIException {
        if (MpjData.isObject("Sendrecv", sendtype) || MpjData.isObject("Sendrecv", recvtype) || sendbuf == recvbuf) {
            return apart(
                    begin("Sendrecv", Mode.STANDARD, sendbuf, sendoffset, sendcount, sendtype, dest, sendtag),
                    irecv("Sendrecv", recvbuf, recvoffset, recvcount, recvtype, source, recvtag));
        }
        org.tutti.mpi.Communicator c = tuttis("Sendrecv");
        int to = MpjNumbers.dest("Sendrecv", dest, isGrid());
        int from = MpjNumbers.source("Sendrecv", source, isGrid());
        int with = MpjNumbers.tag("Sendrecv", recvtag);
        try {
            Buf send = MpjData.toSend("Sendrecv", sendbuf, sendoffset, sendcount, sendtype);
            Buf recv = MpjData.toReceive("Sendrecv", recvbuf, recvoffset, recvcount, recvtype);
            org.tutti.mpi.Status s = c.sendrecv(send, to, sendtag, recv, from, with);
            MpjData.received(recvbuf, recvoffset, s.sizeBytes());
            return Status.of(s, recvtype);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// As [#Sendrecv], but receives into the send buffer.
    public Status Sendrecv_replace(
            Object buf, int offset, int count, Datatype type, int dest, int sendtag, int source, int recvtag)
            throws MPIException {
        return apart(
                begin("Sendrecv_replace", Mode.STANDARD, buf, offset, count, type, dest, sendtag),
                irecv("Sendrecv_replace", buf, offset, count, type, source, recvtag));
    }

    /// Waits for a receive and a send that have both been started. The send has a copy of the data, so the
    /// receive may overwrite the array.
    private static Status apart(Request send, Request receive) {
        Status s = receive.Wait();
        send.Wait();
        return s;
    }

    /// Waits for a message without receiving it.
    public Status Probe(int source, int tag) throws MPIException {
        org.tutti.mpi.Communicator c = tuttis("Probe");
        int from = MpjNumbers.source("Probe", source, isGrid());
        int with = MpjNumbers.tag("Probe", tag);
        try {
            return Status.ofProbe(c.probe(from, with));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// As [#Probe], but returns null if no message has arrived.
    public Status Iprobe(int source, int tag) throws MPIException {
        org.tutti.mpi.Communicator c = tuttis("Iprobe");
        int from = MpjNumbers.source("Iprobe", source, isGrid());
        int with = MpjNumbers.tag("Iprobe", tag);
        try {
            org.tutti.mpi.Status s = c.iprobe(from, with);
            return s == null ? null : Status.ofProbe(s);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    // ---- packing

    /// Appends elements to `out` as a section, and returns the number of bytes in `out`.
    public int Pack(Object buf, int offset, int count, Datatype type, mpjbuf.Buffer out, int position)
            throws MPIException {
        return MpjPacking.pack(buf, offset, count, type, out);
    }

    /// Reads the next section of `in`, or the first section if `position` is 0. Returns `position` plus
    /// [#Pack_size].
    public int Unpack(mpjbuf.Buffer in, int position, Object buf, int offset, int count, Datatype type)
            throws MPIException {
        return MpjPacking.unpack(in, position, buf, offset, count, type);
    }

    /// Returns the number of bytes that [#Pack] needs for elements of this type; for objects, only the size of
    /// the section header.
    public int Pack_size(int count, Datatype type) throws MPIException {
        return MpjPacking.size(count, type);
    }
}
