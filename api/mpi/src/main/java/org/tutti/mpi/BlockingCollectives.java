package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// The chapter of [Comm] on blocking collective operations on typed data. MPI 4.1, sections 6.3 to 6.11.
///
/// All ranks of the communicator call them, in the same order, with the same `root` and `op`. Where an
/// operation has a form with one buffer, it is the form in place: what the rank contributes already lies
/// where the result will be. It is the same as [Buf#IN_PLACE] for the other buffer.
///
/// On an [Intercomm] a group gets what the other one gives; see there.
public abstract sealed class BlockingCollectives extends ObjectCommunication permits ScalarCollectives {
    final Collectives describe;

    /// Null on nearly all communicators.
    private volatile @Nullable DeviceRoute route;

    BlockingCollectives(Mpi mpi, CommPort port) {
        super(mpi, port);
        describe = port.isInter() ? new InterCollectives(port) : new Collectives(port);
    }

    /// Gives large blocking collective calls with memory of devices another way, from now on; null takes it
    /// away.
    /// `Device.forRank` of `tutti-device` does this where its devices have one. Collective; waits for nobody.
    ///
    /// @throws MpiException `ERR_COMM` on an [Intercomm], whose calls have none, and when the communicator is
    ///     closed or has no ranks
    public final void route(@Nullable DeviceRoute newRoute) {
        begin("route");
        checkOneGroup("route", port);
        route = newRoute;
    }

    final @Nullable DeviceRoute route() {
        return route;
    }

    final Collective blank() {
        return mpi.scratch().collective();
    }

    static void run(EngineCalls engine, Collective c, Buf recv) {
        engine.run(c);
        Throwable why = c.failure();
        if (why != null) throw MpiException.asRuntime(why);
        if (recv.pieces != null || recv.layout != null) Collectives.bringHome(c, Collectives.result(c, recv));
    }

    /// Waits until every rank has called it. Collective, blocking. `MPI_Barrier`, MPI 4.1, section 6.3.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final void barrier() {
        EngineCalls engine = begin("barrier");
        run(engine, describe.barrier(blank(), "barrier"), Buf.NONE);
    }

    /// Gives every rank the data that is in `buf` at `root`. All ranks pass as many elements of the same
    /// type. Collective: returns when this rank has the data, at the root when `buf` may be used again.
    /// `MPI_Bcast`, MPI 4.1, section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_BUFFER` when a buffer is missing, cannot
    ///     be received into, or is `IN_PLACE` where that is nothing; `ERR_TYPE` when the type has some bytes
    ///     twice where data is received; `ERR_MISMATCH`, which ends the job, when ranks pass another root or
    ///     amount
    public final void bcast(Buf buf, int root) {
        EngineCalls engine = begin("bcast");
        DeviceRoute r = route;
        if (r != null && r.bcast(describe.check, buf, root)) return;
        run(engine, describe.bcast(blank(), "bcast", buf, root), buf);
    }

    /// Brings every rank's `send` to `root`, in rank order into `recv`; the others pass `NONE` there. Without
    /// blocks, all ranks send `recv.count() / size()` elements; with [Buf#blocks(int...)] at the root, rank r
    /// sends `counts[r]`. At the root `send` may be `IN_PLACE`. Collective. `MPI_Gather` and `MPI_Gatherv`,
    /// MPI 4.1, section 6.5.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_BUFFER` when a buffer is missing, cannot
    ///     be received into, or is `IN_PLACE` where that is nothing; `ERR_COUNT` when the elements or blocks
    ///     do not divide among the ranks, or this rank's own block is of another length; `ERR_TYPE` when send
    ///     and receive buffer of this rank differ in type
    public final void gather(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("gather");
        run(engine, describe.gather(blank(), "gather", send, recv, root), recv);
    }

    /// Gives rank r block r of `send` at `root`, into its `recv`; the others pass `NONE` for `send`. Without
    /// blocks, all ranks receive `send.count() / size()` elements; with [Buf#blocks(int...)] at the root,
    /// rank r receives `counts[r]`. At the root `recv` may be `IN_PLACE`: its block stays in `send`.
    /// Collective. `MPI_Scatter` and `MPI_Scatterv`, MPI 4.1, section 6.6.
    ///
    /// @throws MpiException as [#gather(Buf, Buf, int)]
    public final void scatter(Buf send, Buf recv, int root) {
        EngineCalls engine = begin("scatter");
        run(engine, describe.scatter(blank(), "scatter", send, recv, root), recv);
    }

    /// As [#allgather(Buf, Buf)], in place: this rank's block already lies where it belongs in `buf`.
    ///
    /// @throws MpiException as [#allgather(Buf, Buf)]; `ERR_BUFFER` on an [Intercomm]
    public final void allgather(Buf buf) {
        allgather(Buf.IN_PLACE, buf);
    }

    /// Brings every rank's `send` to every rank, in rank order into `recv`. With blocks, all ranks pass the
    /// same ones. Collective. `MPI_Allgather` and `MPI_Allgatherv`, MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_BUFFER` when a buffer is missing, cannot be received into, or is `IN_PLACE`
    ///     where that is nothing; `ERR_COUNT` when the elements or blocks do not divide among the ranks, or
    ///     this rank's own block is of another length; `ERR_TYPE` when send and receive buffer of this rank
    ///     differ in type
    public final void allgather(Buf send, Buf recv) {
        EngineCalls engine = begin("allgather");
        DeviceRoute r = route;
        if (r != null && r.allgather(describe.check, send, recv)) return;
        run(engine, describe.allgather(blank(), "allgather", send, recv), recv);
    }

    /// As [#alltoall(Buf, Buf)], in place on all ranks: block r of `buf` goes to rank r, and rank r's block
    /// for this rank takes its place. With blocks, the two that a pair of ranks has for each other are
    /// equally long.
    ///
    /// @throws MpiException as [#alltoall(Buf, Buf)]; `ERR_BUFFER` on an [Intercomm]
    public final void alltoall(Buf buf) {
        alltoall(Buf.IN_PLACE, buf);
    }

    /// Gives rank r block r of `send`, and gets a block from every rank, in rank order into `recv`. Without
    /// blocks, all blocks of all ranks are equally long; otherwise all ranks describe both buffers with
    /// [Buf#blocks(int...)], and what r sends to s is as long as what s receives from r. Collective.
    /// `MPI_Alltoall` and `MPI_Alltoallv`, MPI 4.1, section 6.8.
    ///
    /// @throws MpiException `ERR_BUFFER` when a buffer is missing, cannot be received into, or is `IN_PLACE`
    ///     where that is nothing; `ERR_COUNT` when the elements or blocks do not divide among the ranks, or
    ///     this rank's own block is of another length; `ERR_TYPE` when send and receive buffer of this rank
    ///     differ in type; `ERR_ARG` when only one of both has blocks
    public final void alltoall(Buf send, Buf recv) {
        EngineCalls engine = begin("alltoall");
        DeviceRoute r = route;
        if (r != null && r.alltoall(describe.check, send, recv)) return;
        run(engine, describe.alltoall(blank(), "alltoall", send, recv), recv);
    }

    /// As [#alltoallw(Buf\[\], Buf\[\])], in place on all ranks: `buf[r]` goes to rank r, and what rank r has
    /// for this rank takes its place. What two ranks have for each other is of the same type and equally
    /// long.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\], Buf\[\])]; `ERR_BUFFER` on an [Intercomm]
    public final void alltoallw(Buf[] buf) {
        EngineCalls engine = begin("alltoallw");
        Collective c = describe.alltoallw(blank(), "alltoallw", null, buf);
        run(engine, c, Collectives.received(c, buf));
    }

    /// Gives rank r the buffer `send[r]`, and gets one from every rank r into `recv[r]`. Each has its own
    /// type and length; what r sends to s has the type signature of what s receives from r. [Buf#NONE] is
    /// nothing. Collective. `MPI_Alltoallw`, MPI 4.1, section 6.8.
    ///
    /// @throws MpiException `ERR_COUNT` when there is not one buffer for each rank; `ERR_BUFFER` when one
    ///     cannot be used so; `ERR_TYPE`, `ERR_COUNT` when what this rank sends to itself is not what it
    ///     receives from itself
    public final void alltoallw(Buf[] send, Buf[] recv) {
        EngineCalls engine = begin("alltoallw");
        Collective c = describe.alltoallw(blank(), "alltoallw", send, recv);
        run(engine, c, Collectives.received(c, recv));
    }

    /// As [#reduce(Buf, Buf, Op, int)], in place at the root: there `buf` is operand and result.
    ///
    /// @throws MpiException as [#reduce(Buf, Buf, Op, int)]
    public final void reduce(Buf buf, Op op, int root) {
        boolean atRoot = isRoot(root);
        reduce(atRoot ? Buf.IN_PLACE : buf, atRoot ? buf : Buf.NONE, op, root);
    }

    /// Combines `send` element by element over all ranks; `root` gets the result in `recv`, which the others
    /// pass as `NONE`. All ranks pass as many elements of the same type, and the same `op` and `root`.
    /// Collective. `MPI_Reduce`, MPI 4.1, section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for the
    ///     type; `ERR_TYPE` when the types of both buffers differ; `ERR_BUFFER` when `recv` is shorter than
    ///     `send`, or a buffer is missing or cannot be received into
    public final void reduce(Buf send, Buf recv, Op op, int root) {
        EngineCalls engine = begin("reduce");
        DeviceRoute r = route;
        if (r != null && r.reduce(describe.check, send, recv, op, root)) return;
        run(engine, describe.reduce(blank(), "reduce", send, recv, op, root), recv);
    }

    /// As [#allreduce(Buf, Buf, Op)], in place: `buf` is operand and result.
    ///
    /// @throws MpiException as [#allreduce(Buf, Buf, Op)]; `ERR_BUFFER` on an [Intercomm]
    public final void allreduce(Buf buf, Op op) {
        allreduce(Buf.IN_PLACE, buf, op);
    }

    /// Combines `send` element by element over all ranks; every rank gets the same result in `recv`. All
    /// ranks pass as many elements of the same type, and the same `op`; `recv` may be longer. The buffers do
    /// not overlap. Collective: on return `recv` is complete on this rank; others may still be inside the
    /// call. `MPI_Allreduce`, MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for the type; `ERR_TYPE` when the types of both
    ///     buffers differ; `ERR_BUFFER` when `recv` is shorter than `send`, or a buffer is missing or cannot
    ///     be received into
    public final void allreduce(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("allreduce");
        DeviceRoute r = route;
        if (r != null && r.allreduce(describe.check, send, recv, op)) return;
        run(engine, describe.reduceOnAll(blank(), "allreduce", Kind.ALLREDUCE, send, recv, op), recv);
    }

    /// As [#reduceScatterBlock(Buf, Buf, Op)], in place: `buf` is the operand, and the result is put at its
    /// beginning; what lies behind it is undefined then.
    ///
    /// @throws MpiException as [#reduceScatterBlock(Buf, Buf, Op)]; `ERR_BUFFER` on an [Intercomm]
    public final void reduceScatterBlock(Buf buf, Op op) {
        reduceScatterBlock(Buf.IN_PLACE, buf, op);
    }

    /// Combines `send`, which has a block of `send.count() / size()` elements for each rank, element by
    /// element over all ranks; rank r gets block r of the result in `recv`. Collective.
    /// `MPI_Reduce_scatter_block`, MPI 4.1, section 6.10.1.
    ///
    /// @throws MpiException `ERR_COUNT` when the elements do not divide among the ranks, or `send` has
    ///     blocks; `ERR_OP` when `op` is not defined for the type; `ERR_TYPE` when the types of both buffers
    ///     differ; `ERR_BUFFER` when `recv` is shorter than a block, or a buffer is missing or cannot be
    ///     received into
    public final void reduceScatterBlock(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("reduceScatterBlock");
        DeviceRoute r = route;
        if (r != null && r.reduceScatterBlock(describe.check, send, recv, op)) return;
        run(engine, describe.reduceScatterBlock(blank(), "reduceScatterBlock", send, recv, op), recv);
    }

    /// As [#reduceScatter(Buf, Buf, Op)], in place: `buf` is the operand with its blocks, and the result is
    /// put at its beginning; what lies behind it is undefined then.
    ///
    /// @throws MpiException as [#reduceScatter(Buf, Buf, Op)]; `ERR_BUFFER` on an [Intercomm]
    public final void reduceScatter(Buf buf, Op op) {
        reduceScatter(Buf.IN_PLACE, buf, op);
    }

    /// Combines `send` element by element over all ranks; rank r gets block r of the result in `recv`. All
    /// ranks describe the operand with the same [Buf#blocks(int...)], one after the other. Collective.
    /// `MPI_Reduce_scatter`, MPI 4.1, section 6.10.2.
    ///
    /// @throws MpiException `ERR_COUNT` when there is not one block for each rank, or they do not lie one
    ///     after the other; `ERR_OP` when `op` is not defined for the type; `ERR_TYPE` when the types of both
    ///     buffers differ; `ERR_BUFFER` when `recv` is shorter than this rank's block, or a buffer is missing
    ///     or cannot be received into
    public final void reduceScatter(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("reduceScatter");
        run(engine, describe.reduceScatter(blank(), "reduceScatter", send, recv, op), recv);
    }

    /// As [#scan(Buf, Buf, Op)], in place: `buf` is operand and result.
    ///
    /// @throws MpiException as [#scan(Buf, Buf, Op)]
    public final void scan(Buf buf, Op op) {
        scan(Buf.IN_PLACE, buf, op);
    }

    /// Combines `send` element by element over the ranks up to this one, itself among them, into `recv`.
    /// Collective. `MPI_Scan`, MPI 4.1, section 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for the type; `ERR_TYPE` when the types of both
    ///     buffers differ; `ERR_BUFFER` when `recv` is shorter than `send`, or a buffer is missing or cannot
    ///     be received into; `ERR_COMM` on an [Intercomm]
    public final void scan(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("scan");
        run(engine, describe.reduceOnAll(blank(), "scan", Kind.SCAN, send, recv, op), recv);
    }

    /// As [#exscan(Buf, Buf, Op)], in place: `buf` is operand and result.
    ///
    /// @throws MpiException as [#exscan(Buf, Buf, Op)]
    public final void exscan(Buf buf, Op op) {
        exscan(Buf.IN_PLACE, buf, op);
    }

    /// Combines `send` element by element over the ranks below this one into `recv`. Below rank 0 there is
    /// none: its `recv` stays as it is. Collective. `MPI_Exscan`, MPI 4.1, section 6.11.2.
    ///
    /// @throws MpiException as [#scan(Buf, Buf, Op)]
    public final void exscan(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("exscan");
        run(engine, describe.reduceOnAll(blank(), "exscan", Kind.EXSCAN, send, recv, op), recv);
    }
}
