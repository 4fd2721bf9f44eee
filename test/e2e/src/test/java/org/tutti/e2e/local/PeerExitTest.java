package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.mpi.Buf.buf;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Tutti;
import org.tutti.mpi.Window;

/// A rank waits for a rank that has left the job.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class PeerExitTest {
    /// Closes before a message is sent to this rank, because `close` would report the message.
    private static void leave(Mpi mpi, CountDownLatch left) {
        mpi.close();
        left.countDown();
    }

    @Test
    void receiveFromClosedRankFails() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 0) mpi.world().recv(buf(new int[1]), 1, 5);
                }))
                .hasMessageContaining(
                        "recv: waits for rank 1, which has left the job by Mpi.close and sends no more messages"
                                + " (rank 0 of 2, WORLD)");
    }

    @Test
    void unreceivedSendToClosedRankFails() {
        CountDownLatch left = new CountDownLatch(1);
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 1) {
                        leave(mpi, left);
                    } else {
                        left.await();
                        mpi.world().send(buf(new byte[1 << 20]), 1, 5);
                    }
                }))
                .hasMessageContaining(
                        "send: waits for rank 1, which has left the job by Mpi.close and receives no more messages");
    }

    @Test
    void synchronousSendToClosedRankFails() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 0) mpi.world().ssend(buf(new byte[1]), 1, 5);
                }))
                .message()
                .containsAnyOf(
                        "ssend: waits for rank 1, which has left the job by Mpi.close and receives no more messages",
                        "close: 1 message was never received: 1 BYTE from rank 0, tag 5, WORLD");
    }

    @Test
    void receiveFromAnySourceFailsIfAllRanksClosed() {
        String text = "waits for a message from any rank, but all other ranks have left the job by Mpi.close and send"
                + " no more messages (rank 0 of 3, WORLD)";
        assertThatThrownBy(() -> Tutti.local(3, mpi -> {
                    if (mpi.world().rank() == 0) mpi.world().recv(buf(new int[1]));
                }))
                .hasMessageContaining("recv: " + text);
        assertThatThrownBy(() -> Tutti.local(3, mpi -> {
                    if (mpi.world().rank() == 0) mpi.world().probe(Comm.ANY_SOURCE, 5);
                }))
                .hasMessageContaining("probe: " + text);
    }

    @Test
    void startForClosedRankFails() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    Window w = Window.allocate(mpi.world(), 8);
                    if (mpi.world().rank() == 0) w.start(w.group().incl(1));
                    else w.close();
                }))
                .hasMessageContaining("start: waits for rank 1, which has left the job by Mpi.close, in start"
                        + " on WORLD.window1, for post of rank 1");
    }

    /// A rank that polls a window waits for no other rank, and could otherwise run indefinitely.
    @Test
    void pollingOfWindowStopsWithJob() {
        for (boolean tests : new boolean[] {false, true}) {
            assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                        Window w = Window.allocate(mpi.world(), 8);
                        if (mpi.world().rank() == 1) throw new IllegalStateException("rank 1 fails");
                        if (tests) {
                            w.post(w.group().incl(1));
                            while (!w.test()) Thread.onSpinWait();
                        } else {
                            w.lockAll();
                            while (w.at(1, 0).fetchAndOp(0L, Op.NO_OP) == 0) Thread.onSpinWait();
                        }
                    }))
                    .hasMessageContaining("rank 1 fails");
        }
    }

    @Test
    void probeOfClosedRankFails() {
        String text = "waits for rank 1, which has left the job by Mpi.close and sends no more messages";
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 0) mpi.world().probe(1, Comm.ANY_TAG);
                }))
                .hasMessageContaining("probe: " + text);
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 0) mpi.world().mprobe(1, 3);
                }))
                .hasMessageContaining("mprobe: " + text);
    }

    @Test
    void virtualThreadDoesNotWaitForClosedRank() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 1) return;
                    Throwable[] why = new Throwable[1];
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    mpi.world().recv(buf(new int[1]), 1, 5);
                                } catch (RuntimeException e) {
                                    why[0] = e;
                                }
                            })
                            .join();
                    throw new IllegalStateException(why[0]);
                }))
                .hasMessageContaining("recv: waits for rank 1, which has left the job by Mpi.close");
    }

    /// `awaitAny` waits as long as at least one request can complete.
    @Test
    void awaitAnyFailsIfNoRequestCanComplete() {
        assertThatThrownBy(() -> Tutti.local(3, mpi -> {
                    Comm world = mpi.world();
                    if (world.rank() == 1) return;
                    if (world.rank() == 2) {
                        Thread.sleep(300);
                        world.send(buf(new int[1]), 0, 1);
                        return;
                    }
                    try (Requests r = mpi.requests()) {
                        r.add(world.irecv(buf(new int[1]), 1, 1));
                        r.add(world.irecv(buf(new int[1]), 2, 1));
                        assertThat(r.awaitAny()).hasValue(1);
                        r.awaitAny();
                    }
                }))
                .hasMessageContaining(
                        "irecv: waits for rank 1, which has left the job by Mpi.close and sends no more messages");
    }

    @Test
    void collectiveCallMissingOnClosedRankFails() {
        CountDownLatch left = new CountDownLatch(1);
        assertThatThrownBy(() -> Tutti.local(3, mpi -> {
                    if (mpi.world().rank() == 2) {
                        leave(mpi, left);
                    } else {
                        left.await();
                        mpi.world().allreduce(1, Op.SUM);
                    }
                }))
                .hasMessageContaining("allreduce: waits for rank 2, which has left the job by Mpi.close");
    }

    @Test
    void messagesSentBeforeCloseArrive() {
        for (int i = 0; i < 200; i++) {
            Tutti.local(3, mpi -> {
                Comm world = mpi.world();
                int me = world.rank();
                world.barrier();
                if (me > 0) for (int k = 0; k < 100; k++) world.send(buf(new int[] {me * k}), 0, k);
                if (me > 0) world.send(buf(new byte[300_000]), 0, 1000);
                if (me != 0) return;
                Thread.sleep(2); // meanwhile, the other ranks leave
                int[] got = new int[1];
                for (int from = 2; from > 0; from--) {
                    for (int k = 0; k < 100; k++) {
                        world.recv(buf(got), from, k);
                        assertThat(got[0]).isEqualTo(from * k);
                    }
                    world.recv(buf(new byte[300_000]), from, 1000);
                }
            });
        }
    }
}
