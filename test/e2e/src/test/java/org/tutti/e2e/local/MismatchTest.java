package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.tutti.mpi.Buf.buf;

import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.PartitionedReceive;
import org.tutti.mpi.PartitionedSend;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Tutti;
import org.tutti.mpi.Window;

/// Ranks pass different arguments to one collective call: the job ends within seconds, and the text names two
/// ranks and the calls. These tests are not contracts, because the mismatch ends the job, and a native MPI
/// library does not guarantee the report.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MismatchTest {
    /// The calls of one rank, which are followed by a barrier of all ranks.
    private interface Body {
        void run(Comm world);
    }

    /// Runs `body0` on rank 0 and `otherBody` on the other ranks, and returns the text of the mismatch.
    private static AbstractStringAssert<?> mismatch(int ranks, Body body0, Body otherBody) {
        return mismatch(" of WORLD does not match: rank ", ranks, body0, otherBody)
                .contains(" but rank ", " calls ");
    }

    /// Like [#mismatch], for calls that differ only in the sizes or types of blocks.
    private static AbstractStringAssert<?> blocks(int ranks, Body body0, Body otherBody) {
        return mismatch(" of WORLD does not match: in ", ranks, body0, otherBody)
                .contains(" sends ", " expects ");
    }

    private static AbstractStringAssert<?> mismatch(String text, int ranks, Body body0, Body otherBody) {
        Throwable thrown = catchThrowable(() -> Tutti.local(ranks, mpi -> {
            (mpi.world().rank() == 0 ? body0 : otherBody).run(mpi.world());
            mpi.world().barrier();
        }));
        assertThat(thrown).as("exception of Tutti.local").isInstanceOf(MpiException.class);
        MpiException found = Stream.iterate(thrown, t -> t != null, Throwable::getCause)
                .filter(t -> t instanceof MpiException e && e.errorClass() == ErrorClass.ERR_MISMATCH)
                .map(MpiException.class::cast)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no ERR_MISMATCH in the causes", thrown));
        assertThat(found.scope()).isEqualTo(MpiException.Scope.JOB);
        return assertThat(found.getMessage()).contains(text);
    }

    /// Each of these calls exchanges a few integers. Without a check, the exchanges of different calls would
    /// match, because all are allgathers.
    @Test
    void creatingFunctions() {
        Body sum = w -> w.allreduceInit(buf(new int[1]), buf(new int[1]), Op.SUM);
        mismatch(2, sum, w -> w.bcastInit(buf(new int[1]), 0)).contains("allreduceInit()", "bcastInit()");
        mismatch(3, sum, Comm::dup).contains("allreduceInit()", "dup()");
        mismatch(3, w -> w.split(0), Comm::barrier).contains("split()", "barrier()");
        mismatch(2, w -> Window.allocate(w, 8), Comm::dup).contains("allocate()", "dup()");
    }

    @Test
    void rootOfBcast() {
        mismatch(2, w -> w.bcast(buf(new int[3]), 0), w -> w.bcast(buf(new int[3]), 1))
                .contains("bcast(3 INT, root=");
        mismatch(4, w -> w.bcast(buf(new int[3]), 0), w -> w.bcast(buf(new int[3]), 1))
                .contains("root=0", "root=1");
        // no rank passes itself as the root
        Body next = w -> w.bcast(buf(new int[3]), (w.rank() + 1) % w.size());
        mismatch(3, next, next).contains("bcast(3 INT, root=");
        Body[] roots = {w -> w.bcast(buf(new int[3]), 0), w -> w.bcast(buf(new int[3]), 1)};
        mismatch(5, roots[0], w -> roots[w.rank() / 3].run(w)).contains("root=0", "root=1");
    }

    /// A rank other than the root differs in call 700 of 1,000 calls that wait only for the root.
    @Test
    void oneDifferentCallAmongMany() {
        for (int wrong = 0; wrong < 3; wrong++) {
            int odd = wrong;
            Body body = w -> {
                for (int i = 0; i < 1000; i++) w.bcast(buf(new int[i == 700 && w.rank() == odd ? 2 : 1]), 0);
            };
            mismatch(3, body, body).contains("bcast(1 INT, root=0)", "bcast(2 INT, root=0)");
        }
    }

    @Test
    void operationOfAllreduce() {
        mismatch(2, w -> w.allreduce(buf(new double[4]), Op.SUM), w -> w.allreduce(buf(new double[4]), Op.MAX))
                .contains("allreduce(4 DOUBLE, SUM)", "allreduce(4 DOUBLE, MAX)");
        mismatch(5, w -> w.allreduce(1, Op.SUM), w -> w.allreduce(1, Op.PROD)).contains("SUM", "PROD");
    }

    @Test
    void orderOfAllreduce() {
        Op inOrder = Op.SUM.inRankOrder();
        mismatch(2, w -> w.allreduce(1.0, Op.SUM), w -> w.allreduce(1.0, inOrder))
                .contains("allreduce(1 DOUBLE, SUM)", "allreduce(1 DOUBLE, SUM in rank order)");
    }

    @Test
    void nameOfUserOperation() {
        mismatch(
                        2,
                        w -> w.allreduce(1.0, Op.ofDouble("f", Math::max)),
                        w -> w.allreduce(1.0, Op.ofDouble("g", Math::max)))
                .contains("a user operation of another name");
    }

    @Test
    void kindOfCall() {
        mismatch(2, Comm::barrier, w -> w.allreduce(1, Op.SUM)).contains("barrier()", "allreduce(1 INT, SUM)");
        mismatch(3, w -> w.bcast(buf(new int[1]), 0), w -> w.reduce(buf(new int[1]), Op.SUM, 0))
                .contains("bcast(1 INT, root=0)", "reduce(1 INT, SUM, root=0)");
    }

    @Test
    void countOfElements() {
        mismatch(2, w -> w.bcast(buf(new long[5]), 0), w -> w.bcast(buf(new long[6]), 0))
                .contains("bcast(5 LONG, root=0)", "bcast(6 LONG, root=0)");
        mismatch(4, w -> w.allreduce(buf(new int[100]), Op.SUM), w -> w.allreduce(buf(new int[101]), Op.SUM))
                .contains("100 INT", "101 INT");
        mismatch(2, w -> w.allreduce(buf(new int[100_000]), Op.SUM), w -> w.allreduce(buf(new int[100_001]), Op.SUM))
                .contains("100000 INT", "100001 INT");
        mismatch(3, w -> w.allreduce(buf(new int[100_000]), Op.SUM), w -> w.allreduce(buf(new int[100_001]), Op.SUM))
                .contains("100000 INT", "100001 INT");
    }

    /// Blocks differ, but the total length is the same on all ranks.
    @Test
    void blocksOfAllgather() {
        for (int n : new int[] {5, 50_000}) {
            Buf own = buf(new int[3]);
            mismatch(
                            2,
                            w -> w.allgather(own, buf(new int[n + 3]).blocks(3, n)),
                            w -> w.allgather(own, buf(new int[n + 3]).blocks(n, 3)))
                    .contains("allgather(" + (n + 3) + " INT)", "blocks of other lengths");
        }
    }

    @Test
    void countOfABlock() {
        blocks(2, w -> w.gather(buf(new int[2]), buf(new int[4]), 0), w -> w.gather(buf(new int[3]), Buf.NONE, 0))
                .contains(
                        "in gather(INT, root=0), rank 1 sends 3 INT where rank 0 expects 2 INT; the root passes blocks(…)"
                                + " for blocks of different size");
    }

    @Test
    void typeOfElements() {
        mismatch(2, w -> w.bcast(buf(new int[2]), 0), w -> w.bcast(buf(new float[2]), 0))
                .contains("bcast(2 INT, root=0)", "bcast(2 FLOAT, root=0)");
    }

    /// One rank makes a call once more than the other ranks, and continues with a different call.
    @Test
    void oneCallTooMany() {
        mismatch(
                        3,
                        w -> {
                            w.bcast(buf(new int[1]), 0);
                            w.bcast(buf(new int[1]), 0);
                            w.allreduce(1, Op.SUM);
                        },
                        w -> {
                            w.bcast(buf(new int[1]), 0);
                            w.allreduce(1, Op.SUM);
                        })
                .contains("bcast", "allreduce");
    }

    /// The two ranks wait for each other, and no call sends a message.
    @Test
    void mutuallyWaitingCalls() {
        Body gather = w -> w.gather(buf(new int[1]), w.rank() == 0 ? buf(new int[w.size()]) : Buf.NONE, 0);
        Body scatter = w -> w.scatter(w.rank() == 0 ? buf(new int[w.size()]) : Buf.NONE, buf(new int[1]), 0);
        mismatch(2, gather, scatter).contains("gather(INT, root=0)", "scatter(INT, root=0)");
        mismatch(3, scatter, gather).contains("gather(INT, root=0)", "scatter(INT, root=0)");
    }

    @Test
    void rootOfScatter() {
        mismatch(3, w -> scatter(w, 0), w -> scatter(w, 1)).contains("scatter(INT, root=0)", "scatter(INT, root=1)");
    }

    private static void scatter(Comm w, int root) {
        w.scatter(w.rank() == root ? buf(new int[w.size()]) : Buf.NONE, buf(new int[1]), root);
    }

    @Test
    void countOfScatteredBlock() {
        blocks(2, w -> w.scatter(buf(new int[4]), buf(new int[2]), 0), w -> w.scatter(Buf.NONE, buf(new int[3]), 0))
                .contains("in scatter(INT, root=0), rank 0 sends 2 INT where rank 1 expects 3 INT");
    }

    @Test
    void blocksOfAlltoall() {
        mismatch(2, w -> w.alltoall(buf(new long[4])), w -> w.alltoall(buf(new long[4]), buf(new long[4])))
                .contains("alltoall(2 LONG for each rank, in place)", "alltoall(2 LONG for each rank)");
        mismatch(
                        2,
                        w -> w.alltoall(buf(new long[4]), buf(new long[4])),
                        w -> w.alltoall(buf(new long[6]), buf(new long[6])))
                .contains("2 LONG", "3 LONG");
        mismatch(3, w -> w.alltoall(buf(new int[60_000])), w -> w.alltoall(buf(new int[60_003])))
                .contains("20000 INT", "20001 INT");
        mismatch(3, w -> w.alltoall(buf(new int[60_000])), w -> w.alltoall(buf(new int[120_000])))
                .contains("20000 INT", "40000 INT");
        Body even = w -> w.alltoall(buf(new int[4]), buf(new int[4]));
        Body blocks =
                w -> w.alltoall(buf(new int[4]).blocks(2, 2), buf(new int[4]).blocks(2, 2));
        mismatch(2, even, blocks).contains("alltoall(2 INT for each rank)", "alltoall(INT in blocks)");
    }

    @Test
    void blocksOfAlltoallw() {
        blocks(
                        2,
                        w -> w.alltoallw(twice(buf(new int[4])), twice(buf(new int[4]))),
                        w -> w.alltoallw(twice(buf(new double[2])), twice(buf(new double[2]))))
                .contains("in alltoallw(), ", " sends ", "4 INT", " expects ", "2 DOUBLE");
        blocks(2, w -> w.alltoallw(twice(buf(new int[4]))), w -> w.alltoallw(twice(buf(new int[5]))))
                .contains("alltoallw(in place)", "4 INT", "5 INT");
        mismatch(2, w -> w.alltoallw(twice(Buf.NONE)), w -> w.alltoallw(twice(Buf.NONE), twice(Buf.NONE)))
                .contains("calls alltoallw()", "calls alltoallw(in place)");
    }

    /// Returns an array that contains the buffer twice, for two neighbors.
    private static Buf[] twice(Buf buf) {
        return new Buf[] {buf, buf};
    }

    /// Runs `body` on a ring of two ranks, in which each neighbor of a rank is the other rank.
    private static void ring(Comm w, Consumer<Cartesian> body) {
        try (Cartesian ring = w.cartesian(new int[] {2}, new boolean[] {true})) {
            body.accept(ring);
        }
    }

    @Test
    void typesAndLengthsOfNeighbors() {
        neighbors(
                        g -> g.neighborAllgather(buf(new int[2]), buf(new int[4])),
                        g -> g.neighborAllgather(buf(new float[2]), buf(new float[4])))
                .contains("in neighborAllgather(), ", " sends 2 ", "INT", " expects 2 ", "FLOAT");
        neighbors(
                        g -> g.neighborAlltoall(buf(new int[4]), buf(new int[4])),
                        g -> g.neighborAlltoall(buf(new int[6]), buf(new int[6])))
                .contains("in neighborAlltoall(), ", "2 INT", "3 INT");
        neighbors(
                        g -> g.ineighborAlltoallw(twice(buf(new int[4])), twice(buf(new int[4])))
                                .await(),
                        g -> g.ineighborAlltoallw(twice(Buf.NONE), twice(Buf.NONE))
                                .await())
                .contains("in ineighborAlltoallw(), ", "4 INT", "0 bytes");
    }

    private static AbstractStringAssert<?> neighbors(Consumer<Cartesian> body0, Consumer<Cartesian> body1) {
        return mismatch(".cartesian1 does not", 2, w -> ring(w, body0), w -> ring(w, body1));
    }

    @Test
    void shapesOfTopologies() {
        mismatch(
                        "",
                        4,
                        w -> w.cartesian(new int[] {2, 2}, new boolean[2]),
                        w -> w.cartesian(new int[] {2, 2}, new boolean[] {true, false}))
                .contains("cartesian: a grid of 2 x 2 needs 4 ranks, but only ", " passed this rank's arguments");
        mismatch("", 2, w -> w.graph(new int[][] {{1}, {0}}), w -> w.graph(new int[][] {{1, 1}, {0, 0}}))
                .contains("graph: a graph of 2 nodes and ", " needs 2 ranks, but only 1 passed");
        int[] none = {}, zero = {0}, one = {1};
        mismatch("", 2, w -> w.distGraphAdjacent(one, none), w -> w.distGraphAdjacent(none, none))
                .containsAnyOf(
                        "distGraphAdjacent: this rank passed 1 edges from rank 1, which passed 0",
                        "distGraphAdjacent: this rank passed 0 edges to rank 0, which passed 1");
        mismatch("", 2, w -> w.distGraph(zero, one, one, one), w -> w.distGraph(none, none, none))
                .containsAnyOf(
                        "distGraph: this rank passed weights and rank 1 none; pass weights on all ranks or on none",
                        "distGraph: this rank passed no weights and rank 0 some; pass weights on all ranks or on none");
    }

    @Test
    void blocksOfReduceScatter() {
        mismatch(
                        2,
                        w -> w.reduceScatter(buf(new int[4]).blocks(1, 3), buf(new int[3]), Op.SUM),
                        w -> w.reduceScatter(buf(new int[4]).blocks(2, 2), buf(new int[3]), Op.SUM))
                .contains("reduceScatter(4 INT, SUM)", "with blocks of other lengths");
        mismatch(
                        3,
                        w -> w.reduceScatterBlock(buf(new int[3]), Op.SUM),
                        w -> w.reduceScatterBlock(buf(new int[6]), Op.SUM))
                .contains("3 INT", "6 INT");
    }

    @Test
    void operationOfScan() {
        mismatch(2, w -> w.scan(1, Op.SUM), w -> w.scan(1, Op.PROD)).contains("scan(1 INT, SUM)", "scan(1 INT, PROD)");
        mismatch(2, w -> w.exscan(1, Op.SUM), w -> w.scan(1, Op.SUM)).contains("exscan(1 INT", "calls scan(1 INT");
    }

    /// Blocking, nonblocking and persistent calls do not match each other.
    @Test
    void formOfTheCall() {
        mismatch(
                        2,
                        w -> w.bcast(buf(new int[1]), 0),
                        w -> w.ibcast(buf(new int[1]), 0).await())
                // a root may already have left the call
                .contains(" bcast(1 INT, root=0)", " ibcast(1 INT, root=0)")
                .contains("; blocking, nonblocking and persistent calls do not match each other");
        mismatch(2, w -> w.iallreduce(Buf.IN_PLACE, buf(new int[1]), Op.SUM).await(), w -> {
                    try (PersistentRequest r = w.allreduceInit(Buf.IN_PLACE, buf(new int[1]), Op.SUM)) {
                        r.start();
                        r.await();
                    }
                })
                .contains("iallreduce(1 INT, SUM)", "allreduceInit()");
    }

    @Test
    void partitionedMessage() {
        for (boolean known : new boolean[] {true, false}) {
            mismatch(
                    "precvInit: rank 0 sends 3 partitions of 8 bytes with tag 5, but this receive has 2 of 8;"
                            + " make the total lengths equal (rank 1 of 2, WORLD)",
                    2,
                    w -> {
                        if (!known) w.barrier();
                        PartitionedSend send = w.psendInit(buf(new int[6]), 3, 1, 5);
                        send.start();
                        if (known) w.barrier();
                        send.preadyRange(0, 2);
                        send.await();
                    },
                    w -> {
                        PartitionedReceive receive = w.precvInit(buf(new long[2]), 2, 0, 5);
                        if (known) w.barrier();
                        receive.start();
                        if (!known) w.barrier();
                        receive.await();
                    });
        }
    }

    /// A pending call that no rank has completed does not hide the mismatch of a later call.
    @Test
    void callAfterPendingCall() {
        mismatch(
                        2,
                        w -> {
                            w.iallreduce(Buf.IN_PLACE, buf(new int[1]), Op.SUM);
                            w.ibcast(buf(new int[1]), 0).await();
                            w.recv(buf(new int[1]), 1);
                        },
                        w -> {
                            w.iallreduce(Buf.IN_PLACE, buf(new int[1]), Op.SUM);
                            w.ibcast(buf(new int[1]), 1).await();
                            w.recv(buf(new int[1]), 0);
                        })
                .contains("ibcast(1 INT, root=0)", "ibcast(1 INT, root=1)");
    }
}
