package org.tutti.bench.osu;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.measure.Pattern;
import org.tutti.bench.plan.TestKind;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Request;

/// Collective operations on objects: arrays of bytes, and arrays of floats for reductions.
final class CollectiveObjects {
    private static final int ROOT = 0;

    /// Returns a new array, as an operator on values does.
    private static final BinaryOperator<float[]> ADD = (a, b) -> {
        float[] sum = new float[a.length];
        for (int i = 0; i < sum.length; i++) sum[i] = a[i] + b[i];
        return sum;
    };

    private static final Supplier<Request> NONE = () -> {
        throw new IllegalStateException("objects have no nonblocking collective operations");
    };

    private final Comm world;
    private final int bytes, me, ranks;

    /// The result of the last call.
    private @Nullable Object result;

    private CollectiveObjects(Comm world, int bytes) {
        this.world = world;
        this.bytes = bytes;
        this.me = world.rank();
        this.ranks = world.size();
    }

    static CollectiveUnderTest of(Comm world, TestKind kind, int bytes) {
        return new CollectiveObjects(world, bytes).call(kind);
    }

    private CollectiveUnderTest call(TestKind kind) {
        byte[] mine = bytesOf(me);
        float[] numbers = floats(Pattern.of(me)::applyAsLong);
        List<byte[]> forAll = Collections.nCopies(ranks, mine);
        return switch (kind) {
            case BCAST -> call(() -> world.bcastObject(byte[].class, me == ROOT ? mine : null, ROOT), bytesOf(ROOT));
            case GATHER -> call(() -> world.gatherObject(mine, ROOT), me == ROOT ? ofAll() : null);
            case SCATTER -> call(() -> world.scatterObject(me == ROOT ? ofAll() : null, ROOT), mine);
            case ALLGATHER -> call(() -> world.allgatherObject(mine), ofAll());
            case ALLTOALL -> call(() -> world.alltoallObject(forAll), ofAll());
            case REDUCE -> call(() -> world.reduceObject(numbers, ROOT, ADD), me == ROOT ? sums() : null);
            case ALLREDUCE -> call(() -> world.allreduceObject(numbers, ADD), sums());
            case BARRIER, COMMUNICATOR, REDUCE_IN_PLACE, REDUCE_SCATTER ->
                throw new IllegalStateException(kind + " has no form with objects");
        };
    }

    private CollectiveUnderTest call(Supplier<? extends @Nullable Object> operation, @Nullable Object expected) {
        return new CollectiveUnderTest(
                () -> result = operation.get(), NONE, () -> result = null, () -> same(expected) ? 0 : 1);
    }

    private boolean same(@Nullable Object expected) {
        Object[] pair = {result instanceof List<?> list ? list.toArray() : result};
        Object[] other = {expected instanceof List<?> list ? list.toArray() : expected};
        return Objects.deepEquals(pair, other);
    }

    private List<byte[]> ofAll() {
        byte[][] all = new byte[ranks][];
        for (int r = 0; r < ranks; r++) all[r] = bytesOf(r);
        return Arrays.asList(all);
    }

    private float[] sums() {
        return floats(Pattern.sum(ranks)::applyAsLong);
    }

    private byte[] bytesOf(int rank) {
        byte[] value = new byte[bytes];
        for (int i = 0; i < bytes; i++) value[i] = (byte) Pattern.of(rank).applyAsLong(i);
        return value;
    }

    private float[] floats(java.util.function.LongUnaryOperator element) {
        float[] value = new float[bytes / Float.BYTES];
        for (int i = 0; i < value.length; i++) value[i] = element.applyAsLong(i);
        return value;
    }
}
