package org.tutti.mpi;

import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// The chapter of [Comm] on collective operations on one value instead of a buffer: value in, result out. MPI
/// 4.1, sections 6.4, 6.7, 6.9 and 6.11.
///
/// All ranks call them, in the same order, with a value of the same type and the same `root` and `op`. They
/// match the operation of the same name on a buffer of one element.
public abstract sealed class ScalarCollectives extends BlockingCollectives permits NonblockingCollectives {
    private final Scalars scalars;

    ScalarCollectives(Mpi mpi, CommPort port) {
        super(mpi, port);
        scalars = new Scalars(mpi, port);
    }

    /// The root's value, on every rank.
    public final double bcast(double value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    /// The root's value, on every rank.
    public final long bcast(long value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    /// The root's value, on every rank.
    public final int bcast(int value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    /// Every rank's value, in rank order, on every rank.
    public final double[] allgather(double value) {
        double[] all = new double[port.peerSize()];
        allgather(Buf.buf(new double[] {value}), Buf.buf(all));
        return all;
    }

    /// Every rank's value, in rank order, on every rank.
    public final long[] allgather(long value) {
        long[] all = new long[port.peerSize()];
        allgather(Buf.buf(new long[] {value}), Buf.buf(all));
        return all;
    }

    /// Every rank's value, in rank order, on every rank.
    public final int[] allgather(int value) {
        int[] all = new int[port.peerSize()];
        allgather(Buf.buf(new int[] {value}), Buf.buf(all));
        return all;
    }

    /// The combination of all ranks' values, at the root; empty elsewhere.
    public final OptionalDouble reduce(double value, Op op, int root) {
        double all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? OptionalDouble.of(all) : OptionalDouble.empty();
    }

    /// The combination of all ranks' values, at the root; empty elsewhere.
    public final OptionalLong reduce(long value, Op op, int root) {
        long all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? OptionalLong.of(all) : OptionalLong.empty();
    }

    /// The combination of all ranks' values, at the root; empty elsewhere.
    public final OptionalInt reduce(int value, Op op, int root) {
        int all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? OptionalInt.of(all) : OptionalInt.empty();
    }

    /// The combination of all ranks' values, on every rank.
    public final double allreduce(double value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    /// The combination of all ranks' values, on every rank.
    public final long allreduce(long value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    /// The combination of all ranks' values, on every rank.
    public final int allreduce(int value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    /// The smallest or largest value of all ranks (`MINLOC`, `MAXLOC`) with its place, for which a rank or an
    /// index is usual; of equal values the lowest place.
    public final DoubleInt allreduce(double value, int place, Op op) {
        return scalars.allreduce(begin("allreduce"), value, place, op);
    }

    /// Sums what all ranks have summed up; each sum becomes the whole, on every rank the same. All ranks
    /// pass as many. In one call, so element by element of a vector costs one, too: an [ExactSum] for
    /// each element.
    public final void allreduce(ExactSum... sums) {
        long[] words = new long[Math.multiplyExact(sums.length, ExactSum.LENGTH)];
        for (int i = 0; i < sums.length; i++) sums[i].write(words, i * ExactSum.LENGTH);
        allreduce(Buf.buf(words), Op.SUM);
        for (int i = 0; i < sums.length; i++) sums[i].read(words, i * ExactSum.LENGTH);
    }

    /// As [#allreduce(double, int, Op)].
    public final LongInt allreduce(long value, int place, Op op) {
        return scalars.allreduce(begin("allreduce"), value, place, op);
    }

    /// The combination of the values of the ranks up to this one.
    public final double scan(double value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// The combination of the values of the ranks up to this one.
    public final long scan(long value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// The combination of the values of the ranks up to this one.
    public final int scan(int value, Op op) {
        return scalars.combine(begin("scan"), "scan", Kind.SCAN, 0, value, op);
    }

    /// The combination of the values of the ranks below this one; empty on rank 0, below which there is none.
    public final OptionalDouble exscan(double value, Op op) {
        double below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? OptionalDouble.of(below) : OptionalDouble.empty();
    }

    /// The combination of the values of the ranks below this one; empty on rank 0, below which there is none.
    public final OptionalLong exscan(long value, Op op) {
        long below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? OptionalLong.of(below) : OptionalLong.empty();
    }

    /// The combination of the values of the ranks below this one; empty on rank 0, below which there is none.
    public final OptionalInt exscan(int value, Op op) {
        int below = scalars.combine(begin("exscan"), "exscan", Kind.EXSCAN, 0, value, op);
        return port.rank() > 0 ? OptionalInt.of(below) : OptionalInt.empty();
    }
}
