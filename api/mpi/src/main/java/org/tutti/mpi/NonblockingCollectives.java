package org.tutti.mpi;

import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// The chapter of [Comm] on nonblocking collective operations: each begins what the blocking operation of
/// the same name does, and is complete when its request is.
///
/// Many may be under way on one communicator, and complete in any order; all ranks begin them in the same
/// one. They match nonblocking calls only, never blocking ones. Buffers belong to the engine until then,
/// also those that are only read. MPI 4.1, section 6.12.
public abstract sealed class NonblockingCollectives extends ScalarCollectives permits PersistentCollectives {
    NonblockingCollectives(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    final Collective taken() {
        return mpi.scratch().takeCollective();
    }

    final Request started(EngineCalls engine, Collective c, Buf send, Buf recv) {
        c.form = Collective.Form.NONBLOCKING;
        engine.start(c);
        return new Request(mpi, recv.isPlace() ? recv : send, Collectives.result(c, recv), c);
    }

    /// Begins [#barrier()]. Collective; waits for nobody. MPI 4.1, section 6.12.1.
    ///
    /// @throws MpiException as [#barrier()], for an argument; what fails later comes out of the request
    public final Request ibarrier() {
        EngineCalls engine = begin("ibarrier");
        return started(engine, describe.barrier(taken(), "ibarrier"), Buf.NONE, Buf.NONE);
    }

    /// Begins [#bcast(Buf, int)]. Collective; waits for nobody. MPI 4.1, section 6.12.2.
    ///
    /// @throws MpiException as [#bcast(Buf, int)], for an argument; what fails later comes out of the request
    public final Request ibcast(Buf buf, int root) {
        EngineCalls engine = begin("ibcast");
        return started(engine, describe.bcast(taken(), "ibcast", buf, root), Buf.NONE, buf);
    }

    /// Begins [#gather(Buf, Buf, int)]. Collective; waits for nobody. MPI 4.1, section 6.12.3.
    ///
    /// @throws MpiException as [#gather(Buf, Buf, int)], for an argument; what fails later comes out of the
    ///     request
    public final Request igather(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("igather");
        return started(engine, describe.gather(taken(), "igather", send, recv, root), send, recv);
    }

    /// Begins [#scatter(Buf, Buf, int)]. Collective; waits for nobody. MPI 4.1, section 6.12.4.
    ///
    /// @throws MpiException as [#scatter(Buf, Buf, int)], for an argument; what fails later comes out of the
    ///     request
    public final Request iscatter(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("iscatter");
        return started(engine, describe.scatter(taken(), "iscatter", send, recv, root), send, recv);
    }

    /// Begins [#allgather(Buf)]. Collective; waits for nobody. MPI 4.1, section 6.12.5.
    ///
    /// @throws MpiException as [#allgather(Buf)], for an argument; what fails later comes out of the request
    public final Request iallgather(Buf buf) {
        return iallgather(Buf.IN_PLACE, buf);
    }

    /// Begins [#allgather(Buf, Buf)]. Collective; waits for nobody. MPI 4.1, section 6.12.5.
    ///
    /// @throws MpiException as [#allgather(Buf, Buf)], for an argument; what fails later comes out of the
    ///     request
    public final Request iallgather(Buf send, Buf recv) {
        EngineCalls engine = begin("iallgather");
        return started(engine, describe.allgather(taken(), "iallgather", send, recv), send, recv);
    }

    /// Begins [#alltoall(Buf)]. Collective; waits for nobody. MPI 4.1, section 6.12.6.
    ///
    /// @throws MpiException as [#alltoall(Buf)], for an argument; what fails later comes out of the request
    public final Request ialltoall(Buf buf) {
        return ialltoall(Buf.IN_PLACE, buf);
    }

    /// Begins [#alltoall(Buf, Buf)]. Collective; waits for nobody. MPI 4.1, section 6.12.6.
    ///
    /// @throws MpiException as [#alltoall(Buf, Buf)], for an argument; what fails later comes out of the
    ///     request
    public final Request ialltoall(Buf send, Buf recv) {
        EngineCalls engine = begin("ialltoall");
        return started(engine, describe.alltoall(taken(), "ialltoall", send, recv), send, recv);
    }

    /// Begins [#alltoallw(Buf\[\])]. Collective; waits for nobody. MPI 4.1, section 6.12.6.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\])], for an argument; what fails later comes out of the
    ///     request
    public final Request ialltoallw(Buf[] buf) {
        EngineCalls engine = begin("ialltoallw");
        Collective c = describe.alltoallw(taken(), "ialltoallw", null, buf);
        return started(engine, c, Buf.NONE, Collectives.received(c, buf));
    }

    /// Begins [#alltoallw(Buf\[\], Buf\[\])]. Collective; waits for nobody. MPI 4.1, section 6.12.6.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\], Buf\[\])], for an argument; what fails later comes out of
    ///     the request
    public final Request ialltoallw(Buf[] send, Buf[] recv) {
        EngineCalls engine = begin("ialltoallw");
        Collective c = describe.alltoallw(taken(), "ialltoallw", send, recv);
        return started(engine, c, Buf.NONE, Collectives.received(c, recv));
    }

    /// Begins [#reduce(Buf, Op, int)]. Collective; waits for nobody. MPI 4.1, section 6.12.7.
    ///
    /// @throws MpiException as [#reduce(Buf, Op, int)], for an argument; what fails later comes out of the
    ///     request
    public final Request ireduce(Buf buf, Op op, int root) {
        boolean atRoot = isRoot(root);
        return ireduce(atRoot ? Buf.IN_PLACE : buf, atRoot ? buf : Buf.NONE, op, root);
    }

    /// Begins [#reduce(Buf, Buf, Op, int)]. Collective; waits for nobody. MPI 4.1, section 6.12.7.
    ///
    /// @throws MpiException as [#reduce(Buf, Buf, Op, int)], for an argument; what fails later comes out of
    ///     the request
    public final Request ireduce(Buf send, Buf recv, Op op, int root) {
        EngineCalls engine = begin("ireduce");
        return started(engine, describe.reduce(taken(), "ireduce", send, recv, op, root), send, recv);
    }

    /// Begins [#allreduce(Buf, Op)]. Collective; waits for nobody. MPI 4.1, section 6.12.8.
    ///
    /// @throws MpiException as [#allreduce(Buf, Op)], for an argument; what fails later comes out of the
    ///     request
    public final Request iallreduce(Buf buf, Op op) {
        return iallreduce(Buf.IN_PLACE, buf, op);
    }

    /// Begins [#allreduce(Buf, Buf, Op)]. Collective; waits for nobody. MPI 4.1, section 6.12.8.
    ///
    /// @throws MpiException as [#allreduce(Buf, Buf, Op)], for an argument; what fails later comes out of the
    ///     request
    public final Request iallreduce(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("iallreduce");
        return started(engine, describe.reduceOnAll(taken(), "iallreduce", Kind.ALLREDUCE, send, recv, op), send, recv);
    }

    /// Begins [#reduceScatterBlock(Buf, Op)]. Collective; waits for nobody. MPI 4.1, section 6.12.9.
    ///
    /// @throws MpiException as [#reduceScatterBlock(Buf, Op)], for an argument; what fails later comes out of
    ///     the request
    public final Request ireduceScatterBlock(Buf buf, Op op) {
        return ireduceScatterBlock(Buf.IN_PLACE, buf, op);
    }

    /// Begins [#reduceScatterBlock(Buf, Buf, Op)]. Collective; waits for nobody. MPI 4.1, section 6.12.9.
    ///
    /// @throws MpiException as [#reduceScatterBlock(Buf, Buf, Op)], for an argument; what fails later comes
    ///     out of the request
    public final Request ireduceScatterBlock(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("ireduceScatterBlock");
        return started(engine, describe.reduceScatterBlock(taken(), "ireduceScatterBlock", send, recv, op), send, recv);
    }

    /// Begins [#reduceScatter(Buf, Op)]. Collective; waits for nobody. MPI 4.1, section 6.12.10.
    ///
    /// @throws MpiException as [#reduceScatter(Buf, Op)], for an argument; what fails later comes out of the
    ///     request
    public final Request ireduceScatter(Buf buf, Op op) {
        return ireduceScatter(Buf.IN_PLACE, buf, op);
    }

    /// Begins [#reduceScatter(Buf, Buf, Op)]. Collective; waits for nobody. MPI 4.1, section 6.12.10.
    ///
    /// @throws MpiException as [#reduceScatter(Buf, Buf, Op)], for an argument; what fails later comes out of
    ///     the request
    public final Request ireduceScatter(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("ireduceScatter");
        return started(engine, describe.reduceScatter(taken(), "ireduceScatter", send, recv, op), send, recv);
    }

    /// Begins [#scan(Buf, Op)]. Collective; waits for nobody. MPI 4.1, section 6.12.11.
    ///
    /// @throws MpiException as [#scan(Buf, Op)], for an argument; what fails later comes out of the request
    public final Request iscan(Buf buf, Op op) {
        return iscan(Buf.IN_PLACE, buf, op);
    }

    /// Begins [#scan(Buf, Buf, Op)]. Collective; waits for nobody. MPI 4.1, section 6.12.11.
    ///
    /// @throws MpiException as [#scan(Buf, Buf, Op)], for an argument; what fails later comes out of the
    ///     request
    public final Request iscan(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("iscan");
        return started(engine, describe.reduceOnAll(taken(), "iscan", Kind.SCAN, send, recv, op), send, recv);
    }

    /// Begins [#exscan(Buf, Op)]. Collective; waits for nobody. MPI 4.1, section 6.12.12.
    ///
    /// @throws MpiException as [#exscan(Buf, Op)], for an argument; what fails later comes out of the request
    public final Request iexscan(Buf buf, Op op) {
        return iexscan(Buf.IN_PLACE, buf, op);
    }

    /// Begins [#exscan(Buf, Buf, Op)]. Collective; waits for nobody. MPI 4.1, section 6.12.12.
    ///
    /// @throws MpiException as [#exscan(Buf, Buf, Op)], for an argument; what fails later comes out of the
    ///     request
    public final Request iexscan(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("iexscan");
        return started(engine, describe.reduceOnAll(taken(), "iexscan", Kind.EXSCAN, send, recv, op), send, recv);
    }
}
