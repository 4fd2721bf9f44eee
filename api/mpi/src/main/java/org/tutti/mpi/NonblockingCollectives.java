package org.tutti.mpi;

import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// Nonblocking collective operations: each starts the blocking operation of the same name. MPI 4.1, section
/// 6.12.
abstract sealed class NonblockingCollectives extends ScalarCollectives permits PersistentCollectives {
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

    @Override
    public Request ibarrier() {
        EngineCalls engine = begin("ibarrier");
        return started(engine, describe.barrier(taken(), "ibarrier"), Buf.NONE, Buf.NONE);
    }

    @Override
    public Request ibcast(Buf buf, int root) {
        EngineCalls engine = begin("ibcast");
        return started(engine, describe.bcast(taken(), "ibcast", buf, root), Buf.NONE, buf);
    }

    @Override
    public Request igather(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("igather");
        return started(engine, describe.gather(taken(), "igather", send, recv, root), send, recv);
    }

    @Override
    public Request iscatter(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("iscatter");
        return started(engine, describe.scatter(taken(), "iscatter", send, recv, root), send, recv);
    }

    @Override
    public Request iallgather(Buf send, Buf recv) {
        EngineCalls engine = begin("iallgather");
        return started(engine, describe.allgather(taken(), "iallgather", send, recv), send, recv);
    }

    @Override
    public Request ialltoall(Buf send, Buf recv) {
        EngineCalls engine = begin("ialltoall");
        return started(engine, describe.alltoall(taken(), "ialltoall", send, recv), send, recv);
    }

    @Override
    public Request ialltoallw(Buf[] send, Buf[] recv) {
        EngineCalls engine = begin("ialltoallw");
        Collective c = describe.alltoallw(taken(), "ialltoallw", send, recv);
        return started(engine, c, Buf.NONE, Collectives.received(c, recv));
    }

    @Override
    public Request ireduce(Buf send, Buf recv, Op op, int root) {
        EngineCalls engine = begin("ireduce");
        return started(engine, describe.reduce(taken(), "ireduce", send, recv, op, root), send, recv);
    }

    @Override
    public Request iallreduce(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("iallreduce");
        return started(engine, describe.reduceOnAll(taken(), "iallreduce", Kind.ALLREDUCE, send, recv, op), send, recv);
    }

    @Override
    public Request ireduceScatterBlock(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("ireduceScatterBlock");
        return started(engine, describe.reduceScatterBlock(taken(), "ireduceScatterBlock", send, recv, op), send, recv);
    }

    @Override
    public Request ireduceScatter(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("ireduceScatter");
        return started(engine, describe.reduceScatter(taken(), "ireduceScatter", send, recv, op), send, recv);
    }
}
