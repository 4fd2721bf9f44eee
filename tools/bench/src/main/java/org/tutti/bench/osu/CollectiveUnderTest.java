package org.tutti.bench.osu;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.Data;
import org.tutti.bench.measure.Pattern;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.Storage;
import org.tutti.bench.plan.TestKind;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;

/// A collective operation on data of a fixed size, for repeated calls; the root is rank 0. As in OSU's tests,
/// the size is the contribution of a rank; for alltoall and scatter, the data for each other rank.
///
/// @param run the operation
/// @param start the nonblocking form
/// @param prepare fills the send buffer with the data that [#wrong] expects, and the receive buffer with other
///     data
/// @param wrong the number of wrong elements on this rank after a call that followed `prepare`
record CollectiveUnderTest(Runnable run, Supplier<Request> start, Runnable prepare, LongSupplier wrong) {
    private static final int ROOT = 0;

    static CollectiveUnderTest of(BenchMemory memory, BenchOptions options, long bytes) {
        TestKind kind = options.test().kind();
        if (kind == TestKind.BARRIER) return barrier(memory.mpi().world());
        if (kind == TestKind.COMMUNICATOR) return communicator(memory.mpi().world());
        if (options.storage() == Storage.OBJECT) {
            return CollectiveObjects.of(memory.mpi().world(), kind, Math.toIntExact(bytes));
        }
        long count = bytes / options.type().bytes();
        return new OfBuffers(memory, options, count).call(kind);
    }

    private static CollectiveUnderTest barrier(Comm world) {
        return new CollectiveUnderTest(world::barrier, world::ibarrier, () -> {}, () -> 0);
    }

    private static CollectiveUnderTest communicator(Comm world) {
        Runnable makeAndClose = () -> {
            try (OwnedComm made = world.dup()) {
                made.barrier();
            }
        };
        Supplier<Request> none = () -> {
            throw new IllegalStateException("communicators are closed where they were made");
        };
        return new CollectiveUnderTest(makeAndClose, none, () -> {}, () -> 0);
    }

    /// Creates the tests of operations that move data, with buffers of `count` elements, or of `count` elements
    /// for each rank.
    private static final class OfBuffers {
        private final BenchMemory memory;
        private final Comm world;
        private final BenchOptions options;
        private final long count;
        private final int me, ranks;

        OfBuffers(BenchMemory memory, BenchOptions options, long count) {
            this.memory = memory;
            this.world = memory.mpi().world();
            this.options = options;
            this.count = count;
            this.me = world.rank();
            this.ranks = world.size();
        }

        CollectiveUnderTest call(TestKind kind) {
            return switch (kind) {
                case BCAST -> bcast();
                case GATHER -> gather();
                case SCATTER -> scatter();
                case ALLGATHER -> allgather();
                case ALLTOALL -> alltoall();
                case REDUCE -> reduce();
                case REDUCE_IN_PLACE -> reduceInPlace();
                case ALLREDUCE -> allreduce();
                case REDUCE_SCATTER -> reduceScatter();
                case BARRIER, COMMUNICATOR -> throw new IllegalStateException(kind + " has no data");
            };
        }

        private Data one() {
            return memory.data(options.type(), count);
        }

        private Data forEachRank() {
            return memory.data(options.type(), Math.multiplyExact(count, ranks));
        }

        private CollectiveUnderTest bcast() {
            Data data = one();
            Buf buf = data.buf();
            return new CollectiveUnderTest(
                    () -> world.bcast(buf, ROOT),
                    () -> world.ibcast(buf, ROOT),
                    () -> data.fill(me == ROOT ? Pattern.of(ROOT) : Pattern.NOTHING),
                    () -> data.wrong(0, count, Pattern.of(ROOT)));
        }

        private CollectiveUnderTest gather() {
            Data out = one(), in = me == ROOT ? forEachRank() : null;
            Buf send = out.buf(), recv = in == null ? Buf.NONE : in.buf();
            return new CollectiveUnderTest(
                    () -> world.gather(send, recv, ROOT),
                    () -> world.igather(send, recv, ROOT),
                    () -> {
                        out.fill(Pattern.of(me));
                        if (in != null) in.fill(Pattern.NOTHING);
                    },
                    () -> in == null ? 0 : in.wrong(0, in.count(), Pattern.blocks(count)));
        }

        private CollectiveUnderTest scatter() {
            Data out = me == ROOT ? forEachRank() : null, in = one();
            Buf send = out == null ? Buf.NONE : out.buf(), recv = in.buf();
            return new CollectiveUnderTest(
                    () -> world.scatter(send, recv, ROOT),
                    () -> world.iscatter(send, recv, ROOT),
                    () -> {
                        if (out != null) out.fill(Pattern.blocks(count));
                        in.fill(Pattern.NOTHING);
                    },
                    () -> in.wrong(0, count, Pattern.of(me)));
        }

        private CollectiveUnderTest allgather() {
            Data out = one(), in = forEachRank();
            Buf send = out.buf(), recv = in.buf();
            return new CollectiveUnderTest(
                    () -> world.allgather(send, recv),
                    () -> world.iallgather(send, recv),
                    () -> prepare(out, in),
                    () -> in.wrong(0, in.count(), Pattern.blocks(count)));
        }

        private CollectiveUnderTest alltoall() {
            Data out = forEachRank(), in = forEachRank();
            Buf send = out.buf(), recv = in.buf();
            return new CollectiveUnderTest(
                    () -> world.alltoall(send, recv),
                    () -> world.ialltoall(send, recv),
                    () -> {
                        out.fill(i -> Pattern.of(me, (int) (i / count)).applyAsLong(i % count));
                        in.fill(Pattern.NOTHING);
                    },
                    () -> {
                        long wrong = 0;
                        for (int r = 0; r < ranks; r++) wrong += in.wrong(r * count, count, Pattern.of(r, me));
                        return wrong;
                    });
        }

        private CollectiveUnderTest reduce() {
            Data out = one(), in = me == ROOT ? one() : null;
            Buf send = out.buf(), recv = in == null ? Buf.NONE : in.buf();
            return new CollectiveUnderTest(
                    () -> world.reduce(send, recv, Op.SUM, ROOT),
                    () -> world.ireduce(send, recv, Op.SUM, ROOT),
                    () -> {
                        out.fill(Pattern.of(me));
                        if (in != null) in.fill(Pattern.NOTHING);
                    },
                    () -> in == null ? 0 : in.wrong(0, count, Pattern.sum(ranks)));
        }

        /// Returns the reduction in place. Each call replaces the root's numbers by the sums, so the sums grow
        /// with each call.
        private CollectiveUnderTest reduceInPlace() {
            Data data = one();
            Buf buf = data.buf();
            return new CollectiveUnderTest(
                    () -> world.reduce(buf, Op.SUM, ROOT),
                    () -> me == ROOT
                            ? world.ireduce(Buf.IN_PLACE, buf, Op.SUM, ROOT)
                            : world.ireduce(buf, Buf.NONE, Op.SUM, ROOT),
                    () -> data.fill(Pattern.of(me)),
                    () -> data.wrong(0, count, me == ROOT ? Pattern.sum(ranks) : Pattern.of(me)));
        }

        private CollectiveUnderTest allreduce() {
            Data out = one(), in = one();
            Buf send = out.buf(), recv = in.buf();
            return new CollectiveUnderTest(
                    () -> world.allreduce(send, recv, Op.SUM),
                    () -> world.iallreduce(send, recv, Op.SUM),
                    () -> prepare(out, in),
                    () -> in.wrong(0, count, Pattern.sum(ranks)));
        }

        /// Elements are distributed as evenly as possible; the first ranks get one more.
        private CollectiveUnderTest reduceScatter() {
            long[] counts = new long[ranks];
            long before = 0;
            for (int r = 0; r < ranks; r++) {
                counts[r] = count / ranks + (r < count % ranks ? 1 : 0);
                if (r < me) before += counts[r];
            }
            Data out = one().inBlocks(counts), in = memory.data(options.type(), counts[me]);
            Buf send = out.buf(), recv = in.buf();
            long from = before;
            return new CollectiveUnderTest(
                    () -> world.reduceScatter(send, recv, Op.SUM),
                    () -> world.ireduceScatter(send, recv, Op.SUM),
                    () -> prepare(out, in),
                    () -> in.wrong(0, in.count(), i -> Pattern.sum(ranks).applyAsLong(from + i)));
        }

        private void prepare(Data out, Data in) {
            out.fill(Pattern.of(me));
            in.fill(Pattern.NOTHING);
        }
    }
}
