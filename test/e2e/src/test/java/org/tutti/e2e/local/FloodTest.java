package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.mpi.Buf.buf;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Tutti;

/// A sender sends more messages than the receiver accepts before it receives (docs/decisions/52).
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FloodTest {
    /// Number of messages, more than the limit.
    private static final int MESSAGES = 30_000, VALUES = 16;
    private static final int FLOOD = 1, LAST = 2;

    /// Receives the last message first.
    private static void receive(Comm world) {
        long[] values = new long[VALUES];
        world.recv(buf(values), 0, LAST);
        for (int i = 0; i < MESSAGES; i++) {
            world.recv(buf(values), 0, FLOOD);
            assertThat(values[VALUES - 1]).isEqualTo(i);
        }
    }

    private static long[] values(int last) {
        long[] values = new long[VALUES];
        values[VALUES - 1] = last;
        return values;
    }

    @Test
    void nonblockingSendsNeverWaitInTheCall() {
        Tutti.local(2, mpi -> {
            Comm world = mpi.world();
            if (world.rank() == 1) {
                receive(world);
                return;
            }
            try (Requests all = mpi.requests()) {
                for (int i = 0; i < MESSAGES; i++) all.add(world.isend(buf(values(i)), 1, FLOOD));
                world.send(buf(values(0)), 1, LAST);
                all.awaitAll();
            }
        });
    }

    @Test
    void bufferedSendsNeverWait() {
        Tutti.local(2, mpi -> {
            Comm world = mpi.world();
            if (world.rank() == 1) {
                receive(world);
                return;
            }
            for (int i = 0; i < MESSAGES; i++) world.bsend(buf(values(i)), 1, FLOOD);
            world.send(buf(values(0)), 1, LAST);
            mpi.flushBuffers();
        });
    }

    /// A program that works with synchronous sends also works with the limit.
    @Test
    void blockingSendsWaitForReceives() {
        Tutti.local(3, mpi -> {
            Comm world = mpi.world();
            long[] values = new long[VALUES];
            if (world.rank() == 0) {
                for (int i = 0; i < MESSAGES; i++) world.send(buf(values(i)), 1, FLOOD);
            } else if (world.rank() == 2) {
                world.send(buf(values), 1, LAST);
            } else {
                world.recv(buf(values), 2, LAST);
                for (int i = 0; i < MESSAGES; i++) {
                    world.recv(buf(values), 0, FLOOD);
                    assertThat(values[VALUES - 1]).isEqualTo(i);
                }
            }
        });
    }

    /// A rank may be far ahead in collective calls that are schedules of messages, too.
    @Test
    void collectivesFarAheadComplete() {
        Tutti.local(3, mpi -> {
            long[] block = new long[1024];
            for (int i = 0; i < 3_000; i++) mpi.world().gather(buf(block), buf(new long[3 * 1024]), 0);
        });
    }
}
