package mpi;

import java.nio.Buffer;

/// A communicator. Data of blocking calls is an array or a NIO buffer; of nonblocking calls, a direct buffer.
public class Comm implements Freeable, Cloneable {
    public static final int TYPE_SHARED = 0;

    final CommHandles state;

    Comm(CommHandles state) {
        this.state = state;
    }

    static int number(org.tutti.mpi.Comparison comparison) {
        return switch (comparison) {
            case IDENT -> MPI.IDENT;
            case CONGRUENT -> MPI.CONGRUENT;
            case SIMILAR -> MPI.SIMILAR;
            case UNEQUAL -> MPI.UNEQUAL;
        };
    }

    public final void send(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        state.send(buf, count, type, dest, tag);
    }

    public final void sSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        state.send(org.tutti.mpi.Communicator::ssend, buf, count, type, dest, tag);
    }

    public final void bSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        state.send(org.tutti.mpi.Communicator::bsend, buf, count, type, dest, tag);
    }

    public final void rSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        state.send(org.tutti.mpi.Communicator::rsend, buf, count, type, dest, tag);
    }

    public final Status recv(Object buf, int count, Datatype type, int source, int tag) throws MPIException {
        return state.recv(buf, count, type, source, tag);
    }

    public final Request iSend(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return state.start(org.tutti.mpi.Communicator::isend, buf, count, type, dest, tag);
    }

    public final Request isSend(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return state.start(org.tutti.mpi.Communicator::issend, buf, count, type, dest, tag);
    }

    public final Request ibSend(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return state.start(org.tutti.mpi.Communicator::ibsend, buf, count, type, dest, tag);
    }

    public final Request irSend(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return state.start(org.tutti.mpi.Communicator::irsend, buf, count, type, dest, tag);
    }

    public final Request iRecv(Buffer buf, int count, Datatype type, int source, int tag) throws MPIException {
        return state.start(org.tutti.mpi.Communicator::irecv, buf, count, type, source, tag);
    }

    public final Prequest sendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return state.prepare(org.tutti.mpi.Communicator::sendInit, buf, count, type, dest, tag);
    }

    public final Prequest sSendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return state.prepare(org.tutti.mpi.Communicator::ssendInit, buf, count, type, dest, tag);
    }

    public final Prequest bSendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return state.prepare(org.tutti.mpi.Communicator::bsendInit, buf, count, type, dest, tag);
    }

    public final Prequest rSendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return state.prepare(org.tutti.mpi.Communicator::rsendInit, buf, count, type, dest, tag);
    }

    public final Prequest recvInit(Buffer buf, int count, Datatype type, int source, int tag) throws MPIException {
        return state.prepare(org.tutti.mpi.Communicator::recvInit, buf, count, type, source, tag);
    }

    public final Status sendRecv(
            Object s, int sn, Datatype st, int dest, int sTag, Object r, int rn, Datatype rt, int source, int rTag)
            throws MPIException {
        return state.exchange(s, sn, st, dest, sTag, r, rn, rt, source, rTag);
    }

    public final Status sendRecvReplace(Object buf, int count, Datatype type, int dest, int sTag, int source, int rTag)
            throws MPIException {
        return state.replace(buf, count, type, dest, sTag, source, rTag);
    }

    public final Status probe(int source, int tag) throws MPIException {
        return state.probe(source, tag);
    }

    public final Status iProbe(int source, int tag) throws MPIException {
        return state.iprobe(source, tag);
    }

    public final int packSize(int count, Datatype type) throws MPIException {
        return Packing.size(state, count, type);
    }

    public final int pack(Object in, int count, Datatype type, byte[] out, int position) throws MPIException {
        return Packing.pack(state, in, count, type, out, position);
    }

    public final int unpack(byte[] in, int position, Object out, int count, Datatype type) throws MPIException {
        return Packing.unpack(state, in, position, out, count, type);
    }

    public final void barrier() throws MPIException {
        state.barrier();
    }

    public final Request iBarrier() throws MPIException {
        return state.ibarrier();
    }

    public final void bcast(Object buf, int count, Datatype type, int root) throws MPIException {
        state.bcast(buf, count, type, root);
    }

    public final Request iBcast(Buffer buf, int count, Datatype type, int root) throws MPIException {
        Data.checkDirect(buf, count);
        return state.ibcast(buf, count, type, root);
    }

    public final void gather(Object s, int sn, Datatype st, Object r, int rn, Datatype rt, int root)
            throws MPIException {
        state.gather(Blocking.GATHER, s, sn, st, r, rn, rt, root);
    }

    public final Request iGather(Buffer s, int sn, Datatype st, Buffer r, int rn, Datatype rt, int root)
            throws MPIException {
        CommState.checkDirect(s, sn, r, rn);
        return state.gather(org.tutti.mpi.Communicator::igather, s, sn, st, r, rn, rt, root);
    }

    public final void gather(Object buf, int count, Datatype type, int root) throws MPIException {
        state.gather(Blocking.GATHER, buf, count, type, root);
    }

    public final Request iGather(Buffer buf, int count, Datatype type, int root) throws MPIException {
        Data.checkDirect(buf, count);
        return state.gather(org.tutti.mpi.Communicator::igather, buf, count, type, root);
    }

    public final void gatherv(Object s, int sn, Datatype st, Object r, int[] rn, int[] at, Datatype rt, int root)
            throws MPIException {
        state.gatherv(Blocking.GATHER, s, sn, st, r, rn, at, rt, root);
    }

    public final Request iGatherv(Buffer s, int sn, Datatype st, Buffer r, int[] rn, int[] at, Datatype rt, int root)
            throws MPIException {
        CommState.checkDirect(s, sn, r, 1);
        return state.gatherv(org.tutti.mpi.Communicator::igather, s, sn, st, r, rn, at, rt, root);
    }

    public final void gatherv(Object buf, int count, Datatype type, int root) throws MPIException {
        state.gathervFromOther(Blocking.GATHER, buf, count, type, root);
    }

    public final Request iGatherv(Buffer buf, int count, Datatype type, int root) throws MPIException {
        Data.checkDirect(buf, count);
        return state.gathervFromOther(org.tutti.mpi.Communicator::igather, buf, count, type, root);
    }

    public final void gatherv(Object buf, int[] counts, int[] at, Datatype type, int root) throws MPIException {
        state.gathervAtRoot(Blocking.GATHER, buf, counts, at, type, root);
    }

    public final Request iGatherv(Buffer buf, int[] counts, int[] at, Datatype type, int root) throws MPIException {
        Data.checkDirect(buf, 1);
        return state.gathervAtRoot(org.tutti.mpi.Communicator::igather, buf, counts, at, type, root);
    }

    public final void scatter(Object s, int sn, Datatype st, Object r, int rn, Datatype rt, int root)
            throws MPIException {
        state.scatter(Blocking.SCATTER, s, sn, st, r, rn, rt, root);
    }

    public final Request iScatter(Buffer s, int sn, Datatype st, Buffer r, int rn, Datatype rt, int root)
            throws MPIException {
        CommState.checkDirect(s, sn, r, rn);
        return state.scatter(org.tutti.mpi.Communicator::iscatter, s, sn, st, r, rn, rt, root);
    }

    public final void scatter(Object buf, int count, Datatype type, int root) throws MPIException {
        state.scatter(Blocking.SCATTER, buf, count, type, root);
    }

    public final Request iScatter(Buffer buf, int count, Datatype type, int root) throws MPIException {
        Data.checkDirect(buf, count);
        return state.scatter(org.tutti.mpi.Communicator::iscatter, buf, count, type, root);
    }

    public final void scatterv(Object s, int[] sn, int[] at, Datatype st, Object r, int rn, Datatype rt, int root)
            throws MPIException {
        state.scatterv(Blocking.SCATTER, s, sn, at, st, r, rn, rt, root);
    }

    public final Request iScatterv(Buffer s, int[] sn, int[] at, Datatype st, Buffer r, int rn, Datatype rt, int root)
            throws MPIException {
        CommState.checkDirect(s, 1, r, rn);
        return state.scatterv(org.tutti.mpi.Communicator::iscatter, s, sn, at, st, r, rn, rt, root);
    }

    public final void scatterv(Object buf, int count, Datatype type, int root) throws MPIException {
        state.scattervToOther(Blocking.SCATTER, buf, count, type, root);
    }

    public final Request iScatterv(Buffer buf, int count, Datatype type, int root) throws MPIException {
        Data.checkDirect(buf, count);
        return state.scattervToOther(org.tutti.mpi.Communicator::iscatter, buf, count, type, root);
    }

    public final void scatterv(Object buf, int[] counts, int[] at, Datatype type, int root) throws MPIException {
        state.scattervAtRoot(Blocking.SCATTER, buf, counts, at, type, root);
    }

    public final Request iScatterv(Buffer buf, int[] counts, int[] at, Datatype type, int root) throws MPIException {
        Data.checkDirect(buf, 1);
        return state.scattervAtRoot(org.tutti.mpi.Communicator::iscatter, buf, counts, at, type, root);
    }

    public final void allGather(Object s, int sn, Datatype st, Object r, int rn, Datatype rt) throws MPIException {
        state.exchange(Blocking.ALLGATHER, false, s, sn, st, r, rn, rt);
    }

    public final Request iAllGather(Buffer s, int sn, Datatype st, Buffer r, int rn, Datatype rt) throws MPIException {
        CommState.checkDirect(s, sn, r, rn);
        return state.exchange(org.tutti.mpi.Communicator::iallgather, false, s, sn, st, r, rn, rt);
    }

    public final void allGather(Object buf, int count, Datatype type) throws MPIException {
        state.inPlace(Blocking.ALLGATHER, buf, count, type);
    }

    public final Request iAllGather(Buffer buf, int count, Datatype type) throws MPIException {
        Data.checkDirect(buf, count);
        return state.inPlace(org.tutti.mpi.Communicator::iallgather, buf, count, type);
    }

    public final void allGatherv(Object s, int sn, Datatype st, Object r, int[] rn, int[] at, Datatype rt)
            throws MPIException {
        state.allGatherv(Blocking.ALLGATHER, s, sn, st, r, rn, at, rt);
    }

    public final Request iAllGatherv(Buffer s, int sn, Datatype st, Buffer r, int[] rn, int[] at, Datatype rt)
            throws MPIException {
        CommState.checkDirect(s, sn, r, 1);
        return state.allGatherv(org.tutti.mpi.Communicator::iallgather, s, sn, st, r, rn, at, rt);
    }

    public final void allGatherv(Object buf, int[] counts, int[] at, Datatype type) throws MPIException {
        state.allGatherv(Blocking.ALLGATHER, buf, counts, at, type);
    }

    public final Request iAllGatherv(Buffer buf, int[] counts, int[] at, Datatype type) throws MPIException {
        Data.checkDirect(buf, 1);
        return state.allGatherv(org.tutti.mpi.Communicator::iallgather, buf, counts, at, type);
    }

    public final void allToAll(Object s, int sn, Datatype st, Object r, int rn, Datatype rt) throws MPIException {
        state.exchange(Blocking.ALLTOALL, true, s, sn, st, r, rn, rt);
    }

    public final Request iAllToAll(Buffer s, int sn, Datatype st, Buffer r, int rn, Datatype rt) throws MPIException {
        CommState.checkDirect(s, sn, r, rn);
        return state.exchange(org.tutti.mpi.Communicator::ialltoall, true, s, sn, st, r, rn, rt);
    }

    public final void allToAllv(Object s, int[] sn, int[] sAt, Datatype st, Object r, int[] rn, int[] rAt, Datatype rt)
            throws MPIException {
        state.allToAllv(Blocking.ALLTOALL, s, sn, sAt, st, r, rn, rAt, rt);
    }

    public final Request iAllToAllv(
            Buffer s, int[] sn, int[] sAt, Datatype st, Buffer r, int[] rn, int[] rAt, Datatype rt)
            throws MPIException {
        CommState.checkDirect(s, 1, r, 1);
        return state.allToAllv(org.tutti.mpi.Communicator::ialltoall, s, sn, sAt, st, r, rn, rAt, rt);
    }

    public final void allToAllw(
            Object s, int[] sn, int[] sAt, Datatype[] st, Object r, int[] rn, int[] rAt, Datatype[] rt)
            throws MPIException {
        state.allToAllw(Blocking.ALLTOALLW, s, sn, sAt, st, r, rn, rAt, rt);
    }

    public final Request iAllToAllw(
            Buffer s, int[] sn, int[] sAt, Datatype[] st, Buffer r, int[] rn, int[] rAt, Datatype[] rt)
            throws MPIException {
        CommState.checkDirect(s, 1, r, 1);
        return state.allToAllw(org.tutti.mpi.Communicator::ialltoallw, s, sn, sAt, st, r, rn, rAt, rt);
    }

    public final void allToAllw(
            Buffer s, int[] sn, int[] sAt, Datatype[] st, Buffer r, int[] rn, int[] rAt, Datatype[] rt)
            throws MPIException {
        allToAllw((Object) s, sn, sAt, st, r, rn, rAt, rt);
    }

    public final void reduce(Object s, Object r, int count, Datatype type, Op op, int root) throws MPIException {
        state.reduce(Blocking.REDUCE, s, r, count, type, op, root);
    }

    public final Request iReduce(Buffer s, Buffer r, int count, Datatype type, Op op, int root) throws MPIException {
        CommState.checkDirect(s, count, r, count);
        return state.reduce(org.tutti.mpi.Communicator::ireduce, s, r, count, type, op, root);
    }

    public final void reduce(Object buf, int count, Datatype type, Op op, int root) throws MPIException {
        state.reduce(Blocking.REDUCE, buf, count, type, op, root);
    }

    public final Request iReduce(Buffer buf, int count, Datatype type, Op op, int root) throws MPIException {
        Data.checkDirect(buf, count);
        return state.reduce(org.tutti.mpi.Communicator::ireduce, buf, count, type, op, root);
    }

    public final void allReduce(Object s, Object r, int count, Datatype type, Op op) throws MPIException {
        state.combine(Blocking.ALLREDUCE, s, r, count, type, op);
    }

    public final Request iAllReduce(Buffer s, Buffer r, int count, Datatype type, Op op) throws MPIException {
        CommState.checkDirect(s, count, r, count);
        return state.combine(org.tutti.mpi.Communicator::iallreduce, s, r, count, type, op);
    }

    public final void allReduce(Object buf, int count, Datatype type, Op op) throws MPIException {
        state.combine(Blocking.ALLREDUCE, buf, count, type, op);
    }

    public final Request iAllReduce(Buffer buf, int count, Datatype type, Op op) throws MPIException {
        Data.checkDirect(buf, count);
        return state.combine(org.tutti.mpi.Communicator::iallreduce, buf, count, type, op);
    }

    public final void reduceScatter(Object s, Object r, int[] counts, Datatype type, Op op) throws MPIException {
        state.reduceScatter(Blocking.REDUCE_SCATTER, s, r, counts, type, op);
    }

    public final Request iReduceScatter(Buffer s, Buffer r, int[] counts, Datatype type, Op op) throws MPIException {
        CommState.checkDirect(s, 1, r, 1);
        return state.reduceScatter(org.tutti.mpi.Communicator::ireduceScatter, s, r, counts, type, op);
    }

    public final void reduceScatter(Object buf, int[] counts, Datatype type, Op op) throws MPIException {
        state.reduceScatter(Blocking.REDUCE_SCATTER, buf, counts, type, op);
    }

    public final Request iReduceScatter(Buffer buf, int[] counts, Datatype type, Op op) throws MPIException {
        Data.checkDirect(buf, 1);
        return state.reduceScatter(org.tutti.mpi.Communicator::ireduceScatter, buf, counts, type, op);
    }

    public final void reduceScatterBlock(Object s, Object r, int count, Datatype type, Op op) throws MPIException {
        state.reduceScatterBlock(Blocking.REDUCE_SCATTER_BLOCK, s, r, count, type, op);
    }

    public final Request iReduceScatterBlock(Buffer s, Buffer r, int count, Datatype type, Op op) throws MPIException {
        CommState.checkDirect(s, count, r, count);
        return state.reduceScatterBlock(org.tutti.mpi.Communicator::ireduceScatterBlock, s, r, count, type, op);
    }

    public final void reduceScatterBlock(Object buf, int count, Datatype type, Op op) throws MPIException {
        state.reduceScatterBlock(Blocking.REDUCE_SCATTER_BLOCK, buf, count, type, op);
    }

    public final Request iReduceScatterBlock(Buffer buf, int count, Datatype type, Op op) throws MPIException {
        Data.checkDirect(buf, count);
        return state.reduceScatterBlock(org.tutti.mpi.Communicator::ireduceScatterBlock, buf, count, type, op);
    }

    public final void neighborAllGather(Object s, int sn, Datatype st, Object r, int rn, Datatype rt)
            throws MPIException {
        state.neighborCall(Blocking.NEIGHBOR_ALLGATHER, false, s, sn, st, r, rn, rt);
    }

    public final Request iNeighborAllGather(Buffer s, int sn, Datatype st, Buffer r, int rn, Datatype rt)
            throws MPIException {
        CommState.checkDirect(s, sn, r, rn);
        return state.neighborCall(org.tutti.mpi.Topology::ineighborAllgather, false, s, sn, st, r, rn, rt);
    }

    public final void neighborAllGatherv(Object s, int sn, Datatype st, Object r, int[] rn, int[] at, Datatype rt)
            throws MPIException {
        state.neighborGatherv(Blocking.NEIGHBOR_ALLGATHER, s, sn, st, r, rn, at, rt);
    }

    public final Request iNeighborAllGatherv(Buffer s, int sn, Datatype st, Buffer r, int[] rn, int[] at, Datatype rt)
            throws MPIException {
        CommState.checkDirect(s, sn, r, 1);
        return state.neighborGatherv(org.tutti.mpi.Topology::ineighborAllgather, s, sn, st, r, rn, at, rt);
    }

    public final void neighborAllToAll(Object s, int sn, Datatype st, Object r, int rn, Datatype rt)
            throws MPIException {
        state.neighborCall(Blocking.NEIGHBOR_ALLTOALL, true, s, sn, st, r, rn, rt);
    }

    public final Request iNeighborAllToAll(Buffer s, int sn, Datatype st, Buffer r, int rn, Datatype rt)
            throws MPIException {
        CommState.checkDirect(s, sn, r, rn);
        return state.neighborCall(org.tutti.mpi.Topology::ineighborAlltoall, true, s, sn, st, r, rn, rt);
    }

    public final void neighborAllToAllv(
            Object s, int[] sn, int[] sAt, Datatype st, Object r, int[] rn, int[] rAt, Datatype rt)
            throws MPIException {
        state.neighborExchange(Blocking.NEIGHBOR_ALLTOALL, s, sn, sAt, st, r, rn, rAt, rt);
    }

    public final Request iNeighborAllToAllv(
            Buffer s, int[] sn, int[] sAt, Datatype st, Buffer r, int[] rn, int[] rAt, Datatype rt)
            throws MPIException {
        CommState.checkDirect(s, 1, r, 1);
        return state.neighborExchange(org.tutti.mpi.Topology::ineighborAlltoall, s, sn, sAt, st, r, rn, rAt, rt);
    }

    public static void reduceLocal(Object s, Object r, int count, Datatype type, Op op) throws MPIException {
        Op.local(s, r, count, type, op);
    }

    public final int getRank() throws MPIException {
        return state.open().rank();
    }

    public final int getSize() throws MPIException {
        return state.open().size();
    }

    public final boolean isInter() throws MPIException {
        return state.open().isInter();
    }

    public final boolean isNull() {
        return state.isNull();
    }

    public final String getName() throws MPIException {
        return CommProperties.name(state);
    }

    public final void setName(String name) throws MPIException {
        CommProperties.name(state, name);
    }

    public final int getTopology() throws MPIException {
        return CommProperties.topology(state);
    }

    public final Group getGroup() throws MPIException {
        return new Group(state.open().group());
    }

    public static int compare(Comm one, Comm other) throws MPIException {
        return number(one.state.open().compare(other.state.open()));
    }

    public final Info getInfo() throws MPIException {
        return Info.of(state.open().info());
    }

    public final void setInfo(Info info) throws MPIException {
        state.open().setInfo(Info.map(info));
    }

    public final Errhandler getErrhandler() throws MPIException {
        state.open();
        return state.errhandler;
    }

    public final void setErrhandler(Errhandler handler) throws MPIException {
        state.open();
        state.errhandler = handler;
    }

    public void callErrhandler(int code) throws MPIException {
        Failures.called(code, state.errhandler);
    }

    public static int createKeyval() throws MPIException {
        return Attributes.createKey(Attributes.Kind.COMMUNICATOR);
    }

    public static void freeKeyval(int key) throws MPIException {
        Attributes.freeKey(Attributes.Kind.COMMUNICATOR, key);
    }

    public final Object getAttr(int key) throws MPIException {
        return CommProperties.attribute(state, key);
    }

    public final void setAttr(int key, Object value) throws MPIException {
        state.open();
        try {
            state.attributes.set(key, value);
        } catch (Mistake e) {
            throw state.failed(e);
        }
    }

    public final void deleteAttr(int key) throws MPIException {
        state.open();
        try {
            state.attributes.delete(key);
        } catch (Mistake e) {
            throw state.failed(e);
        }
    }

    public final void abort(int code) throws MPIException {
        LifeCycle.mpi().abort(code);
    }

    @Override
    public final void free() throws MPIException {
        state.close();
    }

    public final void disconnect() throws MPIException {
        state.disconnect();
    }

    public Comm dup() throws MPIException {
        return new Comm(state.dup(null));
    }

    public Comm dupWithInfo(Info info) throws MPIException {
        return new Comm(state.dup(info));
    }

    public Comm iDup() throws MPIException {
        return new Comm(state.idup());
    }

    @Override
    public Comm clone() {
        return new Comm(state.cloned());
    }

    public final Request getRequest() {
        return state.duplication;
    }

    public final Intercomm createIntercomm(Comm local, int localLeader, int remoteLeader, int tag) throws MPIException {
        return new Intercomm(state.connect(local.state, localLeader, remoteLeader, tag));
    }
}
