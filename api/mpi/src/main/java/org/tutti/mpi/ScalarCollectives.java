package org.tutti.mpi;

import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;

/// Collective operations on one value instead of a buffer. They take a value and return the result. MPI 4.1,
/// sections 6.4, 6.7 and 6.9.
abstract sealed class ScalarCollectives extends BlockingCollectives permits NonblockingCollectives {
    final Scalars scalars;

    ScalarCollectives(Mpi mpi, CommPort port) {
        super(mpi, port);
        scalars = new Scalars(mpi, port);
    }

    @Override
    public double bcast(double value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    @Override
    public float bcast(float value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    @Override
    public long bcast(long value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    @Override
    public int bcast(int value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    @Override
    public boolean bcast(boolean value, int root) {
        return scalars.bcast(begin("bcast"), value, root);
    }

    @Override
    public double[] allgather(double value) {
        double[] all = new double[port.peerSize()];
        allgather(Buf.buf(new double[] {value}), Buf.buf(all));
        return all;
    }

    @Override
    public float[] allgather(float value) {
        float[] all = new float[port.peerSize()];
        allgather(Buf.buf(new float[] {value}), Buf.buf(all));
        return all;
    }

    @Override
    public long[] allgather(long value) {
        long[] all = new long[port.peerSize()];
        allgather(Buf.buf(new long[] {value}), Buf.buf(all));
        return all;
    }

    @Override
    public int[] allgather(int value) {
        int[] all = new int[port.peerSize()];
        allgather(Buf.buf(new int[] {value}), Buf.buf(all));
        return all;
    }

    @Override
    public boolean[] allgather(boolean value) {
        boolean[] all = new boolean[port.peerSize()];
        allgather(Buf.buf(new boolean[] {value}), Buf.buf(all));
        return all;
    }

    @Override
    public OptionalDouble reduce(double value, Op op, int root) {
        double all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? OptionalDouble.of(all) : OptionalDouble.empty();
    }

    @Override
    public @Nullable Float reduce(float value, Op op, int root) {
        float all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? all : null;
    }

    @Override
    public OptionalLong reduce(long value, Op op, int root) {
        long all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? OptionalLong.of(all) : OptionalLong.empty();
    }

    @Override
    public OptionalInt reduce(int value, Op op, int root) {
        int all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? OptionalInt.of(all) : OptionalInt.empty();
    }

    @Override
    public @Nullable Boolean reduce(boolean value, Op op, int root) {
        boolean all = scalars.combine(begin("reduce"), "reduce", Kind.REDUCE, root, value, op);
        return isRoot(root) ? all : null;
    }

    @Override
    public double allreduce(double value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    @Override
    public float allreduce(float value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    @Override
    public long allreduce(long value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    @Override
    public int allreduce(int value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    @Override
    public boolean allreduce(boolean value, Op op) {
        return scalars.combine(begin("allreduce"), "allreduce", Kind.ALLREDUCE, 0, value, op);
    }

    @Override
    public DoubleInt maxLoc(double value, int index) {
        return scalars.allreduce(begin("maxLoc"), "maxLoc", value, index, Op.MAXLOC);
    }

    @Override
    public LongInt maxLoc(long value, int index) {
        return scalars.allreduce(begin("maxLoc"), "maxLoc", value, index, Op.MAXLOC);
    }

    @Override
    public DoubleInt minLoc(double value, int index) {
        return scalars.allreduce(begin("minLoc"), "minLoc", value, index, Op.MINLOC);
    }

    @Override
    public LongInt minLoc(long value, int index) {
        return scalars.allreduce(begin("minLoc"), "minLoc", value, index, Op.MINLOC);
    }
}
