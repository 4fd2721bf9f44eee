package org.tutti.coll;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.Memory;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.type.ElementType;

class AlgorithmTableTest {
    private static Collective call(Kind kind, int rank, int size, long count) {
        Collective call = new FakeNetwork.FakeCollective();
        call.fill("call", new FakeNetwork.FakePort(rank, size), kind, 0);
        call.send.count = count;
        call.recv.count = count;
        call.send.type = ElementType.DOUBLE;
        call.recv.type = ElementType.DOUBLE;
        call.op = PredefinedReduction.SUM;
        return call;
    }

    private static String chosen(Collective call) {
        return AlgorithmTable.choose(call).getClass().getSimpleName();
    }

    @Test
    void choosesByLength() {
        assertThat(chosen(call(Kind.BCAST, 0, 4, 100))).isEqualTo("BcastBinomial");
        assertThat(chosen(call(Kind.BCAST, 0, 4, 1 << 18))).isEqualTo("BcastScatterAllgather");
        assertThat(chosen(call(Kind.BCAST, 0, 2, 1 << 18))).isEqualTo("BcastBinomial");
        assertThat(chosen(call(Kind.REDUCE, 0, 4, 100))).isEqualTo("ReduceBinomial");
        assertThat(chosen(call(Kind.REDUCE, 0, 4, 1 << 18))).isEqualTo("ReduceScatterGather");
        assertThat(chosen(call(Kind.ALLREDUCE, 0, 4, 100))).isEqualTo("AllreduceRecursiveDoubling");
        assertThat(chosen(call(Kind.ALLREDUCE, 0, 2, 1 << 18))).isEqualTo("AllreduceRing");
        assertThat(chosen(call(Kind.ALLGATHER, 0, 4, 100))).isEqualTo("AllgatherBruck");
        assertThat(chosen(call(Kind.ALLGATHER, 0, 4, 1 << 18))).isEqualTo("AllgatherRing");
    }

    @Test
    void noncommutativeOperandsStayInRankOrder() {
        for (Kind kind : new Kind[] {Kind.REDUCE, Kind.ALLREDUCE}) {
            Collective call = call(kind, 0, 4, 1 << 20);
            call.op = AlgorithmTrial.ofLong("minus", false, (a, b) -> a - b);
            assertThat(chosen(call)).isEqualTo(kind == Kind.REDUCE ? "ReduceBinomial" : "AllreduceRecursiveDoubling");
        }
    }

    /// If the choice depended on other values, the ranks could choose different algorithms.
    @Test
    void dependsOnlyOnValuesEqualOnAllRanks() {
        for (Kind kind : Kind.values()) {
            for (int size : new int[] {1, 2, 3, 4, 9}) {
                for (long count = 1; count < 1 << 20; count *= 2) {
                    Collective one = call(kind, 0, size, count);
                    Collective other = call(kind, size - 1, size, count);
                    // an alltoall is in place on all ranks or on none
                    other.inPlace = kind != Kind.ALLTOALL && kind != Kind.ALLTOALLW;
                    other.recv.memory = Memory.of(Arena.global().allocate(8));
                    // The same bytes, described differently: by blocks instead of a count, or in place, where
                    // the local count is unused.
                    if (kind == Kind.ALLGATHER) {
                        long[] counts = new long[size];
                        Arrays.fill(counts, 8 * count);
                        other.recv.blocks = new Collective.BlockLayout(counts, new long[size]);
                        other.recv.type = ElementType.BYTE;
                        other.recv.count = 0;
                        other.send.count = 0;
                    }
                    if (kind == Kind.GATHER || kind == Kind.SCATTER) other.recv.count = 0;
                    assertThat(chosen(other)).isEqualTo(chosen(one));
                }
            }
        }
    }
}
