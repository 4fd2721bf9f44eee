package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.mpi.Buf.buf;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.tutti.mpi.Comm;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Tutti;
import org.tutti.mpi.Window;

/// `Mpi.close` reports requests that the program has never awaited, complete or not. After a correct program,
/// it reports no problem.
@Timeout(300)
@ResourceLock(Resources.SYSTEM_ERR)
class ForgottenTest {
    private static String printed(Tutti.Body body) {
        return printed(() -> Tutti.local(2, body));
    }

    private static String printed(Runnable job) {
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            job.run();
        } finally {
            System.setErr(before);
        }
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void sendsNeverAwaited() {
        for (int i = 0; i < 5; i++) {
            assertThat(printed(mpi -> {
                        Comm world = mpi.world();
                        if (world.rank() == 0) {
                            world.isend(buf(new int[1]), 1);
                            world.isend(buf(new int[2]), 1, 5);
                        } else {
                            world.recv(buf(new int[1]), 0);
                            world.recv(buf(new int[2]), 0);
                        }
                        world.barrier();
                    }))
                    .matches("tutti: close: 2 requests were never awaited: isend\\(1 INT, dest=1, tag=0\\) at"
                            + " ForgottenTest.java:\\d+, isend\\(2 INT, dest=1, tag=5\\) at ForgottenTest.java:\\d+"
                            + " \\(rank 0 of 2, WORLD\\)\\R");
        }
    }

    /// The program drops the requests of thousands of sends. The buffers are garbage collected, and the report
    /// counts every request except one, which the program awaits.
    @Test
    void buffersOfDroppedSendsAreCollected() {
        int count = 4_000;
        assertThat(printed(mpi -> {
                    Comm world = mpi.world();
                    if (world.rank() == 0) {
                        byte[] first = new byte[1];
                        WeakReference<byte[]> buffer = new WeakReference<>(first);
                        world.isend(buf(first), 1);
                        first = null;
                        Request kept = world.isend(buf(new byte[1]), 1);
                        for (int i = 2; i < count; i++) world.isend(buf(new byte[1]), 1);
                        kept.await();
                        for (int i = 0; i < 300 && buffer.get() != null; i++) {
                            System.gc();
                            Thread.sleep(20);
                        }
                        assertThat(buffer.get()).isNull();
                    } else {
                        for (int i = 0; i < count; i++) world.recv(buf(new byte[1]), 0);
                    }
                    world.barrier();
                }))
                .contains("close: " + (count - 1) + " requests were never awaited: isend(1 BYTE, dest=1, tag=0) at")
                .contains("(rank 0 of 2, WORLD)");
    }

    /// Only the failure is reported, not objects that remained open because of it.
    @Test
    void failedJobReportsNoOpenObjects() {
        String text = printed(() -> assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    Comm world = mpi.world();
                    Window.allocate(world, 64);
                    world.dup();
                    world.irecv(buf(new int[1]), 1 - world.rank());
                    world.barrier();
                    throw new IllegalStateException("the program's failure");
                }))
                .hasStackTraceContaining("the program's failure"));
        assertThat(text).doesNotContain("never", "close:");
    }

    @Test
    void collectiveCallNeverAwaited() {
        assertThat(printed(mpi -> {
                    Request call = mpi.world().ibcast(buf(new int[1]), 0);
                    if (mpi.world().rank() == 0) call.await();
                    mpi.world().barrier();
                }))
                .contains("close: 1 request was never awaited: ibcast(1 INT) at ForgottenTest.java:")
                .contains("(rank 1 of 2, WORLD)")
                .doesNotContain("rank 0");
    }

    @Test
    void requestsClosedWhilePending() {
        Tutti.local(2, mpi -> {
            if (mpi.world().rank() > 0) return;
            try (OwnedComm comm = mpi.self().dup()) {
                comm.setName("SINGLE");
                Requests all = mpi.requests();
                for (int i = 0; i < 3; i++) all.add(comm.irecv(buf(new int[1]), 0, i));
                assertThatThrownBy(all::close)
                        .hasMessageMatching("Requests.close: 3 of 3 requests are pending, the first: irecv\\(1 INT,"
                                + " source=0, tag=0\\) at ForgottenTest.java:\\d+; call awaitAll\\(\\) before the end of"
                                + " the try block \\(rank 0 of 1, SINGLE\\)");
                for (int i = 0; i < 2; i++) comm.send(buf(new int[1]), 0, i);
                assertThatThrownBy(all::close)
                        .hasMessageMatching("Requests.close: 1 of 3 requests is pending, the first: irecv\\(1 INT,"
                                + " source=0, tag=2\\) at ForgottenTest.java:\\d+; .*");
                comm.send(buf(new int[1]), 0, 2);
                all.awaitAll();
            }
        });
    }

    @Test
    void persistentRequestsNeverClosed() {
        assertThat(printed(mpi -> {
                    if (mpi.world().rank() == 0) {
                        for (int i = 0; i < 3; i++) mpi.world().sendInit(buf(new int[1]), 1, 3);
                    }
                }))
                .contains("close: 3 persistent requests were never closed: sendInit(1 INT) at ForgottenTest.java:")
                .contains("(3 of these)");
    }

    @Test
    void completedRequestsAreNotReported() {
        assertThat(printed(mpi -> {
                    Comm world = mpi.world();
                    int other = 1 - world.rank();
                    int[] in = new int[1];
                    try (PersistentRequest again = world.recvInit(buf(in), other, 1)) {
                        again.start();
                        world.send(buf(new int[1]), other, 1);
                        again.await();
                    }
                    Request tested = world.isend(buf(new int[1]), other, 2);
                    while (!tested.test()) Thread.onSpinWait();
                    world.irecv(buf(in), other, 2).await();
                    Request queried = world.isend(buf(new int[1]), other, 3);
                    while (queried.getStatus() == null) Thread.onSpinWait();
                    world.recv(buf(in), other, 3);
                    world.isend(buf(new int[1]), other, 4)
                            .toStage()
                            .toCompletableFuture()
                            .join();
                    world.recv(buf(in), other, 4);
                    Request cancelled = world.irecv(buf(in), other, 5);
                    cancelled.cancel();
                    cancelled.await();
                }))
                .isEmpty();
    }
}
