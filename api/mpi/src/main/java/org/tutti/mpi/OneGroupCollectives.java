package org.tutti.mpi;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.devices.CollectiveRoute;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// Collective operations that only a communicator with a single group has: operations in place, and scans. MPI
/// 4.1, sections 6.2.3, 6.11.
abstract sealed class OneGroupCollectives extends PersistentCollectives permits TopologyConstructors {
    OneGroupCollectives(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    // ---- scans of objects

    /// Like [#allreduceObject], but combines only the values of the ranks up to and including this rank. MPI
    /// 4.1, section 6.11.1.
    ///
    /// @throws MpiException as [#allreduceObject]
    public <T extends @Nullable Object> T scanObject(T value, BinaryOperator<T> op) {
        Arguments.given("scanObject", "op", op, port);
        List<T> all = unchecked(together.allgather(begin("scanObject"), "scanObject", null, value));
        return combined(all, port.rank() + 1, op);
    }

    /// Like [#allreduceObject], but combines only the values of the ranks before this rank; returns null on
    /// rank 0. MPI 4.1, section 6.11.2.
    ///
    /// @throws MpiException as [#allreduceObject]
    public <T extends @Nullable Object> @Nullable T exscanObject(T value, BinaryOperator<T> op) {
        Arguments.given("exscanObject", "op", op, port);
        List<T> all = unchecked(together.allgather(begin("exscanObject"), "exscanObject", null, value));
        return port.rank() == 0 ? null : combined(all, port.rank(), op);
    }

    // ---- in place, and scans

    /// Sets the route for calls with device memory. Called by [CollectiveRoute#connect].
    @SuppressWarnings("unchecked") // a route of tutti-device has these types
    static void route(Object comm, CollectiveRoute<?, ?> newRoute) {
        Comm on = (Comm) comm;
        on.begin("route");
        on.route = (CollectiveRoute<DeviceMemory, Op>) newRoute;
    }

    /// Like [#allgather(Buf, Buf)], in place: this rank's block is already at the right position in `buf`.
    ///
    /// @throws MpiException as [#allgather(Buf, Buf)]
    public void allgather(Buf buf) {
        super.allgather(Buf.IN_PLACE, buf);
    }

    /// Like [#alltoall(Buf, Buf)], in place on all ranks: block r of `buf` is sent to rank r, and replaced by
    /// rank r's block for this rank. If `buf` has blocks, the two blocks that two ranks exchange must have
    /// equal lengths.
    ///
    /// @throws MpiException as [#alltoall(Buf, Buf)]
    public void alltoall(Buf buf) {
        super.alltoall(Buf.IN_PLACE, buf);
    }

    /// Like [#alltoallw(Buf\[\], Buf\[\])], in place on all ranks: `buf[r]` is sent to rank r, and replaced by
    /// rank r's data for this rank. The two buffers that two ranks exchange must have the same type and length.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\], Buf\[\])]
    public void alltoallw(Buf[] buf) {
        EngineCalls engine = begin("alltoallw");
        Collective c = describe.alltoallw(blank(), "alltoallw", null, buf);
        run(engine, c, Collectives.received(c, buf));
    }

    /// Like [#reduce(Buf, Buf, Op, int)], in place at the root, where `buf` contains first the operand and then
    /// the result.
    ///
    /// @throws MpiException as [#reduce(Buf, Buf, Op, int)]
    public void reduce(Buf buf, Op op, int root) {
        boolean atRoot = isRoot(root);
        super.reduce(atRoot ? Buf.IN_PLACE : buf, atRoot ? buf : Buf.NONE, op, root);
    }

    /// Like [#allreduce(Buf, Buf, Op)], in place: `buf` contains first the operand and then the result.
    ///
    /// @throws MpiException as [#allreduce(Buf, Buf, Op)]
    public void allreduce(Buf buf, Op op) {
        super.allreduce(Buf.IN_PLACE, buf, op);
    }

    /// Like [#reduceScatterBlock(Buf, Buf, Op)], in place: `buf` contains the operand, and the result is stored
    /// at the beginning of `buf`; the rest of `buf` is then undefined.
    ///
    /// @throws MpiException as [#reduceScatterBlock(Buf, Buf, Op)]
    public void reduceScatterBlock(Buf buf, Op op) {
        super.reduceScatterBlock(Buf.IN_PLACE, buf, op);
    }

    /// Like [#reduceScatter(Buf, Buf, Op)], in place: `buf` contains the operand with blocks, and the result is
    /// stored at the beginning of `buf`; the rest of `buf` is then undefined.
    ///
    /// @throws MpiException as [#reduceScatter(Buf, Buf, Op)]
    public void reduceScatter(Buf buf, Op op) {
        super.reduceScatter(Buf.IN_PLACE, buf, op);
    }

    /// Like [#scan(Buf, Buf, Op)], in place: `buf` contains first the operand and then the result.
    ///
    /// @throws MpiException as [#scan(Buf, Buf, Op)]
    public void scan(Buf buf, Op op) {
        scan(Buf.IN_PLACE, buf, op);
    }

    /// Combines `send` element by element over the ranks up to and including this rank, and stores the result
    /// in `recv`. Collective. `MPI_Scan`, MPI 4.1, section 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for the type; `ERR_TYPE` if the types of the
    ///     buffers differ; `ERR_BUFFER` if `recv` is shorter than `send`, or if a buffer is missing, or data
    ///     cannot be received into `recv`
    public void scan(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("scan");
        run(engine, describe.reduceOnAll(blank(), "scan", Kind.SCAN, send, recv, op), recv);
    }

    /// Like [#exscan(Buf, Buf, Op)], in place: `buf` contains first the operand and then the result.
    ///
    /// @throws MpiException as [#exscan(Buf, Buf, Op)]
    public void exscan(Buf buf, Op op) {
        exscan(Buf.IN_PLACE, buf, op);
    }

    /// Combines `send` element by element over the ranks before this rank, and stores the result in `recv`. On
    /// rank 0, `recv` does not change. Collective. `MPI_Exscan`, MPI 4.1, section 6.11.2.
    ///
    /// @throws MpiException as [#scan(Buf, Buf, Op)]
    public void exscan(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("exscan");
        run(engine, describe.reduceOnAll(blank(), "exscan", Kind.EXSCAN, send, recv, op), recv);
    }

    // ---- scans of scalars

    /// Adds each of `sums` over all ranks, and replaces each sum by the total of all ranks, which is equal on
    /// every rank. All ranks must pass the same number of sums. For a vector, pass an [ExactSum] for each
    /// element in one call. Collective. MPI 4.1, section 6.9.6.
    ///
    /// @throws MpiException `ERR_COMM` if the communicator is closed or has no ranks
    public void allreduce(ExactSum... sums) {
        Arguments.given("allreduce", "sums", sums, port);
        long[] words = new long[Math.multiplyExact(sums.length, ExactSum.LENGTH)];
        for (int i = 0; i < sums.length; i++) sums[i].write(words, i * ExactSum.LENGTH);
        allreduce(Buf.buf(words), Op.SUM);
        for (int i = 0; i < sums.length; i++) sums[i].read(words, i * ExactSum.LENGTH);
    }

    /// Returns the combination of the values of the ranks up to and including this rank. Collective. MPI 4.1,
    /// section 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `double`
    public double scan(double value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// Returns the combination of the values of the ranks up to and including this rank. Collective. MPI 4.1,
    /// section 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `float`
    public float scan(float value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// Returns the combination of the values of the ranks up to and including this rank. Collective. MPI 4.1,
    /// section 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `long`
    public long scan(long value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// Returns the combination of the values of the ranks up to and including this rank. Collective. MPI 4.1,
    /// section 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `int`
    public int scan(int value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// Returns the combination of the values of the ranks up to and including this rank. Collective. MPI 4.1,
    /// section 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `boolean`
    public boolean scan(boolean value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// Returns the combination of the values of the ranks before this rank; empty on rank 0. Collective. MPI
    /// 4.1, section 6.11.2.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `double`
    public OptionalDouble exscan(double value, Op op) {
        double below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? OptionalDouble.of(below) : OptionalDouble.empty();
    }

    /// Returns the combination of the values of the ranks before this rank; null on rank 0. Collective. MPI
    /// 4.1, section 6.11.2.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `float`
    public @Nullable Float exscan(float value, Op op) {
        float below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? below : null;
    }

    /// Returns the combination of the values of the ranks before this rank; empty on rank 0. Collective. MPI
    /// 4.1, section 6.11.2.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `long`
    public OptionalLong exscan(long value, Op op) {
        long below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? OptionalLong.of(below) : OptionalLong.empty();
    }

    /// Returns the combination of the values of the ranks before this rank; empty on rank 0. Collective. MPI
    /// 4.1, section 6.11.2.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `int`
    public OptionalInt exscan(int value, Op op) {
        int below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? OptionalInt.of(below) : OptionalInt.empty();
    }

    /// Returns the combination of the values of the ranks before this rank; null on rank 0. Collective. MPI
    /// 4.1, section 6.11.2.
    ///
    /// @throws MpiException `ERR_OP` if `op` is not defined for `boolean`
    public @Nullable Boolean exscan(boolean value, Op op) {
        boolean below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? below : null;
    }

    // ---- nonblocking

    /// Begins [#alltoallw(Buf\[\])]. Collective; returns without waiting. MPI 4.1, section 6.12.6.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\])] for an invalid argument; a later failure is thrown by the
    ///     request
    public Request ialltoallw(Buf[] buf) {
        EngineCalls engine = begin("ialltoallw");
        Collective c = describe.alltoallw(taken(), "ialltoallw", null, buf);
        return started(engine, c, Buf.NONE, Collectives.received(c, buf));
    }

    /// Begins [#scan(Buf, Buf, Op)]. Collective; returns immediately. MPI 4.1, section 6.12.11.
    ///
    /// @throws MpiException as [#scan(Buf, Buf, Op)] for an invalid argument; a later failure is thrown by the
    ///     request
    public Request iscan(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("iscan");
        return started(engine, describe.reduceOnAll(taken(), "iscan", Kind.SCAN, send, recv, op), send, recv);
    }

    /// Begins [#exscan(Buf, Buf, Op)]. Collective; returns immediately. MPI 4.1, section 6.12.12.
    ///
    /// @throws MpiException as [#exscan(Buf, Buf, Op)] for an invalid argument; a later failure is thrown by
    ///     the request
    public Request iexscan(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("iexscan");
        return started(engine, describe.reduceOnAll(taken(), "iexscan", Kind.EXSCAN, send, recv, op), send, recv);
    }

    // ---- persistent

    /// Prepares [#alltoallw(Buf\[\])]. Collective, blocking. MPI 4.1, section 6.13.6.
    ///
    /// @throws MpiException as [#alltoallw(Buf\[\])] for an invalid argument; a later failure is thrown by the
    ///     request
    public PersistentRequest alltoallwInit(Buf[] buf) {
        EngineCalls engine = begin("alltoallwInit");
        Collective c = describe.alltoallw(engine.collective(), "alltoallwInit", null, buf);
        return prepared(c, Buf.NONE, Collectives.received(c, buf));
    }

    /// Prepares [#scan(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.11.
    ///
    /// @throws MpiException as [#scan(Buf, Buf, Op)] for an invalid argument; a later failure is thrown by the
    ///     request
    public PersistentRequest scanInit(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("scanInit");
        return prepared(describe.reduceOnAll(engine.collective(), "scanInit", Kind.SCAN, send, recv, op), send, recv);
    }

    /// Prepares [#exscan(Buf, Buf, Op)]. Collective, blocking. MPI 4.1, section 6.13.12.
    ///
    /// @throws MpiException as [#exscan(Buf, Buf, Op)] for an invalid argument; a later failure is thrown by
    ///     the request
    public PersistentRequest exscanInit(Buf send, Buf recv, Op op) {
        EngineCalls engine = begin("exscanInit");
        return prepared(
                describe.reduceOnAll(engine.collective(), "exscanInit", Kind.EXSCAN, send, recv, op), send, recv);
    }
}
