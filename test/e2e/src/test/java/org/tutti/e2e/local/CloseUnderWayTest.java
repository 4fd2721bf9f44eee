package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.mpi.Buf.buf;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Tutti;

/// A communicator may be closed while operations on it are pending (MPI 4.1, section 7.4.3).
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CloseUnderWayTest {
    private static final int TIMES = 200, LONG = 20_000;

    /// The calls use slots, or are schedules of messages.
    @Test
    void collectivesCompleteOnClosedCommunicator() {
        Tutti.local(3, mpi -> {
            Comm world = mpi.world();
            for (int i = 0; i < TIMES; i++) {
                long[] sums = new long[1], many = new long[LONG];
                OwnedComm closed = world.dup();
                Request barrier = closed.ibarrier();
                Request sum = closed.iallreduce(buf(new long[] {world.rank() + i}), buf(sums), Op.SUM);
                many[LONG - 1] = i;
                Request longSum = closed.iallreduce(Buf.IN_PLACE, buf(many), Op.SUM);
                closed.close();
                try (OwnedComm other = world.dup()) {
                    assertThat(other.allreduce(1, Op.SUM)).isEqualTo(3);
                }
                barrier.await();
                sum.await();
                longSum.await();
                assertThat(sums[0]).isEqualTo(3L * i + 3);
                assertThat(many[LONG - 1]).isEqualTo(3L * i);
            }
        });
    }

    @Test
    void messagesArriveOnClosedCommunicator() {
        Tutti.local(2, mpi -> {
            Comm world = mpi.world();
            for (int i = 0; i < TIMES; i++) {
                int[] in = new int[1];
                OwnedComm closed = world.dup();
                Request receive = closed.irecv(buf(in), 1 - world.rank(), 3);
                Request send = closed.isend(buf(new int[] {i}), 1 - world.rank(), 3);
                closed.close();
                world.dup().close();
                receive.await();
                send.await();
                assertThat(in[0]).isEqualTo(i);
            }
        });
    }
}
