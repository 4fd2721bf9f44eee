package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.mpi.Buf.buf;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Tutti;

/// Repeated calls allocate no memory. The test reads the allocation counter of the thread and does not measure
/// time.
@Timeout(600)
class AllocationTest {
    private static final int CALLS = 3_000, MOST_ROUNDS = 60;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /// One or two calls that are repeated by a rank.
    private interface Calls {
        void run(Comm world);
    }

    /// Prepares the calls of a rank.
    private interface Body {
        Calls prepare(Mpi mpi, Comm world);
    }

    private static void allocatesLessThanAByte(String name, Body body) {
        allocatesLessThan(1, name, body);
    }

    private static void allocatesLessThan(int limit, String name, Body body) {
        allocatesLessThan(limit, name, 1, body);
    }

    /// Repeats the measurement until the code is compiled and meets the limit. A busy machine needs more
    /// repetitions.
    ///
    /// @param callsInOne number of calls in one run of the body
    private static void allocatesLessThan(int limit, String name, int callsInOne, Body body) {
        int runs = CALLS / callsInOne;
        System.setProperty("tutti.local.observe", "false");
        try {
            measure(limit, name, runs, body);
        } finally {
            System.clearProperty("tutti.local.observe");
        }
    }

    private static void measure(int limit, String name, int runs, Body body) {
        AtomicLongArray bytes = new AtomicLongArray(2);
        Tutti.local(2, mpi -> {
            Calls calls = body.prepare(mpi, mpi.world());
            long most = Long.MAX_VALUE;
            for (int round = 0; round < MOST_ROUNDS && most >= (long) limit * runs; round++) {
                mpi.world().barrier();
                long before = THREADS.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < runs; i++) calls.run(mpi.world());
                long mine = THREADS.getCurrentThreadAllocatedBytes() - before;
                bytes.set(mpi.world().rank(), mine);
                most = mpi.world().allreduce(mine, Op.MAX);
            }
        });
        for (int r = 0; r < 2; r++) {
            assertThat(bytes.get(r) / (double) runs)
                    .as("bytes per %s on rank %d", name, r)
                    .isLessThan(limit);
        }
    }

    @Test
    void sendAndReceive() {
        allocatesLessThanAByte("ping-pong of 8 bytes", (_, world) -> {
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
    void synchronousAndBufferedSends() {
        allocatesLessThanAByte("ping-pong of 8 bytes, by ssend and bsend", (_, world) -> {
            Buf x = buf(new double[1]);
            return world.rank() == 0
                    ? w -> {
                        w.ssend(x, 1, 0);
                        w.recv(x, 1, 0);
                    }
                    : w -> {
                        w.recv(x, 0, 0);
                        w.bsend(x, 0, 0);
                    };
        });
    }

    @Test
    void sendrecvReplace() {
        allocatesLessThanAByte("exchange of 8 bytes in place", (_, world) -> {
            Buf x = buf(new double[1]);
            return w -> w.sendrecvReplace(x, 1 - w.rank(), 0, 1 - w.rank(), 0);
        });
    }

    @Test
    void neighbors() {
        allocatesLessThanAByte("exchange with the neighbors", (_, world) -> {
            Cartesian ring = world.cartesian(new int[] {2}, new boolean[] {true});
            Buf send = buf(new double[2]), recv = buf(new double[2]);
            return w -> ring.neighborAlltoall(send, recv);
        });
    }

    @Test
    void persistentRequests() {
        allocatesLessThanAByte("exchange of 8 bytes by persistent requests", (_, world) -> {
            PersistentRequest receive = world.recvInit(buf(new double[1]), 1 - world.rank(), 0);
            PersistentRequest send = world.sendInit(buf(new double[1]), 1 - world.rank(), 0);
            return w -> {
                receive.start();
                send.start();
                receive.await();
                send.await();
            };
        });
    }

    /// A request is an object, and a completed request is not reused: two requests allocate 2 × 48 bytes.
    @Test
    void requests() {
        allocatesLessThan(2 * 48 + 1, "exchange of 8 bytes by isend and irecv", (_, world) -> {
            Buf x = buf(new double[1]);
            Buf y = buf(new double[1]);
            return w -> {
                Request receive = w.irecv(x, 1 - w.rank(), 0);
                w.isend(y, 1 - w.rank(), 0).await();
                receive.await();
            };
        });
    }

    /// A status that equals the previous one is not allocated again. Here, consecutive statuses differ.
    @Test
    void statuses() {
        allocatesLessThan(2 * 64, "two ping-pongs of 8 and 16 bytes", (_, world) -> {
            Buf x = buf(new double[1]), into = buf(new double[1]);
            Buf y = buf(new double[2]), intoTwo = buf(new double[2]);
            int other = 1 - world.rank();
            return w -> {
                w.sendrecv(x, other, 0, into, other, 0);
                w.sendrecv(y, other, 0, intoTwo, other, 0);
            };
        });
    }

    @Test
    void awaitAny() {
        allocatesLessThanAByte("exchange of 8 bytes, waited for by awaitAny", (mpi, world) -> {
            PersistentRequest receive = world.recvInit(buf(new double[1]), 1 - world.rank(), 0);
            PersistentRequest send = world.sendInit(buf(new double[1]), 1 - world.rank(), 0);
            Requests pair = mpi.requests();
            pair.add(receive);
            pair.add(send);
            return w -> {
                receive.start();
                send.start();
                pair.awaitAny();
                pair.awaitAny();
            };
        });
    }

    @Test
    void allreduce() {
        allocatesLessThanAByte("allreduce of double[1]", (_, world) -> {
            Buf x = buf(new double[1]);
            Buf y = buf(new double[1]);
            return w -> w.allreduce(x, y, Op.SUM);
        });
    }

    @Test
    void allreduceOfAScalar() {
        allocatesLessThanAByte("allreduce of a double", (_, world) -> w -> w.allreduce(1.0, Op.SUM));
    }

    @Test
    void barrier() {
        allocatesLessThanAByte("barrier", (_, world) -> Comm::barrier);
    }

    @Test
    void bcast() {
        allocatesLessThanAByte("bcast of double[1]", (_, world) -> {
            Buf x = buf(new double[1]);
            return w -> w.bcast(x, 0);
        });
    }

    /// One call of each kind that has no separate test.
    @Test
    @Tag("ci")
    void remainingCollectives() {
        allocatesLessThan(1, "round of collectives", 9, (_, world) -> {
            Buf x = buf(new double[2]);
            Buf y = buf(new double[2]);
            Buf one = buf(new double[1]);
            Buf blocks = x.blocks(1, 1);
            Buf all = world.rank() == 0 ? y : Buf.NONE;
            return w -> {
                w.gather(one, all, 0);
                w.scatter(all, one, 0);
                w.allgather(one, y);
                w.alltoall(x, y);
                w.reduce(x, all, Op.SUM, 0);
                w.reduceScatterBlock(x, one, Op.SUM);
                w.reduceScatter(blocks, one, Op.SUM);
                w.scan(x, y, Op.SUM);
                w.exscan(x, y, Op.SUM);
            };
        });
    }

    @Test
    void persistentCollective() {
        allocatesLessThanAByte("persistent allreduce", (_, world) -> {
            PersistentRequest r = world.allreduceInit(buf(new double[1]), buf(new double[1]), Op.SUM);
            return w -> {
                r.start();
                r.await();
            };
        });
    }
}
