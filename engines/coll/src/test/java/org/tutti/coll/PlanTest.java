package org.tutti.coll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.Transfer;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.type.ElementType;

/// Facts that need no execution: programs as text, and vectors that exceed any test machine's memory.
class PlanTest {
    private static final long HUGE = 5_000_000_001L;

    private static Collective call(int rank, int size, Kind kind, long count) {
        FakeNetwork.FakeCollective call = new FakeNetwork.FakeCollective();
        call.fill("call", new FakeNetwork.FakePort(rank, size), kind, 0);
        call.send.type = ElementType.DOUBLE;
        call.recv.type = ElementType.DOUBLE;
        call.send.count = count;
        call.recv.count = count;
        call.op = PredefinedReduction.SUM;
        return call;
    }

    private static Schedule plan(Algorithm algorithm, Collective call, long first) {
        Schedule schedule = new Schedule();
        algorithm.plan(call, first, Math.min(algorithm.sliceElements(call), call.send.count - first), schedule);
        return schedule;
    }

    @Test
    void ringOfTwoExchangesHalvesTwice() {
        assertThat(plan(new AllreduceRing(), call(0, 2, Kind.ALLREDUCE, 10), 0)).hasToString("""
                receive 1 recv+40 40
                send 1 send+0 40
                await
                reduce send+40 recv+40 5
                receive 1 recv+0 40
                send 1 recv+40 40
                await
                """);
    }

    /// On a ring of two, the two neighbors are the same rank: the message to the right is sent first and
    /// arrives from the left.
    @Test
    void neighborsOnARingOfTwoSendRightFirst() {
        Collective call = call(0, 2, Kind.NEIGHBOR_ALLTOALL, 1);
        call.neighbors = new Collective.Neighbors(new int[] {1, 1}, new int[] {1, 1}, new int[] {1, 0});
        assertThat(plan(new NeighborAlltoallDirect(), call, 0)).hasToString("""
                receive 1 recv+0 8
                receive 1 recv+8 8
                send 1 send+8 8
                send 1 send+0 8
                """);
    }

    @Test
    void nullProcessesGetNoMessage() {
        Collective call = call(0, 2, Kind.NEIGHBOR_ALLGATHER, 1);
        int[] line = {Transfer.PROC_NULL, 1};
        call.neighbors = new Collective.Neighbors(line, line, new int[] {1, 0});
        assertThat(plan(new NeighborAllgatherDirect(), call, 0)).hasToString("""
                receive 1 recv+8 8
                send 1 send+0 8
                """);
    }

    @Test
    void recursiveDoublingNeedsNoSecondCopy() {
        assertThat(plan(new AllreduceRecursiveDoubling(), call(0, 2, Kind.ALLREDUCE, 1), 0))
                .hasToString("""
                copy send+0 scratch+0 8
                receive 1 recv+0 8
                send 1 scratch+0 8
                await
                reduce scratch+0 recv+0 1
                await
                """);
    }

    @Test
    void messagesOfHugeVectorsMatchAndStayInTheirBuffers() {
        for (int size : new int[] {2, 3, 4, 7}) {
            check(new BcastBinomial(), Kind.BCAST, size, 0);
            check(new BcastScatterAllgather(), Kind.BCAST, size, 0);
            check(new GatherLinear(), Kind.GATHER, size, 0);
            check(new AllgatherRing(), Kind.ALLGATHER, size, 0);
            check(new AllgatherBruck(), Kind.ALLGATHER, size, 0);
            check(new ScatterLinear(), Kind.SCATTER, size, 0);
            check(new AlltoallPairwise(), Kind.ALLTOALL, size, 0);
            check(new AlltoallInPlace(), Kind.ALLTOALL, size, 0);
            // almost the last slice
            long first = HUGE / (1 << 20) * (1 << 20);
            check(new ReduceBinomial(), Kind.REDUCE, size, first);
            check(new ReduceScatterGather(), Kind.REDUCE, size, first);
            check(new AllreduceRecursiveDoubling(), Kind.ALLREDUCE, size, first);
            check(new AllreduceRing(), Kind.ALLREDUCE, size, first);
            check(new ScanRecursiveDoubling(), Kind.SCAN, size, first);
            check(new ScanRecursiveDoubling(), Kind.EXSCAN, size, first);
        }
    }

    /// The last slice has the last elements of every block.
    @Test
    void slicesOfAReduceScatterCoverEveryBlock() {
        for (int size : new int[] {2, 3, 128}) {
            long block = HUGE / size;
            for (int rank : new int[] {0, 1, size - 1}) {
                Collective call = call(rank, size, Kind.REDUCE_SCATTER, block * size);
                call.recv.count = block;
                Algorithm algorithm = new ReduceScatterPairwise();
                long slice = algorithm.sliceElements(call);
                Schedule end = plan(algorithm, call, (call.send.count - 1) / slice * slice);
                assertThat(end.scratchBytes()).isLessThanOrEqualTo(2 << 20);
                for (int i = 0; i < end.size(); i++) {
                    if (end.opcode(i) != Schedule.SEND) continue;
                    assertThat(Schedule.offset(end.from(i)) + end.length(i)).isEqualTo(8 * block * (end.peer(i) + 1));
                }
            }
        }
    }

    @Test
    void scratchOfSlicedAlgorithmsIsBounded() {
        for (Algorithm algorithm : List.of(
                new ReduceBinomial(),
                new ReduceScatterGather(),
                new AllreduceRecursiveDoubling(),
                new AllreduceRing(),
                new ScanRecursiveDoubling())) {
            for (int size : new int[] {2, 3, 128}) {
                Kind kind = algorithm.getClass().getSimpleName().startsWith("All") ? Kind.ALLREDUCE : Kind.REDUCE;
                for (int rank = 0; rank < size; rank++) {
                    assertThat(plan(algorithm, call(rank, size, kind, HUGE), 0).scratchBytes())
                            .isLessThanOrEqualTo(1 << 20);
                }
            }
        }
    }

    private static void check(Algorithm algorithm, Kind kind, int size, long first) {
        boolean scatters = kind == Kind.SCATTER || kind == Kind.ALLTOALL;
        boolean gathers = kind == Kind.GATHER || kind == Kind.ALLGATHER || kind == Kind.ALLTOALL;
        Map<List<Integer>, ArrayDeque<Long>> lines = new HashMap<>();
        List<Schedule> plans = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) plans.add(plan(algorithm, call(rank, size, kind, HUGE), first));
        for (int rank = 0; rank < size; rank++) {
            Schedule plan = plans.get(rank);
            for (int i = 0; i < plan.size(); i++) {
                int what = plan.opcode(i);
                if (what == Schedule.SEND) {
                    lines.computeIfAbsent(List.of(rank, plan.peer(i)), k -> new ArrayDeque<>())
                            .add(plan.length(i));
                }
                if (what == Schedule.AWAIT) continue;
                long bytes = what == Schedule.REDUCE ? 8 * plan.length(i) : plan.length(i);
                long recvBytes = 8 * HUGE * (gathers ? size : 1);
                for (long place : new long[] {plan.from(i), plan.to(i)}) {
                    long room = switch (Schedule.buffer(place)) {
                        case 0 -> 8 * HUGE * (scatters ? size : 1);
                        case 1 -> recvBytes;
                        default -> plan.scratchBytes();
                    };
                    assertThat(Schedule.offset(place) + bytes).as("%s", plan).isBetween(0L, room);
                }
            }
        }
        for (int rank = 0; rank < size; rank++) {
            Schedule plan = plans.get(rank);
            for (int i = 0; i < plan.size(); i++) {
                if (plan.opcode(i) != Schedule.RECEIVE) continue;
                ArrayDeque<Long> line = lines.getOrDefault(List.of(plan.peer(i), rank), new ArrayDeque<>());
                assertThat(line.poll()).as("%s", plan).isEqualTo(plan.length(i));
            }
        }
        assertThat(lines.values()).allMatch(ArrayDeque::isEmpty);
    }
}
