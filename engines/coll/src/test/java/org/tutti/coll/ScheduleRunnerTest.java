package org.tutti.coll;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.Memory;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.type.ElementType;

/// Failures, memory and reuse of a runner.
class ScheduleRunnerTest {
    private static Collective call(FakeNetwork network, int rank, Kind kind, long[] send, long[] recv) {
        FakeNetwork.FakeEngine engine = network.engines.get(rank);
        Collective call = engine.collective();
        call.fill(kind.name().toLowerCase(), engine.world(), kind, 0);
        call.send.memory = FakeNetwork.heap(send);
        call.recv.memory = FakeNetwork.heap(recv);
        call.send.type = ElementType.LONG;
        call.recv.type = ElementType.LONG;
        call.send.count = send.length;
        call.op = PredefinedReduction.SUM;
        return call;
    }

    private static List<ScheduleRunner> runners(FakeNetwork network) {
        List<ScheduleRunner> runners = new ArrayList<>();
        for (FakeNetwork.FakeEngine engine : network.engines) runners.add(new ScheduleRunner(engine));
        return runners;
    }

    @Test
    void failsWithTheExceptionOfTheEngine() {
        FakeNetwork network = new FakeNetwork(2, true, 1);
        network.engines.get(0).poison = new IllegalStateException("job over");
        ScheduleRunner runner = new ScheduleRunner(network.engines.get(0));
        runner.begin(call(network, 0, Kind.ALLREDUCE, new long[1], new long[1]));
        assertThat(runner.advance()).isTrue();
        assertThat(runner.failure()).hasMessage("job over");
    }

    @Test
    void failsWithItsMessageAndMayBeginAgain() {
        FakeNetwork network = new FakeNetwork(2, true, 1);
        List<ScheduleRunner> runners = runners(network);
        // Rank 1 sends more than fits into the root's buffer.
        Collective root = call(network, 0, Kind.GATHER, new long[1], new long[2]);
        root.recv.count = 1;
        runners.get(0).begin(root);
        runners.get(1).begin(call(network, 1, Kind.GATHER, new long[2], new long[0]));
        network.drive(runners);
        assertThat(runners.get(0).failure()).hasMessage("gather: 16 bytes do not fit (rank 0 of 2, WORLD)");
        assertThat(runners.get(1).failure()).isNull();

        long[] sum = new long[1];
        runners.get(0).begin(call(network, 0, Kind.ALLREDUCE, new long[] {3}, sum));
        runners.get(1).begin(call(network, 1, Kind.ALLREDUCE, new long[] {4}, new long[1]));
        network.drive(runners);
        assertThat(runners.get(0).failure()).isNull();
        assertThat(sum).containsExactly(7);
    }

    @Test
    void reportsTheRankThatSentTooLittle() {
        FakeNetwork network = new FakeNetwork(2, true, 1);
        List<ScheduleRunner> runners = runners(network);
        Collective root = call(network, 0, Kind.GATHER, new long[2], new long[4]);
        root.recv.count = 2;
        runners.get(0).begin(root);
        runners.get(1).begin(call(network, 1, Kind.GATHER, new long[1], new long[0]));
        network.drive(runners);
        assertThat(runners.get(0).failure())
                .hasMessage("gather: rank 1 sent 8 bytes where this rank expects 16 (rank 0 of 2, WORLD)");
    }

    @Test
    void aThrowingOperationFailsTheCall() {
        FakeNetwork network = new FakeNetwork(2, true, 1);
        List<ScheduleRunner> runners = runners(network);
        for (int rank = 0; rank < 2; rank++) {
            Collective call = call(network, rank, Kind.REDUCE, new long[1], new long[1]);
            call.op = AlgorithmTrial.ofLong("broken", false, (a, b) -> {
                throw new ArithmeticException("no");
            });
            runners.get(rank).begin(call);
        }
        network.drive(runners);
        assertThat(runners.get(0).failure()).isInstanceOf(ArithmeticException.class);
        assertThat(runners.get(1).failure()).isNull();
    }

    @Test
    void allRanksGetTheSameBitsInAnyOrderOfArrival() {
        for (int size : new int[] {2, 3, 4, 5, 6, 7, 8, 9}) {
            for (int count : new int[] {1, 33, 20_000}) {
                long[] first = null;
                for (int variant = 0; variant < 6; variant++) {
                    long[] bits = allreduceDoubles(size, count, variant);
                    if (first == null) first = bits;
                    assertThat(bits)
                            .as("size %d count %d variant %d", size, count, variant)
                            .isEqualTo(first);
                }
            }
        }
    }

    /// Returns the bits of rank 0's result, after a comparison with all other ranks. Variants differ only in
    /// properties that must not affect the bits: the order of delivery, the memory, and which ranks are in
    /// place.
    private static long[] allreduceDoubles(int size, int count, int variant) {
        FakeNetwork network = new FakeNetwork(size, variant % 2 == 0, variant);
        List<ScheduleRunner> runners = runners(network);
        List<MemorySegment> results = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            for (int rank = 0; rank < size; rank++) {
                SplittableRandom random = new SplittableRandom(rank);
                MemorySegment operand = segment(arena, count, rank + variant);
                for (int i = 0; i < count; i++) {
                    operand.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i, random.nextDouble(-1e6, 1e6));
                }
                Collective call = call(network, rank, Kind.ALLREDUCE, new long[0], new long[0]);
                call.send.type = ElementType.DOUBLE;
                call.send.count = count;
                call.inPlace = (rank * 5 + variant) % 3 == 0;
                MemorySegment result = call.inPlace ? operand : segment(arena, count, rank);
                call.send.memory = call.inPlace ? Memory.NONE : Memory.of(operand);
                call.recv.memory = Memory.of(result);
                results.add(result);
                runners.get(rank).begin(call);
            }
            network.drive(runners);
            for (int rank = 0; rank < size; rank++) {
                assertThat(runners.get(rank).failure()).isNull();
                assertThat(results.get(rank).mismatch(results.get(0))).isEqualTo(-1);
            }
            return results.get(0).toArray(ValueLayout.JAVA_LONG_UNALIGNED);
        }
    }

    private static MemorySegment segment(Arena arena, int count, int choice) {
        return choice % 2 == 0 ? arena.allocate(8L * count, 8) : MemorySegment.ofArray(new byte[8 * count]);
    }

    @Test
    void messagesAreReused() {
        FakeNetwork network = new FakeNetwork(4, true, 1);
        List<ScheduleRunner> runners = runners(network);
        for (int i = 0; i < 50; i++) {
            for (int rank = 0; rank < 4; rank++) {
                runners.get(rank).begin(call(network, rank, Kind.ALLREDUCE, new long[9], new long[9]));
            }
            network.drive(runners);
        }
        for (FakeNetwork.FakeEngine engine : network.engines)
            assertThat(engine.made).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void retainsNoBufferAfterwards() {
        FakeNetwork network = new FakeNetwork(2, true, 1);
        List<ScheduleRunner> runners = runners(network);
        for (int rank = 0; rank < 2; rank++) {
            runners.get(rank).begin(call(network, rank, Kind.ALLREDUCE, new long[9], new long[9]));
        }
        assertThat(runners.get(0).waitingFor()).isNotNull();
        network.drive(runners);
        assertThat(runners.get(0).waitingFor()).isNull();
        for (FakeNetwork.FakeEngine engine : network.engines) {
            assertThat(engine.made).allMatch(message -> message.memory == Memory.NONE && message.call == null);
        }
    }
}
