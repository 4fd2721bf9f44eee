package org.tutti.mpi;

import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// The chapter of [Comm] on persistent collective operations: each prepares what the blocking operation of
/// the same name does, to be started many times on the same buffers.
///
/// All ranks prepare them in the same order, among their other collective calls. They match in that order, and each
/// rank may start them in another one. MPI 4.1, section 6.13.
public abstract sealed class PersistentCollectives extends NonblockingCollectives permits TopologyConstructors {
    PersistentCollectives(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    final PersistentRequest prepared(Collective c, Buf send, Buf recv) {
        c.form = Collective.Form.PERSISTENT;
        CommPort context = begin(c.operation).dupForRequest(c.operation, port);
        c.comm = context;
        Buf result = Collectives.result(c, recv);
        Buf given = c.kind == Kind.BCAST && result == Buf.NONE ? recv : send;
        return new PreparedRequest(mpi, c.operation, recv.isPlace() ? recv : send, result, context, () -> {
            checkRecords(c.operation, given, 0, given.count(), port);
            // data in pieces may have changed since it was brought together
            send.refresh(c.send.memory);
            recv.refresh(c.recv.memory);
            begin(c.operation).start(c);
            return c;
        });
    }

    /// Prepares [#barrier()]. Collective, blocking. MPI 4.1, section 6.13.1.
    ///
    /// @throws MpiException as [#barrier()], for an argument; what fails later comes out of the request
    public final PersistentRequest barrierInit() {
        EngineCalls engine = begin("barrierInit");
        return prepared(describe.barrier(engine.collective(), "barrierInit"), Buf.NONE, Buf.NONE);
    }

    /// Prepares [#bcast(Buf, int)]. Collective, blocking. MPI 4.1, section 6.13.2.
    ///
    /// @throws MpiException as [#bcast(Buf, int)], for an argument; what fails later comes out of the request
    public final PersistentRequest bcastInit(Buf buf, int root) {
        EngineCalls engine = begin("bcastInit");
        return prepared(describe.bcast(engine.collective(), "bcastInit", buf, root), Buf.NONE, buf);
    }

    /// Prepares [#gather(Buf, Buf, int)]. Collective, blocking. MPI 4.1, section 6.13.3.
    ///
    /// @throws MpiException as [#gather(Buf, Buf, int)], for an argument; what fails later comes out of the
    ///     request
    public final PersistentRequest gatherInit(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("gatherInit");
        return prepared(describe.gather(engine.collective(), "gatherInit", send, recv, root), send, recv);
    }

    /// Prepares [#scatter(Buf, Buf, int)]. Collective, blocking. MPI 4.1, section 6.13.4.
    ///
    /// @throws MpiException as [#scatter(Buf, Buf, int)], for an argument; what fails later comes out of the
    ///     request
    public final PersistentRequest scatterInit(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("scatterInit");
        return prepared(describe.scatter(engine.collective(), "scatterInit", send, recv, root), send, recv);
    }

    /// Prepares [#allgather(Buf)]. Collective, blocking. MPI 4.1, section 6.13.5.
    ///
    /// @throws MpiException as [#allgather(Buf)], for an argument; what fails later comes out of the request
    public final PersistentRequest allgatherInit(Buf buf) {
        return allgatherInit(Buf.IN_PLACE, buf);
    }

    /// Prepares [#allgather(Buf, Buf)]. Collective, blocking. MPI 4.1, section 6.13.5.
    ///
    /// @throws MpiException as [#allgather(Buf, Buf)], for an argument; what fails later comes out of the
    ///     request
    public final PersistentRequest allgatherInit(Buf send, Buf recv) {
        EngineCalls engine = begin("allgatherInit");
        return prepared(describe.allgather(engine.collective(), "allgatherInit", send, recv), send, recv);
    }

    /// Prepares [#alltoall(Buf)]. Collective, blocking. MPI 4.1, section 6.13.6.
    ///
    /// @throws MpiException as [#alltoall(Buf)], for an argument; what fails later comes out of the request
    public final PersistentRequest alltoallInit(Buf buf) {
        return alltoallInit(Buf.IN_PLACE, buf);
    }

    /// Prepares [#alltoall(Buf, Buf)]. Collective, blocking. MPI 4.1, section 6.13.6.
    ///
    /// @throws MpiException as [#alltoall(Buf, Buf)], for an argument; what fails later comes out of the
    ///     request
    public final PersistentRequest alltoallInit(Buf send, Buf recv) {
        EngineCalls engine = begin("alltoallInit");
        return prepared(describe.alltoall(engine.collective(), "alltoallInit", send, recv), send, recv);
    }

    /// Prepares [#alltoallw(Buf\[\])]. Collective, blocking. MPI 4.1, section 6.13.6.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\])], for an argument; what fails later comes out of the
    ///     request
    public final PersistentRequest alltoallwInit(Buf[] buf) {
        EngineCalls engine = begin("alltoallwInit");
        Collective c = describe.alltoallw(engine.collective(), "alltoallwInit", null, buf);
        return prepared(c, Buf.NONE, Collectives.received(c, buf));
    }

    /// Prepares [#alltoallw(Buf\[\], Buf\[\])]. Collective, blocking. MPI 4.1, section 6.13.6.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\], Buf\[\])], for an argument; what fails later comes out of
    ///     the request
    public final PersistentRequest alltoallwInit(Buf[] send, Buf[] recv) {
        EngineCalls engine = begin("alltoallwInit");
        Collective c = describe.alltoallw(engine.collective(), "alltoallwInit", send, recv);
        return prepared(c, Collectives.sent(c, send), Collectives.received(c, recv));
    }

    /// Prepares [#reduce(Buf, Op, int)]. Collective, blocking. MPI 4.1, section 6.13.7.
    ///
    /// @throws MpiException as [#reduce(Buf, Op, int)], for an argument; what fails later comes out of the
    ///     request
    public final PersistentRequest reduceInit(Buf buf, Op op, int root) {
        boolean atRoot = isRoot(root);
        return reduceInit(atRoot ? Buf.IN_PLACE : buf, atRoot ? buf : Buf.NONE, op, root);
    }

    /// Prepares [#reduce(Buf, Buf, Op, int)]. Collective, blocking. MPI 4.1, section 6.13.7.
    ///
    /// @throws MpiException as [#reduce(Buf, Buf, Op, int)], for an argument; what fails later comes out of
    ///     the request
    public final PersistentRequest reduceInit(Buf send, Buf recv, Op op, int root) {
        EngineCalls engine = begin("reduceInit");
        return prepared(describe.reduce(engine.collective(), "reduceInit", send, recv, op, root), send, recv);
    }

    /// Prepares [#allreduce(Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.8.
    ///
    /// @throws MpiException as [#allreduce(Buf, Op)], for an argument; what fails later comes out of the
    ///     request
    public final PersistentRequest allreduceInit(Buf buf, Op op) {
        return allreduceInit(Buf.IN_PLACE, buf, op);
    }

    /// Prepares [#allreduce(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.8.
    ///
    /// @throws MpiException as [#allreduce(Buf, Buf, Op)], for an argument; what fails later comes out of the
    ///     request
    public final PersistentRequest allreduceInit(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("allreduceInit");
        return prepared(
                describe.reduceOnAll(engine.collective(), "allreduceInit", Kind.ALLREDUCE, send, recv, op), send, recv);
    }

    /// Prepares [#reduceScatterBlock(Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.9.
    ///
    /// @throws MpiException as [#reduceScatterBlock(Buf, Op)], for an argument; what fails later comes out of
    ///     the request
    public final PersistentRequest reduceScatterBlockInit(Buf buf, Op op) {
        return reduceScatterBlockInit(Buf.IN_PLACE, buf, op);
    }

    /// Prepares [#reduceScatterBlock(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.9.
    ///
    /// @throws MpiException as [#reduceScatterBlock(Buf, Buf, Op)], for an argument; what fails later comes
    ///     out of the request
    public final PersistentRequest reduceScatterBlockInit(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("reduceScatterBlockInit");
        return prepared(
                describe.reduceScatterBlock(engine.collective(), "reduceScatterBlockInit", send, recv, op), send, recv);
    }

    /// Prepares [#reduceScatter(Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.10.
    ///
    /// @throws MpiException as [#reduceScatter(Buf, Op)], for an argument; what fails later comes out of the
    ///     request
    public final PersistentRequest reduceScatterInit(Buf buf, Op op) {
        return reduceScatterInit(Buf.IN_PLACE, buf, op);
    }

    /// Prepares [#reduceScatter(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.10.
    ///
    /// @throws MpiException as [#reduceScatter(Buf, Buf, Op)], for an argument; what fails later comes out of
    ///     the request
    public final PersistentRequest reduceScatterInit(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("reduceScatterInit");
        return prepared(describe.reduceScatter(engine.collective(), "reduceScatterInit", send, recv, op), send, recv);
    }

    /// Prepares [#scan(Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.11.
    ///
    /// @throws MpiException as [#scan(Buf, Op)], for an argument; what fails later comes out of the request
    public final PersistentRequest scanInit(Buf buf, Op op) {
        return scanInit(Buf.IN_PLACE, buf, op);
    }

    /// Prepares [#scan(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.11.
    ///
    /// @throws MpiException as [#scan(Buf, Buf, Op)], for an argument; what fails later comes out of the
    ///     request
    public final PersistentRequest scanInit(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("scanInit");
        return prepared(describe.reduceOnAll(engine.collective(), "scanInit", Kind.SCAN, send, recv, op), send, recv);
    }

    /// Prepares [#exscan(Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.12.
    ///
    /// @throws MpiException as [#exscan(Buf, Op)], for an argument; what fails later comes out of the request
    public final PersistentRequest exscanInit(Buf buf, Op op) {
        return exscanInit(Buf.IN_PLACE, buf, op);
    }

    /// Prepares [#exscan(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.12.
    ///
    /// @throws MpiException as [#exscan(Buf, Buf, Op)], for an argument; what fails later comes out of the
    ///     request
    public final PersistentRequest exscanInit(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("exscanInit");
        return prepared(
                describe.reduceOnAll(engine.collective(), "exscanInit", Kind.EXSCAN, send, recv, op), send, recv);
    }
}
