package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.devices.CollectiveRoute;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// Blocking collective operations on typed data. MPI 4.1, sections 6.3 to 6.11.
abstract sealed class BlockingCollectives extends ObjectCommunication permits ScalarCollectives {
    final Collectives describe;

    /// The route that transfers the data of calls with device memory directly between devices; null on nearly
    /// all communicators.
    volatile @Nullable CollectiveRoute<DeviceMemory, Op> route;

    BlockingCollectives(Mpi mpi, CommPort port) {
        super(mpi, port);
        describe = port.isInter() ? new InterCollectives(port) : new Collectives(port);
    }

    final Collective blank() {
        return mpi.scratch().collective();
    }

    static void run(EngineCalls engine, Collective c, Buf recv) {
        engine.run(c);
        Throwable why = c.failure();
        if (why != null) throw MpiException.asRuntime(why);
        if (recv.pieces != null || recv.layout != null) Collectives.copyBack(c, Collectives.result(c, recv));
    }

    @Override
    public void barrier() {
        EngineCalls engine = begin("barrier");
        run(engine, describe.barrier(blank(), "barrier"), Buf.NONE);
    }

    @Override
    public void bcast(Buf buf, int root) {
        EngineCalls engine = begin("bcast");
        CollectiveRoute<DeviceMemory, Op> r = route;
        if (r != null && RoutedCalls.bcast(r, describe.check, buf, root)) return;
        run(engine, describe.bcast(blank(), "bcast", buf, root), buf);
    }

    @Override
    public void gather(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("gather");
        run(engine, describe.gather(blank(), "gather", send, recv, root), recv);
    }

    @Override
    public void scatter(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("scatter");
        run(engine, describe.scatter(blank(), "scatter", send, recv, root), recv);
    }

    @Override
    public void allgather(Buf send, Buf recv) {
        EngineCalls engine = begin("allgather");
        CollectiveRoute<DeviceMemory, Op> r = route;
        if (r != null && RoutedCalls.allgather(r, describe.check, send, recv)) return;
        run(engine, describe.allgather(blank(), "allgather", send, recv), recv);
    }

    @Override
    public void alltoall(Buf send, Buf recv) {
        EngineCalls engine = begin("alltoall");
        CollectiveRoute<DeviceMemory, Op> r = route;
        if (r != null && RoutedCalls.alltoall(r, describe.check, send, recv)) return;
        run(engine, describe.alltoall(blank(), "alltoall", send, recv), recv);
    }

    @Override
    public void alltoallw(Buf[] send, Buf[] recv) {
        EngineCalls engine = begin("alltoallw");
        Collective c = describe.alltoallw(blank(), "alltoallw", send, recv);
        run(engine, c, Collectives.received(c, recv));
    }

    @Override
    public void reduce(Buf send, Buf recv, Op op, int root) {
        EngineCalls engine = begin("reduce");
        CollectiveRoute<DeviceMemory, Op> r = route;
        if (r != null && RoutedCalls.reduce(r, describe.check, send, recv, op, root)) return;
        run(engine, describe.reduce(blank(), "reduce", send, recv, op, root), recv);
    }

    @Override
    public void allreduce(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("allreduce");
        CollectiveRoute<DeviceMemory, Op> r = route;
        if (r != null && RoutedCalls.allreduce(r, describe.check, send, recv, op)) return;
        run(engine, describe.reduceOnAll(blank(), "allreduce", Kind.ALLREDUCE, send, recv, op), recv);
    }

    @Override
    public void reduceScatterBlock(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("reduceScatterBlock");
        CollectiveRoute<DeviceMemory, Op> r = route;
        if (r != null && RoutedCalls.reduceScatterBlock(r, describe.check, send, recv, op)) return;
        run(engine, describe.reduceScatterBlock(blank(), "reduceScatterBlock", send, recv, op), recv);
    }

    @Override
    public void reduceScatter(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("reduceScatter");
        run(engine, describe.reduceScatter(blank(), "reduceScatter", send, recv, op), recv);
    }
}
