package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.tutti.mpi.Buf.buf;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.conformance.trial.Check;
import org.tutti.mpi.AttributeKey;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.PartitionedReceive;
import org.tutti.mpi.PartitionedSend;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Tutti;
import org.tutti.mpi.Window;

/// `Mpi.close` reports messages that were never received, requests that were never awaited, and buffers that
/// are not empty. After a correct program, it reports no problem.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CloseTest {
    private static final String SENT = ", sent at CloseTest.java:";
    private static final String REMEDY = "; receive every message before close (rank ";

    @Test
    void unreceivedMessage() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 0) mpi.world().send(buf(new int[3]), 1, 7);
                    mpi.world().barrier();
                }))
                .hasMessageContaining("rank 1 of 2 failed")
                .hasMessageContaining("close: 1 message was never received: 3 INT from rank 0, tag 7, WORLD" + SENT)
                .hasMessageContaining(REMEDY + "1 of 2, WORLD)");
    }

    /// Attributes of SELF are the callbacks at finalize that the standard defines (MPI 4.1, section 11.2.4).
    @Test
    void attributesOfSelfAreDeletedInReverseOrder() {
        List<String> calls = new ArrayList<>();
        AttributeKey<String> key = AttributeKey.of("key", (c, v) -> v, (c, v) -> calls.add(v + c.size()));
        AttributeKey<String> last = AttributeKey.of("last", (c, v) -> v, (c, v) -> {
            c.barrier();
            calls.add(v);
        });
        Tutti.local(1, mpi -> {
            mpi.self().setAttribute(key, "first");
            mpi.self().setAttribute(last, "last");
            mpi.world().setAttribute(key, "of world");
        });
        assertThat(calls).containsExactly("last", "first1");
    }

    /// A deleter may call `close`, which runs the deleter, and a second thread may call `close` at the same
    /// time.
    @Test
    void deleterOfSelfMayCloseMpi() {
        List<String> calls = new ArrayList<>();
        Tutti.local(1, mpi -> {
            AttributeKey<String> key = AttributeKey.of("key", (c, v) -> v, (c, v) -> {
                calls.add(v);
                mpi.close();
            });
            mpi.self().setAttribute(key, "closed once");
            mpi.close();
        });
        assertThat(calls).containsExactly("closed once");
    }

    @Test
    void unreceivedMessageToSelf() {
        assertThatThrownBy(() -> Tutti.local(1, mpi -> mpi.self().send(buf(new double[2]), 0, 1)))
                .hasMessageContaining(
                        "close: 1 message was never received: 2 DOUBLE from rank 0, tag 1, SELF" + REMEDY);
    }

    @Test
    void severalUnreceivedMessages() {
        assertThatThrownBy(() -> Tutti.local(3, mpi -> {
                    Comm world = mpi.world();
                    try (var dup = world.dup()) {
                        world.barrier();
                        if (world.rank() == 1) {
                            dup.send(buf(new long[1]), 0, 5);
                            world.send(buf(new byte[2]), 0, 1);
                            world.sendObject("text", 0, 2);
                            world.bsend(buf(new float[100_000]), 0, 3);
                            for (int i = 0; i < 5; i++) world.send(buf(new char[1]), 0, 4);
                        }
                        world.barrier();
                        if (world.rank() == 0) dup.mprobe(1, 5);
                    }
                }))
                .hasMessageContaining("rank 0 of 3 failed")
                .hasMessageContaining("close: 9 messages were never received: ")
                .hasMessageContaining("; …" + SENT)
                .hasMessageContaining(REMEDY + "0 of 3, WORLD)")
                .message()
                .containsAnyOf("1 LONG from rank 1, tag 5, WORLD.dup1", "2 BYTE from rank 1, tag 1, WORLD");
    }

    @Test
    void senderReportsMessageToClosedRank() {
        CountDownLatch left = new CountDownLatch(1);
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 1) {
                        mpi.close();
                        left.countDown();
                    } else {
                        // messages that rank 1 received before it closed do not count
                        left.await();
                        mpi.world().send(buf(new int[3]), 1, 7);
                        mpi.world().bsend(buf(new int[100_000]), 1, 8);
                    }
                }))
                .hasMessageContaining("close: 2 messages were never received: 3 INT to rank 1, which has left, tag 7,"
                        + " WORLD; 100000 INT to rank 1, which has left, tag 8, WORLD" + SENT)
                .hasMessageContaining(REMEDY + "0 of 2, WORLD)");
    }

    /// One of the two ranks reports the unreceived message, regardless of the order in which the ranks close.
    @Test
    void everyLateMessageIsReported() {
        for (int i = 0; i < 300; i++) {
            int turns = i % 20 * 50;
            assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                        int[] in = new int[1];
                        Comm world = mpi.world();
                        world.sendrecv(buf(new int[1]), 1 - world.rank(), buf(in), 1 - world.rank());
                        if (world.rank() == 0) world.send(buf(new int[3]), 1, 7);
                        else for (int k = 0; k < turns; k++) Thread.onSpinWait();
                    }))
                    .hasMessageContaining("close: 1 message was never received: 3 INT ");
        }
    }

    /// Ranks leave as soon as possible, and the remaining ranks still receive all messages, in all modes.
    @Test
    void correctProgramIsSilent() {
        for (int i = 0; i < 200; i++) {
            int round = i;
            Tutti.local(3, mpi -> {
                Comm world = mpi.world();
                int me = world.rank();
                int sent = (round % 4 + 1) * 10;
                int length = round % 5 == 0 ? 20_000 : 10;
                int[] data = new int[length];
                for (int k = 0; k < sent; k++) {
                    Arrays.fill(data, k);
                    if (me == 0) continue;
                    if (k % 3 == 0) world.bsend(buf(data), 0, me);
                    else if (k % 3 == 1) world.send(buf(data), 0, me);
                    else world.ssend(buf(data), 0, me);
                }
                if (me != 0) return;
                for (int from = 2; from > 0; from--) {
                    for (int k = 0; k < sent; k++) {
                        world.recv(buf(data), round % 2 == 0 ? from : Comm.ANY_SOURCE, from);
                        assertThat(data[length - 1]).isEqualTo(k);
                    }
                }
            });
        }
    }

    /// Long messages are stored in the segment, short messages in the ring of the receiver.
    @Test
    void bufferedMessagesArriveAfterSenderCloses() {
        CountDownLatch left = new CountDownLatch(1);
        Tutti.local(2, mpi -> {
            int[] data = new int[300_000];
            if (mpi.world().rank() == 0) {
                for (int i = 0; i < 5; i++) {
                    Arrays.fill(data, i);
                    mpi.world().bsend(buf(data), 1, i);
                    mpi.world().bsend(buf(data, 0, 10), 1, 10 + i);
                }
                mpi.close();
                left.countDown();
                return;
            }
            left.await();
            for (int i = 0; i < 5; i++) {
                mpi.world().recv(buf(data), 0, i);
                assertThat(data[299_999]).isEqualTo(i);
                mpi.world().recv(buf(data), 0, 10 + i);
                assertThat(data[9]).isEqualTo(i);
            }
        });
    }

    @Test
    void unsentBufferedMessages() {
        CountDownLatch closed = new CountDownLatch(1);
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 1) {
                        closed.await();
                        closing(mpi); // reports the messages that fit into the ring
                        return;
                    }
                    for (int i = 0; i < 30; i++) mpi.world().bsend(buf(new byte[32_000]), 1, i);
                    try {
                        mpi.close();
                    } finally {
                        closed.countDown();
                    }
                }))
                .hasMessageContaining("rank 0 of 2 failed")
                .message()
                .matches("(?s).*close: \\d+ buffered messages are still in progress, the first: bsend\\(32000 BYTE,"
                        + " dest=1, tag=\\d+\\); call flushBuffers\\(\\) first \\(rank 0 of 2, WORLD\\).*");
    }

    /// Partitions of an unreceived message are counted together with the message. If the message was received,
    /// further partitions are counted separately.
    @Test
    void unreceivedPartitionedMessages() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 0) sendPartitions(mpi.world(), 1);
                    mpi.world().barrier();
                }))
                .hasMessageContaining(
                        "close: 1 message was never received: one in partitions from rank 0, tag 7, WORLD" + REMEDY);
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    Comm world = mpi.world();
                    if (world.rank() == 0) {
                        sendPartitions(world, 2);
                    } else {
                        try (PartitionedReceive r = world.precvInit(buf(new int[4]), 2, 0, 7)) {
                            r.start();
                            r.await();
                        }
                    }
                    world.barrier();
                }))
                .hasMessageContaining("close: 4 messages were never received: a partition from rank 0, WORLD; a"
                        + " partition from rank 0, WORLD; a partition");
        CountDownLatch left = new CountDownLatch(1);
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 1) {
                        mpi.close();
                        left.countDown();
                    } else {
                        left.await();
                        sendPartitions(mpi.world(), 1);
                    }
                }))
                .hasMessageContaining("close: 1 message was never received: one in partitions to rank 1, which has"
                        + " left, tag 7, WORLD" + REMEDY);
    }

    private static void sendPartitions(Comm world, int rounds) {
        try (PartitionedSend send = world.psendInit(buf(new int[4]), 4, 1, 7)) {
            for (int i = 0; i < rounds; i++) {
                send.start();
                send.preadyRange(0, 3);
                send.await();
            }
        }
    }

    /// When a communicator is closed, it releases the attached buffer, because a caller can no longer detach
    /// this buffer.
    @Test
    void closedCommunicatorReleasesBuffer() {
        Tutti.local(1, mpi -> {
            WeakReference<byte[]> buffer = attachToClosedCommunicator(mpi.world());
            for (int i = 0; i < 500 && buffer.get() != null; i++) {
                System.gc();
                Thread.sleep(10);
            }
            assertThat(buffer.get()).isNull();
        });
    }

    private static WeakReference<byte[]> attachToClosedCommunicator(Comm world) {
        byte[] buffer = new byte[1000];
        try (OwnedComm comm = world.dup()) {
            comm.attachBuffer(MemorySegment.ofArray(buffer));
            comm.bsend(buf(new int[1]), 0, 1);
            comm.recv(buf(new int[1]), 0, 1);
        }
        return new WeakReference<>(buffer);
    }

    @Test
    void activePersistentRequest() {
        assertThatThrownBy(() -> Tutti.local(1, mpi -> {
                    PersistentRequest receive = mpi.world().recvInit(buf(new int[1]), Comm.ANY_SOURCE, 3);
                    receive.start();
                }))
                .message()
                .containsPattern("close: 1 request is pending: recvInit\\(1 INT, source=ANY_SOURCE, tag=3\\)"
                        + " at CloseTest.java:\\d+; await or cancel all of these first");
    }

    /// Requests that are unreachable are reported, too.
    @Test
    void forgottenRequestIsNamedWithLine() {
        String[] line = new String[1];
        assertThatThrownBy(() -> Tutti.local(1, mpi -> {
                    line[0] = Check.nextLine();
                    mpi.world().irecv(buf(new int[3]), 0, 7);
                    System.gc();
                }))
                .message()
                .contains("close: 1 request is pending: irecv(3 INT, source=0, tag=7) at " + line[0]
                        + "; await or cancel all of these first (rank 0 of 1, WORLD)");
    }

    /// After thousands of requests, lines are no longer recorded, and the report names the line of a similar
    /// request.
    @Test
    void forgottenRequestAmongManyNamesSimilarOne() {
        String[] line = new String[1];
        assertThatThrownBy(() -> Tutti.local(1, mpi -> {
                    int[] in = new int[1];
                    for (int i = 0; i < 3000; i++) {
                        var send = mpi.world().isend(buf(new int[1]), 0, 4);
                        line[0] = Check.nextLine();
                        var receive = mpi.world().irecv(buf(in), 0, 4);
                        receive.await();
                        send.await();
                    }
                    mpi.world().irecv(buf(in), 0, 4);
                }))
                .message()
                .contains("close: 1 request is pending: irecv(1 INT, source=0, tag=4), like the one created at "
                        + line[0]);
    }

    /// When the number of pending requests reaches a new maximum, the lines of the newest requests are
    /// recorded.
    @Test
    void manyForgottenRequestsAreNamedWithLine() {
        String[] line = new String[1];
        assertThatThrownBy(() -> Tutti.local(1, mpi -> {
                    int[] in = new int[1];
                    for (int i = 0; i < 2000; i++) {
                        var send = mpi.world().isend(buf(new int[1]), 0, 4);
                        mpi.world().recv(buf(in), 0, 4);
                        send.await();
                    }
                    for (int i = 0; i < 70; i++) {
                        line[0] = Check.nextLine();
                        mpi.world().irecv(buf(in), 0, 9);
                    }
                }))
                .message()
                .contains("close: 70 requests are pending: irecv(1 INT, source=0, tag=9) at " + line[0] + ", irecv(");
    }

    /// A lock that a rank still holds is reported, because a different rank would wait for it indefinitely.
    @Test
    void heldLock() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    Window w = Window.allocate(mpi.world(), 8);
                    if (mpi.world().rank() == 1) w.lock(0);
                    mpi.world().barrier();
                    if (mpi.world().rank() == 0) w.close();
                }))
                .hasMessageContaining("close: an epoch is open; open: lock at 0; call unlock(0) first"
                        + " (rank 1 of 2, WORLD.window1)");
    }

    /// An error of `Window.close` is not repeated, and the window is not reported as never closed.
    @Test
    void failedWindowCloseIsReportedOnce() {
        assertThatThrownBy(() -> Tutti.local(1, mpi -> {
                    try (Window w = Window.allocate(mpi.world(), 8)) {
                        w.lock(0);
                        throw new IllegalStateException("in the middle");
                    }
                }))
                .satisfies(e -> {
                    StringWriter all = new StringWriter();
                    e.printStackTrace(new PrintWriter(all));
                    assertThat(all.toString()).contains("in the middle").containsOnlyOnce("an epoch is open");
                });
    }

    @Test
    void incompleteStage() {
        CompletableFuture<Throwable> seen = new CompletableFuture<>();
        assertThatThrownBy(() -> Tutti.local(
                        1,
                        mpi -> mpi.world()
                                .irecv(buf(new int[1]), 0, 3)
                                .toStage()
                                .whenComplete((status, why) -> seen.complete(why))))
                .hasMessageContaining("close: 1 request is pending: irecv(1 INT, source=0, tag=3)");
        assertThat(seen)
                .succeedsWithin(300, TimeUnit.SECONDS)
                .extracting(Throwable::getMessage, as(STRING))
                .endsWith("toStage: the Mpi was closed before this stage was complete (rank 0 of 1, WORLD)");
    }

    @Test
    void failureOfBodyIsReported() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 0) mpi.world().send(buf(new int[3]), 1, 7);
                    mpi.world().barrier();
                    if (mpi.world().rank() == 1) throw new IllegalStateException("enough");
                    mpi.world().recv(buf(new int[1]), 1, 9);
                }))
                .hasMessageContaining("enough");
    }

    /// A rank that fails because a different rank failed does not report unreceived messages.
    @Test
    void failedJobReportsNoMessages() {
        Throwable[] closing = new Throwable[1];
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    if (mpi.world().rank() == 1) throw new IllegalStateException("enough");
                    mpi.world().send(buf(new int[3]), 0, 7);
                    try {
                        mpi.world().recv(buf(new int[1]), 1, 9);
                    } finally {
                        closing[0] = closing(mpi);
                    }
                }))
                .hasMessageContaining("enough");
        assertThat(closing[0]).isNull();
    }

    private static @Nullable Throwable closing(Mpi mpi) {
        try {
            mpi.close();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /// Each rank passes itself as the root. No rank waits for a different rank, so only the unreceived messages
    /// reveal the mistake.
    @Test
    void everyRankAsRoot() {
        for (int i = 0; i < 50; i++) {
            assertThatThrownBy(() -> Tutti.local(
                            3,
                            mpi -> mpi.world()
                                    .bcast(buf(new int[1]), mpi.world().rank())))
                    .message()
                    .containsPattern("collective call 1 of WORLD does not match: rank \\d has called"
                            + " bcast\\(1 INT, root=\\d\\) but rank \\d calls bcast\\(1 INT, root=\\d\\)"
                            + "|bcast\\(1 INT, root=\\d\\), call 1 on WORLD, to rank \\d,"
                            + " which made a different call, or none, and has left");
        }
    }

    @Test
    void callOfOneRankOnly() {
        for (int i = 0; i < 50; i++) {
            assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                        if (mpi.world().rank() == 0) mpi.world().bcast(buf(new int[1]), 0);
                    }))
                    .message()
                    .containsPattern("bcast\\(1 INT, root=0\\), call 1 on WORLD,"
                            + " (of rank 0: this rank made a different call, or none"
                            + "|to rank 1, which made a different call, or none, and has left)");
        }
    }
}
