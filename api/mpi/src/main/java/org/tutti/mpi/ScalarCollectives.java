package org.tutti.mpi;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// The chapter of [Comm] on collective operations on one value instead of a buffer: value in, result out. MPI
/// 4.1, sections 6.4, 6.7, 6.9 and 6.11.
///
/// All ranks call them, in the same order, with a value of the same type and the same `root` and `op`. They
/// match the operation of the same name on a buffer of one element. All block as those do: a call returns
/// when this rank's result is there, or its value is on the way. A `boolean` has the logical and the bitwise
/// operations. What fails for every operation of a communicator is in [Comm].
public abstract sealed class ScalarCollectives extends BlockingCollectives permits NonblockingCollectives {
    private final Scalars scalars;

    ScalarCollectives(Mpi mpi, CommPort port) {
        super(mpi, port);
        scalars = new Scalars(mpi, port);
    }

    /// Returns the root's value on every rank; what the others pass is not looked at. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank
    public final double bcast(double value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    /// Returns the root's value on every rank; what the others pass is not looked at. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank
    public final float bcast(float value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    /// Returns the root's value on every rank; what the others pass is not looked at. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank
    public final long bcast(long value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    /// Returns the root's value on every rank; what the others pass is not looked at. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank
    public final int bcast(int value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    /// Returns the root's value on every rank; what the others pass is not looked at. Collective. MPI 4.1,
    /// section 6.4.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank
    public final boolean bcast(boolean value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    /// Returns every rank's value, in rank order, on every rank. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final double[] allgather(double value) {
        double[] all = new double[port.peerSize()];
        allgather(Buf.buf(new double[] {value}), Buf.buf(all));
        return all;
    }

    /// Returns every rank's value, in rank order, on every rank. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final float[] allgather(float value) {
        float[] all = new float[port.peerSize()];
        allgather(Buf.buf(new float[] {value}), Buf.buf(all));
        return all;
    }

    /// Returns every rank's value, in rank order, on every rank. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final long[] allgather(long value) {
        long[] all = new long[port.peerSize()];
        allgather(Buf.buf(new long[] {value}), Buf.buf(all));
        return all;
    }

    /// Returns every rank's value, in rank order, on every rank. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final int[] allgather(int value) {
        int[] all = new int[port.peerSize()];
        allgather(Buf.buf(new int[] {value}), Buf.buf(all));
        return all;
    }

    /// Returns every rank's value, in rank order, on every rank. Collective. MPI 4.1, section 6.7.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final boolean[] allgather(boolean value) {
        boolean[] all = new boolean[port.peerSize()];
        allgather(Buf.buf(new boolean[] {value}), Buf.buf(all));
        return all;
    }

    /// Returns the combination of all ranks' values at the root; empty elsewhere. Collective. MPI 4.1,
    /// section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for `double`
    public final OptionalDouble reduce(double value, Op op, int root) {
        double all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? OptionalDouble.of(all) : OptionalDouble.empty();
    }

    /// Returns the combination of all ranks' values at the root; empty elsewhere. Collective. MPI 4.1,
    /// section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for `float`
    public final Optional<Float> reduce(float value, Op op, int root) {
        float all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? Optional.of(all) : Optional.empty();
    }

    /// Returns the combination of all ranks' values at the root; empty elsewhere. Collective. MPI 4.1,
    /// section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for `long`
    public final OptionalLong reduce(long value, Op op, int root) {
        long all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? OptionalLong.of(all) : OptionalLong.empty();
    }

    /// Returns the combination of all ranks' values at the root; empty elsewhere. Collective. MPI 4.1,
    /// section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for `int`
    public final OptionalInt reduce(int value, Op op, int root) {
        int all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? OptionalInt.of(all) : OptionalInt.empty();
    }

    /// Returns the combination of all ranks' values at the root; empty elsewhere. Collective. MPI 4.1,
    /// section 6.9.1.
    ///
    /// @throws MpiException `ERR_ROOT` when `root` is no rank; `ERR_OP` when `op` is not defined for
    ///     `boolean`
    public final Optional<Boolean> reduce(boolean value, Op op, int root) {
        boolean all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? Optional.of(all) : Optional.empty();
    }

    /// Returns the combination of all ranks' values on every rank, with the same bits. Collective. MPI 4.1,
    /// section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `double`
    public final double allreduce(double value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    /// Returns the combination of all ranks' values on every rank, with the same bits. Collective. MPI 4.1,
    /// section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `float`
    public final float allreduce(float value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    /// Returns the combination of all ranks' values on every rank, with the same bits. Collective. MPI 4.1,
    /// section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `long`
    public final long allreduce(long value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    /// Returns the combination of all ranks' values on every rank, with the same bits. Collective. MPI 4.1,
    /// section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `int`
    public final int allreduce(int value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    /// Returns the combination of all ranks' values on every rank, with the same bits. Collective. MPI 4.1,
    /// section 6.9.6.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `boolean`
    public final boolean allreduce(boolean value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    /// Returns the smallest or largest value of all ranks (`MINLOC`, `MAXLOC`) with its place, for which a
    /// rank or an index is usual; of equal values the lowest place. Collective. MPI 4.1, section 6.9.4.
    ///
    /// @throws MpiException `ERR_OP` when `op` is neither `MINLOC` nor `MAXLOC`
    public final DoubleInt allreduce(double value, int place, Op op) {
        return scalars.allreduce(begin("allreduce"), value, place, op);
    }

    /// As [#allreduce(double, int, Op)].
    ///
    /// @throws MpiException `ERR_OP` when `op` is neither `MINLOC` nor `MAXLOC`
    public final LongInt allreduce(long value, int place, Op op) {
        return scalars.allreduce(begin("allreduce"), value, place, op);
    }

    /// Sums what all ranks have summed up: each sum becomes the whole, the same on every rank. All ranks pass
    /// as many. One call serves a vector: pass an [ExactSum] for each element. Collective. MPI 4.1, section
    /// 6.9.6.
    ///
    /// @throws MpiException `ERR_COMM` when the communicator is closed or has no ranks
    public final void allreduce(ExactSum... sums) {
        given("allreduce", "sums", sums, port);
        long[] words = new long[Math.multiplyExact(sums.length, ExactSum.LENGTH)];
        for (int i = 0; i < sums.length; i++) sums[i].write(words, i * ExactSum.LENGTH);
        allreduce(Buf.buf(words), Op.SUM);
        for (int i = 0; i < sums.length; i++) sums[i].read(words, i * ExactSum.LENGTH);
    }

    /// Returns the combination of the values of the ranks up to this one. Collective. MPI 4.1, section
    /// 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `double`; `ERR_COMM` on an [Intercomm]
    public final double scan(double value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// Returns the combination of the values of the ranks up to this one. Collective. MPI 4.1, section
    /// 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `float`; `ERR_COMM` on an [Intercomm]
    public final float scan(float value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// Returns the combination of the values of the ranks up to this one. Collective. MPI 4.1, section
    /// 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `long`; `ERR_COMM` on an [Intercomm]
    public final long scan(long value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// Returns the combination of the values of the ranks up to this one. Collective. MPI 4.1, section
    /// 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `int`; `ERR_COMM` on an [Intercomm]
    public final int scan(int value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// Returns the combination of the values of the ranks up to this one. Collective. MPI 4.1, section
    /// 6.11.1.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `boolean`; `ERR_COMM` on an [Intercomm]
    public final boolean scan(boolean value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// Returns the combination of the values of the ranks below this one; empty on rank 0, below which there
    /// is none. Collective. MPI 4.1, section 6.11.2.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `double`; `ERR_COMM` on an [Intercomm]
    public final OptionalDouble exscan(double value, Op op) {
        double below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? OptionalDouble.of(below) : OptionalDouble.empty();
    }

    /// Returns the combination of the values of the ranks below this one; empty on rank 0, below which there
    /// is none. Collective. MPI 4.1, section 6.11.2.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `float`; `ERR_COMM` on an [Intercomm]
    public final Optional<Float> exscan(float value, Op op) {
        float below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? Optional.of(below) : Optional.empty();
    }

    /// Returns the combination of the values of the ranks below this one; empty on rank 0, below which there
    /// is none. Collective. MPI 4.1, section 6.11.2.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `long`; `ERR_COMM` on an [Intercomm]
    public final OptionalLong exscan(long value, Op op) {
        long below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? OptionalLong.of(below) : OptionalLong.empty();
    }

    /// Returns the combination of the values of the ranks below this one; empty on rank 0, below which there
    /// is none. Collective. MPI 4.1, section 6.11.2.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `int`; `ERR_COMM` on an [Intercomm]
    public final OptionalInt exscan(int value, Op op) {
        int below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? OptionalInt.of(below) : OptionalInt.empty();
    }

    /// Returns the combination of the values of the ranks below this one; empty on rank 0, below which there
    /// is none. Collective. MPI 4.1, section 6.11.2.
    ///
    /// @throws MpiException `ERR_OP` when `op` is not defined for `boolean`; `ERR_COMM` on an [Intercomm]
    public final Optional<Boolean> exscan(boolean value, Op op) {
        boolean below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? Optional.of(below) : Optional.empty();
    }
}
