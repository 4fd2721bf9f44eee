package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.mpi.Buf.buf;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// A user-defined operation that throws. These tests are not contracts, because the exception ends the job of a
/// native MPI library.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThrowingOperationTest {
    /// The number of failing calls in each test. It exceeds the 32 slots of a rank, so slots are reused.
    private static final int TIMES = 40;

    private static final Op BAD = Op.ofInt("bad", (x, y) -> {
        throw new IllegalStateException("on purpose");
    });

    /// Throws on rank 1, recognized by the name of the thread.
    private static final Op BAD_ON_1 = Op.ofInt("bad on rank 1", (x, y) -> {
        if (Thread.currentThread().getName().equals("rank 1")) throw new IllegalStateException("on purpose");
        return x + y;
    });

    @Test
    void failsOnlyItsCalls() {
        Tutti.local(3, mpi -> {
            Comm world = mpi.world();
            for (int i = 0; i < TIMES; i++) {
                assertThatThrownBy(() -> world.allreduce(1, BAD))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("on purpose");
            }
            assertThat(world.allreduce(1, Op.SUM)).isEqualTo(3);
        });
    }

    /// The call completes on the other ranks, which already have the data of the failing rank.
    @Test
    void failureOnOneRankStaysLocal() {
        Tutti.local(3, mpi -> {
            Comm world = mpi.world();
            Thread.currentThread().setName("rank " + world.rank());
            for (int i = 0; i < TIMES; i++) {
                if (world.rank() == 1)
                    assertThatThrownBy(() -> world.allreduce(1, BAD_ON_1)).hasMessage("on purpose");
                else assertThat(world.allreduce(1, BAD_ON_1)).isEqualTo(3);
            }
            assertThat(world.allreduce(1, Op.SUM)).isEqualTo(3);
        });
    }

    /// In long calls, each rank combines a part of each fragment, so all ranks fail.
    @Test
    void failureInLongCallReachesAllRanks() {
        Tutti.local(3, mpi -> {
            Comm world = mpi.world();
            Thread.currentThread().setName("rank " + world.rank());
            for (int n : new int[] {3000, 100_001}) {
                for (int i = 0; i < TIMES; i++) {
                    assertThatThrownBy(() -> world.allreduce(buf(new int[n]), BAD))
                            .hasMessage("on purpose");
                    var thrown = assertThatThrownBy(() -> world.allreduce(buf(new int[n]), BAD_ON_1));
                    if (world.rank() == 1) thrown.hasMessage("on purpose");
                    else thrown.hasMessageContaining("rank 1, which combines a part of the result, could not");
                }
            }
            int[] x = {1};
            world.allreduce(buf(x), Op.SUM);
            assertThat(x).containsExactly(3);
        });
    }

    /// The root combines fragment by fragment, so the failure does not affect the other rank.
    @Test
    void failureInLongReduceOfTwoStaysAtRoot() {
        Tutti.local(2, mpi -> {
            Comm world = mpi.world();
            for (int n : new int[] {3000, 100_001}) {
                for (int i = 0; i < TIMES; i++) {
                    int[] sum = new int[n];
                    if (world.rank() == 1) {
                        assertThatThrownBy(() -> world.reduce(buf(new int[n]), buf(sum), BAD, 1))
                                .hasMessage("on purpose");
                    } else {
                        world.reduce(buf(new int[n]), Buf.NONE, BAD, 1);
                    }
                }
            }
            assertThat(world.allreduce(1, Op.SUM)).isEqualTo(2);
        });
    }
}
