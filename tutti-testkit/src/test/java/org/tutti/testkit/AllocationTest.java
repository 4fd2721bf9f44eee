package org.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.mpi.Buf.buf;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// Calls that repeat allocate nothing: bytes by the thread's own counter, not time.
@Timeout(60)
class AllocationTest {
    private static final int WARM_UP = 50_000, MEASURED = 100_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /// A call or two of a rank.
    private interface Calls {
        void run(Comm world);
    }

    /// What each rank prepares before.
    private interface Body {
        Calls prepare(Comm world);
    }

    private static void allocatesLessThanAByte(String what, Body body) {
        AtomicLongArray bytes = new AtomicLongArray(2);
        Tutti.local(2, mpi -> {
            Calls calls = body.prepare(mpi.world());
            for (int i = 0; i < WARM_UP; i++) calls.run(mpi.world());
            mpi.world().barrier();
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < MEASURED; i++) calls.run(mpi.world());
            bytes.set(mpi.world().rank(), THREADS.getCurrentThreadAllocatedBytes() - before);
        });
        for (int r = 0; r < 2; r++) {
            assertThat(bytes.get(r) / (double) MEASURED)
                    .as("bytes per %s on rank %d", what, r)
                    .isLessThan(1);
        }
    }

    @Test
    void sendAndReceive() {
        allocatesLessThanAByte("ping-pong of 8 bytes", world -> {
            Buf x = buf(new double[1]);
            return world.rank() == 0
                    ? w -> {
                        w.send(x, 1, 0);
                        w.recv(x, 1, 0);
                    }
                    : w -> {
                        w.recv(x, 0, 0);
                        w.send(x, 0, 0);
                    };
        });
    }

    @Test
    void allreduce() {
        allocatesLessThanAByte("allreduce of double[1]", world -> {
            Buf x = buf(new double[1]);
            Buf y = buf(new double[1]);
            return w -> w.allreduce(x, y, Op.SUM);
        });
    }

    @Test
    void allreduceOfAScalar() {
        allocatesLessThanAByte("allreduce of a double", world -> w -> w.allreduce(1.0, Op.SUM));
    }

    @Test
    void barrier() {
        allocatesLessThanAByte("barrier", world -> Comm::barrier);
    }

    @Test
    void bcast() {
        allocatesLessThanAByte("bcast of double[1]", world -> {
            Buf x = buf(new double[1]);
            return w -> w.bcast(x, 0);
        });
    }
}
