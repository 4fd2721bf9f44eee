package org.tutti.mpi;

import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// Persistent collective operations: each prepares the blocking operation of the same name. MPI 4.1, section
/// 6.13.
abstract sealed class PersistentCollectives extends NonblockingCollectives permits OneGroupCollectives, Intercomm {
    PersistentCollectives(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    final PersistentRequest prepared(Collective c, Buf send, Buf recv) {
        c.form = Collective.Form.PERSISTENT;
        CommPort context = begin(c.operation).dupForRequest(c.operation, port);
        c.comm = context;
        Buf result = Collectives.result(c, recv);
        Buf given = c.kind == Kind.BCAST && result == Buf.NONE ? recv : send;
        return new PreparedRequest(
                mpi, c.operation, recv.isPlace() ? recv : send, result, context, Status.empty(), () -> {
                    Arguments.checkRecords(c.operation, given, 0, given.count(), port);
                    // data in pieces may have changed since it was copied into contiguous memory
                    send.refresh(c.send.memory);
                    recv.refresh(c.recv.memory);
                    begin(c.operation).start(c);
                    return c;
                });
    }

    @Override
    public PersistentRequest barrierInit() {
        EngineCalls engine = begin("barrierInit");
        return prepared(describe.barrier(engine.collective(), "barrierInit"), Buf.NONE, Buf.NONE);
    }

    @Override
    public PersistentRequest bcastInit(Buf buf, int root) {
        EngineCalls engine = begin("bcastInit");
        return prepared(describe.bcast(engine.collective(), "bcastInit", buf, root), Buf.NONE, buf);
    }

    @Override
    public PersistentRequest gatherInit(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("gatherInit");
        return prepared(describe.gather(engine.collective(), "gatherInit", send, recv, root), send, recv);
    }

    @Override
    public PersistentRequest scatterInit(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("scatterInit");
        return prepared(describe.scatter(engine.collective(), "scatterInit", send, recv, root), send, recv);
    }

    @Override
    public PersistentRequest allgatherInit(Buf send, Buf recv) {
        EngineCalls engine = begin("allgatherInit");
        return prepared(describe.allgather(engine.collective(), "allgatherInit", send, recv), send, recv);
    }

    @Override
    public PersistentRequest alltoallInit(Buf send, Buf recv) {
        EngineCalls engine = begin("alltoallInit");
        return prepared(describe.alltoall(engine.collective(), "alltoallInit", send, recv), send, recv);
    }

    @Override
    public PersistentRequest alltoallwInit(Buf[] send, Buf[] recv) {
        EngineCalls engine = begin("alltoallwInit");
        Collective c = describe.alltoallw(engine.collective(), "alltoallwInit", send, recv);
        return prepared(c, Collectives.sent(c, send), Collectives.received(c, recv));
    }

    @Override
    public PersistentRequest reduceInit(Buf send, Buf recv, Op op, int root) {
        EngineCalls engine = begin("reduceInit");
        return prepared(describe.reduce(engine.collective(), "reduceInit", send, recv, op, root), send, recv);
    }

    @Override
    public PersistentRequest allreduceInit(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("allreduceInit");
        return prepared(
                describe.reduceOnAll(engine.collective(), "allreduceInit", Kind.ALLREDUCE, send, recv, op), send, recv);
    }

    @Override
    public PersistentRequest reduceScatterBlockInit(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("reduceScatterBlockInit");
        return prepared(
                describe.reduceScatterBlock(engine.collective(), "reduceScatterBlockInit", send, recv, op), send, recv);
    }

    @Override
    public PersistentRequest reduceScatterInit(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("reduceScatterInit");
        return prepared(describe.reduceScatter(engine.collective(), "reduceScatterInit", send, recv, op), send, recv);
    }
}
