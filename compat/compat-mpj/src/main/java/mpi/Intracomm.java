package mpi;

import java.util.Arrays;
import mpi.MpjObjectCollectives.Parts;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Graph;
import org.tutti.mpi.MpiException;

/// A communicator with one group. The methods are the collective calls, which all processes make in the same
/// order, and the creation of communicators.
public class Intracomm extends Comm {
    Intracomm(org.tutti.mpi.@Nullable Comm tuttis) {
        super(tuttis);
    }

    @Override
    final org.tutti.mpi.Comm tuttis(String operation) {
        return (org.tutti.mpi.Comm) super.tuttis(operation);
    }

    /// As [Comm#Compare].
    public static int Compare(Comm first, Comm second) throws MPIException {
        return Comm.Compare(first, second);
    }

    /// Returns a communicator with the same processes, in a new context.
    @Override
    public Object clone() throws MPIException {
        try {
            return new Intracomm(tuttis("clone").dup());
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Creates a communicator from a group. Processes outside of the group get a communicator with rank -1.
    public Intracomm Create(Group group) throws MPIException {
        try {
            return new Intracomm(tuttis("Create").create(group.members("Create")));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Creates a communicator for each color, ordered by key. A process that passes [MPI#UNDEFINED] gets a
    /// communicator with rank -1.
    public Intracomm Split(int color, int key) throws MPIException {
        try {
            int with = color == MpjNumbers.UNDEFINED ? org.tutti.mpi.Comm.UNDEFINED : color;
            return new Intracomm(tuttis("Split").split(with, key));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Creates a grid of the first processes; returns null on the remaining ones. Ranks are not reordered.
    public Cartcomm Create_cart(int[] dims, boolean[] periods, boolean reorder) throws MPIException {
        try {
            Cartesian grid = tuttis("Create_cart").cartesian(dims, periods);
            return grid.size() == 0 ? null : new Cartcomm(grid);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Creates a graph of the first processes; returns null on the remaining ones. Ranks are not reordered.
    public Graphcomm Create_graph(int[] index, int[] edges, boolean reorder) {
        try {
            Graph graph = tuttis("Create_graph").graph(index, edges);
            return graph.size() == 0 ? null : new Graphcomm(graph);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    // ---- collective calls

    /// Waits for all processes.
    public void Barrier() throws MPIException {
        try {
            tuttis("Barrier").barrier();
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Sends the root's data to all processes.
    public void Bcast(Object buf, int offset, int count, Datatype type, int root) throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Bcast");
        try {
            if (MpjData.isObject("Bcast", type)) {
                MpjObjectCollectives.bcast(c, buf, offset, count, type, root);
                return;
            }
            boolean sends = Rank() == root;
            Buf data = sends
                    ? MpjData.toSend("Bcast", buf, offset, count, type)
                    : MpjData.toReceive("Bcast", buf, offset, count, type);
            c.bcast(data, root);
            if (!sends) MpjData.received(buf, offset, (long) count * type.layout.sizeBytes());
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Collects the data of all processes on the root, `recvcount` elements of each.
    public void Gather(
            Object sendbuf,
            int sendoffset,
            int sendcount,
            Datatype sendtype,
            Object recvbuf,
            int recvoffset,
            int recvcount,
            Datatype recvtype,
            int root)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Gather");
        boolean receives = Rank() == root;
        try {
            if (MpjData.isObject("Gather", sendtype)) {
                byte[] mine = MpjObjects.bytes("Gather", sendbuf, sendoffset, sendcount, sendtype);
                Parts into = receives ? Parts.equal(recvbuf, recvoffset, recvcount, recvtype, Size()) : null;
                MpjObjectCollectives.gather("Gather", c, mine, into, root);
                return;
            }
            Buf send = MpjData.toSendBeforeReceiveInto(
                    receives ? recvbuf : null, "Gather", sendbuf, sendoffset, sendcount, sendtype);
            c.gather(
                    send,
                    receives
                            ? MpjData.toReceive("Gather", recvbuf, recvoffset, Size() * recvcount, recvtype)
                            : Buf.NONE,
                    root);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Collects the data of all processes on the root: `recvcounts[r]` elements of rank r, stored from element
    /// `recvoffset + displs[r]` of the array.
    public void Gatherv(
            Object sendbuf,
            int sendoffset,
            int sendcount,
            Datatype sendtype,
            Object recvbuf,
            int recvoffset,
            int[] recvcounts,
            int[] displs,
            Datatype recvtype,
            int root)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Gatherv");
        boolean receives = Rank() == root;
        try {
            if (MpjData.isObject("Gatherv", sendtype)) {
                byte[] mine = MpjObjects.bytes("Gatherv", sendbuf, sendoffset, sendcount, sendtype);
                Parts into = receives
                        ? Parts.of("Gatherv", recvbuf, recvoffset, recvcounts, displs, recvtype, Size())
                        : null;
                MpjObjectCollectives.gather("Gatherv", c, mine, into, root);
                return;
            }
            Buf send = MpjData.toSendBeforeReceiveInto(
                    receives ? recvbuf : null, "Gatherv", sendbuf, sendoffset, sendcount, sendtype);
            if (receives) {
                MpjBlocks recv =
                        MpjBlocks.toReceive("Gatherv", recvbuf, recvoffset, recvcounts, displs, recvtype, Size());
                c.gather(send, recv.buf, root);
                recv.received();
            } else {
                c.gather(send, Buf.NONE, root);
            }
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Sends `sendcount` elements of the root to each process.
    public void Scatter(
            Object sendbuf,
            int sendoffset,
            int sendcount,
            Datatype sendtype,
            Object recvbuf,
            int recvoffset,
            int recvcount,
            Datatype recvtype,
            int root)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Scatter");
        boolean sends = Rank() == root;
        try {
            if (MpjData.isObject("Scatter", recvtype)) {
                Parts from = sends ? Parts.equal(sendbuf, sendoffset, sendcount, sendtype, Size()) : null;
                byte[] mine = MpjObjectCollectives.scatter("Scatter", c, from, root);
                MpjObjects.put("Scatter", mine, recvbuf, recvoffset, recvcount, recvtype);
                return;
            }
            Buf send = sends
                    ? MpjData.toSendBeforeReceiveInto(
                            recvbuf, "Scatter", sendbuf, sendoffset, Size() * sendcount, sendtype)
                    : Buf.NONE;
            c.scatter(send, MpjData.toReceive("Scatter", recvbuf, recvoffset, recvcount, recvtype), root);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Sends `sendcounts[r]` elements of the root, from element `sendoffset + displs[r]` of the array, to rank r.
    public void Scatterv(
            Object sendbuf,
            int sendoffset,
            int[] sendcounts,
            int[] displs,
            Datatype sendtype,
            Object recvbuf,
            int recvoffset,
            int recvcount,
            Datatype recvtype,
            int root)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Scatterv");
        boolean sends = Rank() == root;
        try {
            if (MpjData.isObject("Scatterv", recvtype)) {
                Parts from =
                        sends ? Parts.of("Scatterv", sendbuf, sendoffset, sendcounts, displs, sendtype, Size()) : null;
                byte[] mine = MpjObjectCollectives.scatter("Scatterv", c, from, root);
                MpjObjects.put("Scatterv", mine, recvbuf, recvoffset, recvcount, recvtype);
                return;
            }
            Buf send = sends
                    ? MpjBlocks.toSend(
                                    "Scatterv",
                                    MpjData.apart(recvbuf, sendbuf),
                                    sendoffset,
                                    sendcounts,
                                    displs,
                                    sendtype,
                                    Size())
                            .buf
                    : Buf.NONE;
            c.scatter(send, MpjData.toReceive("Scatterv", recvbuf, recvoffset, recvcount, recvtype), root);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Collects the data of all processes on all processes, `recvcount` elements of each.
    public void Allgather(
            Object sendbuf,
            int sendoffset,
            int sendcount,
            Datatype sendtype,
            Object recvbuf,
            int recvoffset,
            int recvcount,
            Datatype recvtype)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Allgather");
        try {
            if (MpjData.isObject("Allgather", sendtype)) {
                byte[] mine = MpjObjects.bytes("Allgather", sendbuf, sendoffset, sendcount, sendtype);
                Parts into = Parts.equal(recvbuf, recvoffset, recvcount, recvtype, Size());
                MpjObjectCollectives.allgather("Allgather", c, mine, into);
                return;
            }
            Buf send = MpjData.toSendBeforeReceiveInto(recvbuf, "Allgather", sendbuf, sendoffset, sendcount, sendtype);
            c.allgather(send, MpjData.toReceive("Allgather", recvbuf, recvoffset, Size() * recvcount, recvtype));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Collects the data of all processes on all processes: `recvcounts[r]` elements of rank r, stored from
    /// element `recvoffset + displs[r]` of the array.
    public void Allgatherv(
            Object sendbuf,
            int sendoffset,
            int sendcount,
            Datatype sendtype,
            Object recvbuf,
            int recvoffset,
            int[] recvcounts,
            int[] displs,
            Datatype recvtype)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Allgatherv");
        try {
            if (MpjData.isObject("Allgatherv", sendtype)) {
                byte[] mine = MpjObjects.bytes("Allgatherv", sendbuf, sendoffset, sendcount, sendtype);
                Parts into = Parts.of("Allgatherv", recvbuf, recvoffset, recvcounts, displs, recvtype, Size());
                MpjObjectCollectives.allgather("Allgatherv", c, mine, into);
                return;
            }
            MpjBlocks recv =
                    MpjBlocks.toReceive("Allgatherv", recvbuf, recvoffset, recvcounts, displs, recvtype, Size());
            c.allgather(
                    MpjData.toSendBeforeReceiveInto(recvbuf, "Allgatherv", sendbuf, sendoffset, sendcount, sendtype),
                    recv.buf);
            recv.received();
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Sends `sendcount` elements to each process.
    public void Alltoall(
            Object sendbuf,
            int sendoffset,
            int sendcount,
            Datatype sendtype,
            Object recvbuf,
            int recvoffset,
            int recvcount,
            Datatype recvtype)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Alltoall");
        try {
            if (MpjData.isObject("Alltoall", sendtype)) {
                MpjObjectCollectives.alltoall(
                        "Alltoall",
                        c,
                        Parts.equal(sendbuf, sendoffset, sendcount, sendtype, Size()),
                        Parts.equal(recvbuf, recvoffset, recvcount, recvtype, Size()));
                return;
            }
            Buf send = MpjData.toSendBeforeReceiveInto(
                    recvbuf, "Alltoall", sendbuf, sendoffset, Size() * sendcount, sendtype);
            c.alltoall(send, MpjData.toReceive("Alltoall", recvbuf, recvoffset, Size() * recvcount, recvtype));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Sends `sendcounts[r]` elements, from element `sendoffset + sdispls[r]`, to rank r; receives
    /// `recvcounts[r]` elements of rank r, stored from element `recvoffset + rdispls[r]`.
    public void Alltoallv(
            Object sendbuf,
            int sendoffset,
            int[] sendcounts,
            int[] sdispls,
            Datatype sendtype,
            Object recvbuf,
            int recvoffset,
            int[] recvcounts,
            int[] rdispls,
            Datatype recvtype)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Alltoallv");
        try {
            if (MpjData.isObject("Alltoallv", sendtype)) {
                MpjObjectCollectives.alltoall(
                        "Alltoallv",
                        c,
                        Parts.of("Alltoallv", sendbuf, sendoffset, sendcounts, sdispls, sendtype, Size()),
                        Parts.of("Alltoallv", recvbuf, recvoffset, recvcounts, rdispls, recvtype, Size()));
                return;
            }
            Object from = MpjData.apart(recvbuf, sendbuf);
            MpjBlocks send = MpjBlocks.toSend("Alltoallv", from, sendoffset, sendcounts, sdispls, sendtype, Size());
            MpjBlocks recv =
                    MpjBlocks.toReceive("Alltoallv", recvbuf, recvoffset, recvcounts, rdispls, recvtype, Size());
            c.alltoall(send.buf, recv.buf);
            recv.received();
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    // ---- reductions

    /// Combines the elements of all processes; the root gets the result.
    public void Reduce(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype type, Op op, int root)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Reduce");
        boolean receives = Rank() == root;
        try {
            if (MpjData.isObject("Reduce", type)) {
                byte[] mine = MpjObjects.bytes("Reduce", sendbuf, sendoffset, count, type);
                byte[] all = MpjObjectCollectives.reduce(c, mine, count, type, op.function("Reduce"), root);
                if (receives) MpjObjects.put("Reduce", all, recvbuf, recvoffset, count, type);
                return;
            }
            Buf send = MpjData.toSendBeforeReceiveInto(
                    receives ? recvbuf : null, "Reduce", sendbuf, sendoffset, count, type);
            c.reduce(
                    send,
                    receives ? MpjData.toReceive("Reduce", recvbuf, recvoffset, count, type) : Buf.NONE,
                    op.forType("Reduce", type),
                    root);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Combines the elements of all processes; all processes get the result.
    public void Allreduce(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype type, Op op)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Allreduce");
        try {
            if (MpjData.isObject("Allreduce", type)) {
                byte[] mine = MpjObjects.bytes("Allreduce", sendbuf, sendoffset, count, type);
                byte[] all = MpjObjectCollectives.allreduce(c, mine, count, type, op.function("Allreduce"));
                MpjObjects.put("Allreduce", all, recvbuf, recvoffset, count, type);
                return;
            }
            Buf send = MpjData.toSendBeforeReceiveInto(recvbuf, "Allreduce", sendbuf, sendoffset, count, type);
            Buf recv = MpjData.toReceive("Allreduce", recvbuf, recvoffset, count, type);
            c.allreduce(send, recv, op.forType("Allreduce", type));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Combines the elements of all processes; rank r gets `recvcounts[r]` elements of the result.
    public void Reduce_scatter(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int[] recvcounts, Datatype type, Op op)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Reduce_scatter");
        int[] counts = MpjBlocks.ofRanks("Reduce_scatter", "recvcounts", recvcounts, Size());
        int total = Arrays.stream(counts).sum();
        int own = counts[Rank()];
        try {
            if (MpjData.isObject("Reduce_scatter", type)) {
                byte[] mine = MpjObjects.bytes("Reduce_scatter", sendbuf, sendoffset, total, type);
                User_function f = op.function("Reduce_scatter");
                byte[] part = MpjObjectCollectives.reduceScatter(c, mine, counts, type, f);
                MpjObjects.put("Reduce_scatter", part, recvbuf, recvoffset, own, type);
                return;
            }
            Buf send = MpjData.toSendBeforeReceiveInto(recvbuf, "Reduce_scatter", sendbuf, sendoffset, total, type);
            c.reduceScatter(
                    send.blocks(counts),
                    MpjData.toReceive("Reduce_scatter", recvbuf, recvoffset, own, type),
                    op.forType("Reduce_scatter", type));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Combines the elements of the processes with ranks from 0 to the rank of this process.
    public void Scan(Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype type, Op op)
            throws MPIException {
        org.tutti.mpi.Comm c = tuttis("Scan");
        try {
            if (MpjData.isObject("Scan", type)) {
                byte[] mine = MpjObjects.bytes("Scan", sendbuf, sendoffset, count, type);
                byte[] all = MpjObjectCollectives.scan(c, mine, count, type, op.function("Scan"));
                MpjObjects.put("Scan", all, recvbuf, recvoffset, count, type);
                return;
            }
            Buf send = MpjData.toSendBeforeReceiveInto(recvbuf, "Scan", sendbuf, sendoffset, count, type);
            Buf recv = MpjData.toReceive("Scan", recvbuf, recvoffset, count, type);
            c.scan(send, recv, op.forType("Scan", type));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }
}
